// The sessions that windows keep by themselves, a file each in the state folder
// (support/state_folder.h). A window holds its file by a lock for as long as it lives, so that two
// never write the same one and a window that was killed leaves one that anybody may take up.
#pragma once

#include "core/saved_session.h"
#include "core/support/file_lock.h"

namespace loopglass::app {

struct KeptSession {
  std::filesystem::path file;
  std::filesystem::file_time_type written;
  bool in_use = false;  // by a window that lives
};
// The newest first. Empty where there is no such folder.
std::vector<KeptSession> kept_sessions();
// Whether a session cannot be read, by this version or any other.
bool is_damaged(const Diagnostic& problem);
// Under another name, by which it is none of the sessions; nullopt: it could not be.
std::optional<std::filesystem::path> put_aside(const std::filesystem::path& session);

// A file of one's own, until this goes away.
class HeldSession {
 public:
  // A new one, which is not there before it is written. Refused as write_session says.
  static Result<HeldSession> begin(const std::string& model);
  // One that there is; nothing where another window has it.
  static Result<std::optional<HeldSession>> take_up(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }

 private:
  HeldSession(std::filesystem::path file, FileLock lock)
      : file_(std::move(file)), lock_(std::make_unique<FileLock>(std::move(lock))) {}
  std::filesystem::path file_;
  std::unique_ptr<FileLock> lock_;
};

// Removes all but so many of the newest, with their locks, and locks of nothing. What is in use
// stays.
void forget_old_sessions(std::size_t kept = 20);

}  // namespace loopglass::app
