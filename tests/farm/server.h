// A nats-server of a test's own, with a store that outlives it.
#pragma once

#include "core/farm/queue.h"

#include <sys/types.h>
#include <filesystem>
#include <string>
#include <vector>

namespace loopglass::farm {

class Server {
 public:
  // `options`: more of nats-server's.
  explicit Server(std::vector<std::string> options = {});
  ~Server();
  Server(const Server&) = delete;

  std::string url() const;
  const std::filesystem::path& folder() const { return folder_; }
  // With SIGKILL.
  void kill();
  // At the same port.
  void start();
  void forget_everything();  // the store is gone; while it is down

 private:
  std::filesystem::path folder_;
  std::vector<std::string> options_;
  int port_ = -1;
  pid_t process_ = 0;
};

}  // namespace loopglass::farm
