#include "core/support/file_refusal.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace loopglass {
namespace {

struct Cause {
  Code code;
  std::string hint;
};

Cause cause_of(int reason, Code otherwise) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT: return {Code::DiskFull, "make room on that disk, or write elsewhere"};
    case EFBIG: return {Code::DiskFull, "ulimit -f says how large a file may become here"};
    case EACCES:
    case EPERM:
      return {Code::PermissionMissing, "ask whom it belongs to, or choose another folder"};
    case EROFS:
      return {Code::PermissionMissing, "nothing can be written there; choose another folder"};
    case EMFILE:
    case ENFILE: return {Code::OpenFilesExhausted, more_files_hint()};
    case ENOENT: return {otherwise, "check the name, and whether its folder is there"};
    case ENOTDIR: return {otherwise, "a part of its path is a file and no folder"};
    case EISDIR: return {otherwise, "that is a folder; add a file's name"};
    default: return {otherwise, {}};
  }
}

}  // namespace

bool is_out_of_files(int reason) { return reason == EMFILE || reason == ENFILE; }

std::string more_files_hint() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return "close what else is open";
  return fmt::format("it may have {} open at once; ulimit -n allows more", limit.rlim_cur);
}

std::unexpected<Diagnostic> refuse_file(const FileKind& kind, std::string_view verb, int reason,
                                        const std::filesystem::path& file) {
  Cause cause = cause_of(reason, kind.unreachable);
  return fail(cause.code,
              fmt::format("{} cannot be {}: {}", kind.noun, verb, std::strerror(reason)),
              file.string(), std::move(cause.hint));
}

}  // namespace loopglass
