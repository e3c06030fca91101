#include "tests/farm/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace loopglass::farm {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

// Debian keeps it where only administrators look.
std::string program() {
  const std::string usual = "/usr/sbin/nats-server";
  return fs::exists(usual) ? usual : "nats-server";
}

}  // namespace

Server::Server(std::vector<std::string> options) : options_(std::move(options)) {
  std::string pattern = (fs::temp_directory_path() / "loopglass-farm-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  start();
}

Server::~Server() {
  kill();
  fs::remove_all(folder_);
}

std::string Server::url() const { return fmt::format("nats://127.0.0.1:{}", port_); }

void Server::start() {
  // It ends with this process, and holds nothing of it open.
  std::vector<std::string> words{"setpriv",
                                 "--pdeathsig",
                                 "KILL",
                                 program(),
                                 "-js",
                                 "-a",
                                 "127.0.0.1",
                                 "-p",
                                 std::to_string(port_),
                                 "-sd",
                                 (folder_ / "store").string(),
                                 "-l",
                                 (folder_ / "log").string(),
                                 "--ports_file_dir",
                                 folder_.string()};
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2})
    ::posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  const int problem =
      ::posix_spawnp(&process_, "setpriv", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ASSERT_EQ(problem, 0) << "setpriv cannot be started";
  const fs::path ports = folder_ / fmt::format("nats-server_{}.ports", process_);
  for (int i = 0; i < 400; ++i) {
    std::this_thread::sleep_for(25ms);
    std::ifstream file(ports);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded()) continue;
    const std::string url = json["nats"][0];
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
    return;
  }
  FAIL() << "nats-server does not come up";
}

void Server::kill() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

void Server::forget_everything() { fs::remove_all(folder_ / "store"); }

}  // namespace loopglass::farm
