// Why a file could not be opened, read or written, by what the system said: each cause that a
// person can do something about has a code of its own, and a word on what.
#pragma once

#include "core/support/result.h"

#include <filesystem>

namespace loopglass {

// What a file is to whoever asks for it, and the code of a refusal that has no better one.
struct FileKind {
  Code unreachable = Code::FileUnwritable;
  std::string_view noun = "the file";  // "the session"
};

// "the session cannot be written: No space left on device", for an errno. DiskFull,
// PermissionMissing, OpenFilesExhausted, or the kind's own code.
std::unexpected<Diagnostic> refuse_file(const FileKind& kind, std::string_view verb, int reason,
                                        const std::filesystem::path& file);

// Whether the process, or the machine, has as many files open as it may.
bool is_out_of_files(int reason);
// How many files the process may have open, and how to allow more.
std::string more_files_hint();

}  // namespace loopglass
