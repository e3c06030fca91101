#include "app/common/kept_sessions.h"

#include "core/support/state_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <ctime>

namespace loopglass::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view lock_ending = ".lock";

Result<fs::path> folder() { return TRY(state_folder()) / "sessions"; }

// "resnet50-20261122-201500-4711-0": readable, and of this process and moment alone.
std::string new_name(const std::string& model) {
  static std::atomic<unsigned> count = 0;
  std::string name = fs::path(model).stem().string().substr(0, 40);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '-';
  return fmt::format("{}-{:%Y%m%d-%H%M%S}-{}-{}{}", name, fmt::localtime(std::time(nullptr)),
                     ::getpid(), count++, session_ending);
}

}  // namespace

std::vector<KeptSession> kept_sessions() {
  std::vector<KeptSession> sessions;
  const auto folder = app::folder();
  std::error_code error;
  if (!folder) return sessions;
  for (fs::directory_iterator entry(*folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_session_file(entry->path())) continue;
    std::error_code gone;
    const auto written = fs::last_write_time(entry->path(), gone);
    if (!gone) sessions.push_back({entry->path(), written, FileLock::is_taken(entry->path())});
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const KeptSession& a, const KeptSession& b) { return a.written > b.written; });
  return sessions;
}

bool is_damaged(const Diagnostic& problem) {
  return problem.code == Code::SessionCorrupt || problem.code == Code::NoSession;
}

std::optional<fs::path> put_aside(const fs::path& session) {
  fs::path aside = session;
  aside += ".aside";
  std::error_code error;
  fs::rename(session, aside, error);
  return error ? std::nullopt : std::optional(aside);
}

Result<HeldSession> HeldSession::begin(const std::string& model) {
  const fs::path file = TRY(folder()) / new_name(model);
  return HeldSession(file, TRY(FileLock::take(file, session_file)));
}

Result<std::optional<HeldSession>> HeldSession::take_up(const fs::path& file) {
  auto lock = TRY(FileLock::try_take(file, session_file));
  if (!lock) return std::nullopt;
  return std::optional(HeldSession(file, *std::move(lock)));
}

void forget_old_sessions(std::size_t kept) {
  const auto remove = [](const fs::path& file) {
    std::error_code error;
    const auto held = HeldSession::take_up(file);
    if (!held || !*held) return;
    fs::remove(file, error);
    fs::remove(file.string() + std::string(lock_ending), error);
  };
  std::size_t seen = 0;
  for (const KeptSession& session : kept_sessions())
    if (!session.in_use && ++seen > kept) remove(session.file);
  const auto folder = app::folder();
  std::error_code error;
  if (!folder) return;
  std::vector<fs::path> locks;
  for (fs::directory_iterator entry(*folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == lock_ending) locks.push_back(entry->path());
  for (fs::path lock : locks)
    if (const fs::path file = lock.replace_extension(); !fs::exists(file, error)) remove(file);
}

}  // namespace loopglass::app
