// One process at a time, for what is read, changed and written again.
#pragma once

#include "core/support/file_refusal.h"

#include <filesystem>
#include <optional>

namespace loopglass {

// Held until it goes away, or its process does, however that ends. The lock is a file of its own
// beside the one that it guards, and stays there: a file that is put in another's place would take
// a lock on that one with it.
class FileLock {
 public:
  // Waits for whoever holds it. Makes the folder. Refused as refuse_file says.
  static Result<FileLock> take(const std::filesystem::path& guarded, const FileKind& kind = {});
  // Nothing where somebody else holds it.
  static Result<std::optional<FileLock>> try_take(const std::filesystem::path& guarded,
                                                  const FileKind& kind = {});
  // Whether somebody holds it now; makes nothing.
  static bool is_taken(const std::filesystem::path& guarded);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace loopglass
