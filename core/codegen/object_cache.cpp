#include "core/codegen/object_cache.h"

#include "core/support/file_lock.h"
#include "core/support/whole_file.h"

#include <llvm/Support/BLAKE3.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace loopglass::codegen {
namespace {

namespace fs = std::filesystem;

using Digest = std::array<std::uint8_t, 32>;

// A file: this, the digest of all that follows from the key on, a line of what the workspace takes,
// the code.
constexpr std::string_view magic = "loopglass object code 2\n";
constexpr std::size_t header_bytes = magic.size() + sizeof(Digest);
constexpr std::string_view ending = ".o";
// More than any kernel: what is larger is no file of ours.
constexpr std::int64_t largest_file = 64 << 20;

// Of what stands behind it. Two keys' files exchanged would be found out as well.
Digest digest_of(const CodeKey& key, std::string_view content) {
  llvm::BLAKE3 hash;
  hash.update(key.digest);
  hash.update(llvm::StringRef(content));
  return hash.final();
}

std::string file_text(const CodeKey& key, const ObjectCode& code) {
  const std::string content = code.workspace.text() + "\n" + code.bytes;
  const Digest digest = digest_of(key, content);
  std::string text(magic);
  text.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return text += content;
}

std::optional<ObjectCode> parse(const CodeKey& key, std::string text) {
  if (text.size() < header_bytes || !text.starts_with(magic)) return std::nullopt;
  Digest digest;
  std::memcpy(digest.data(), text.data() + magic.size(), digest.size());
  if (digest_of(key, std::string_view(text).substr(header_bytes)) != digest) return std::nullopt;
  const std::size_t line = text.find('\n', header_bytes);
  if (line == std::string::npos) return std::nullopt;
  const auto workspace =
      WorkspaceSize::parse(std::string_view(text).substr(header_bytes, line - header_bytes));
  if (!workspace) return std::nullopt;
  text.erase(0, line + 1);
  return ObjectCode{std::move(text), *workspace};
}

// A regular file, whole; nothing for whatever else may lie there, which could be endless or make
// one wait.
std::optional<std::string> contents(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  std::optional<std::string> text;
  struct stat status {};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= largest_file) {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t at = 0; text && at < text->size();) {
      const ssize_t count = ::read(file, text->data() + at, text->size() - at);
      if (count > 0) at += static_cast<std::size_t>(count);
      else if (count == 0 || errno != EINTR) text.reset();
    }
  }
  ::close(file);
  return text;
}

bool is_hexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

struct CachedFile {
  fs::path path;
  fs::file_time_type used;
  std::int64_t bytes;
};

// Those that the cache has made, by their names: what else lies in the folder is somebody's. Files
// that go while one looks, and folders that may not be read, are not there.
std::vector<CachedFile> files_below(const fs::path& folder) {
  std::vector<CachedFile> files;
  const auto look = [&](const fs::path& in, const auto& visit) {
    std::error_code error;
    for (fs::directory_iterator at(in, error), end; !error && at != end; at.increment(error))
      visit(*at);
  };
  look(folder, [&](const fs::directory_entry& prefix) {
    const std::string begin = prefix.path().filename().string();
    if (begin.size() != 2 || !is_hexadecimal(begin)) return;
    look(prefix.path(), [&](const fs::directory_entry& entry) {
      const std::string name = entry.path().filename().string();
      if (name.size() != 62 + ending.size() || !name.ends_with(ending) ||
          !is_hexadecimal(std::string_view(name).substr(0, 62)))
        return;
      std::error_code gone;
      if (!entry.is_regular_file(gone) || entry.is_symlink(gone)) return;
      const auto bytes = entry.file_size(gone);
      const auto used = gone ? fs::file_time_type{} : entry.last_write_time(gone);
      if (!gone) files.push_back({entry.path(), used, static_cast<std::int64_t>(bytes)});
    });
  });
  return files;
}

// By one clock: that of file systems lags behind it by some milliseconds. A folder that is only
// read is of use, too.
void mark_used(const fs::path& file) {
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
}

std::int64_t bytes_of(const std::vector<CachedFile>& files) {
  std::int64_t bytes = 0;
  for (const CachedFile& file : files) bytes += file.bytes;
  return bytes;
}

}  // namespace

ObjectCache::ObjectCache(fs::path folder, std::int64_t limit)
    : folder_(std::move(folder)), limit_(limit) {}

// In folders of few files each, because some file systems are slow with many.
fs::path ObjectCache::file_of(const CodeKey& key) const {
  const std::string name = key.text();
  return folder_ / name.substr(0, 2) / (name.substr(2) + std::string(ending));
}

std::optional<ObjectCode> ObjectCache::find(const CodeKey& key) const {
  const fs::path path = file_of(key);
  auto text = contents(path);
  if (!text) return std::nullopt;
  auto code = parse(key, *std::move(text));
  if (code) mark_used(path);
  return code;
}

Result<void> ObjectCache::keep(const CodeKey& key, const ObjectCode& code) {
  const std::string text = file_text(key, code);
  TRY_VOID(make_folder_of(file_of(key)));
  TRY_VOID(write_file(file_of(key), text));
  mark_used(file_of(key));
  count_bytes(static_cast<std::int64_t>(text.size()));
  return {};
}

// Whoever finds the folder too large makes room for a while, while others go on.
void ObjectCache::count_bytes(std::int64_t added) {
  std::lock_guard lock(mutex_);
  bytes_ = bytes_ ? *bytes_ + added : bytes_of(files_below(folder_));
  if (*bytes_ <= limit_) return;
  const auto sweeping = FileLock::try_take(folder_ / "sweep");
  if (!sweeping || !*sweeping) return;
  std::vector<CachedFile> files = files_below(folder_);
  std::ranges::sort(files, {}, &CachedFile::used);
  bytes_ = bytes_of(files);
  for (const CachedFile& file : files) {
    if (*bytes_ <= limit_ / 4 * 3) break;
    std::error_code refused;  // another user's
    if (fs::remove(file.path, refused)) *bytes_ -= file.bytes;
  }
}

}  // namespace loopglass::codegen
