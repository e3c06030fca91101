// Files that are there whole or not at all: readers never see half of one, and a writer that is
// killed leaves the old one, or none.
//
// What is being written has no name where the file system can do without one. Where it needs one it
// is FILE.NUMBER.partial, locked for as long as its writer lives: a lock goes with its process,
// however that ends, so whoever writes next can tell what nobody will finish, and removes it.
// Devices and pipes (/dev/stdout) are written to, and stay what they are.
#pragma once

#include "core/support/file_refusal.h"

#include <filesystem>

namespace loopglass {

class WholeFile {
 public:
  // The folder must be there. Refused as refuse_file says. Drops what was written unless
  // `put_in_place` is called.
  static Result<WholeFile> create(const std::filesystem::path& path, const FileKind& kind = {});
  ~WholeFile();
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;

  int descriptor() const { return descriptor_; }
  Result<void> write(std::string_view text);
  // Under its name, in place of what there was.
  Result<void> put_in_place();
  // For the reason that the system gave last.
  std::unexpected<Diagnostic> refusal(int reason) const;

 private:
  WholeFile(std::filesystem::path path, const FileKind& kind)
      : path_(std::move(path)), kind_(kind) {}

  std::filesystem::path path_, partial_;  // `partial_`: empty while it has no name
  FileKind kind_;
  bool is_stream_ = false;  // a device or a pipe, which is written to as it is
  int descriptor_ = -1;
};

// The folder that a file is to lie in, of files that nobody but the program names: where a person
// names one, a folder that is not there is a slip of the pen.
Result<void> make_folder_of(const std::filesystem::path& file, const FileKind& kind = {});

// The folder must be there.
Result<void> write_file(const std::filesystem::path& file, std::string_view text,
                        const FileKind& kind = {});

// Removes what killed writers left of files in this folder whose names begin so.
void remove_abandoned(const std::filesystem::path& folder, std::string_view prefix = "");

}  // namespace loopglass
