// Object code that outlives its process: a folder of files, one a key, bounded.
//
// Any number of processes may use one folder at once. A file is there whole or not at all, and
// carries a digest of what is in it: what is not as it was written, however that came about, counts
// as missing and is written anew. Where nothing can be kept (no folder, no space) everything is
// compiled, as without a cache.
#pragma once

#include "core/codegen/object_code.h"

#include <filesystem>
#include <mutex>
#include <optional>

namespace loopglass::codegen {

class ObjectCache {
 public:
  static constexpr std::int64_t default_limit = 256 << 20;  // some thousand kernels

  // The folder need not be there. `limit`: bytes of all files; what was asked for least recently
  // goes first.
  explicit ObjectCache(std::filesystem::path folder, std::int64_t limit = default_limit);

  std::optional<ObjectCode> find(const CodeKey& key) const;
  // FileUnwritable.
  Result<void> keep(const CodeKey& key, const ObjectCode& code);

 private:
  std::filesystem::path file_of(const CodeKey& key) const;
  void count_bytes(std::int64_t added);

  const std::filesystem::path folder_;
  const std::int64_t limit_;
  std::mutex mutex_;
  std::optional<std::int64_t> bytes_;  // in the folder, about: others write as well
};

}  // namespace loopglass::codegen
