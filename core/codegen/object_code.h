// Machine code as bytes, and what it is known by. Making it and loading it are two things: bytes
// are kept on disk (object_cache.h) and can be handed to another process.
#pragma once

#include "core/codegen/kernel.h"

#include <array>
#include <string>

namespace loopglass::codegen {

struct ObjectCode {
  std::string bytes;  // an ELF file; it defines the entry point and needs no symbol of ours
  WorkspaceSize workspace = {};
};

// CodegenUnsupported, CodegenFailed. `lowered` has no blocks. Thread-safe; different kernels may be
// compiled at the same time.
Result<ObjectCode> generate(const loop::Func& lowered, const CompileOptions& options = {});

// Into this process, for as long as the result lives. CodegenFailed where the bytes are not what
// generate() gives on this machine.
Result<std::shared_ptr<const CompiledKernel>> load(const ObjectCode& code);
// What a kernel was loaded from, to be loaded elsewhere.
const ObjectCode& code_of(const CompiledKernel& kernel);

// What object code follows from: a lowered Func's nameless form (loop/nameless_form.h), the
// options, the processor, LLVM's version and the sources of this code generator. Equal keys, equal
// code, in every process and for good; BLAKE3, so that two kernels never share one by chance.
struct CodeKey {
  std::array<std::uint8_t, 32> digest{};

  std::string text() const;          // 64 hexadecimal digits
  std::uint64_t short_form() const;  // for tables of one process
  friend bool operator==(const CodeKey&, const CodeKey&) = default;
};
CodeKey code_key(const loop::Func& lowered, const CompileOptions& options = {});

}  // namespace loopglass::codegen
