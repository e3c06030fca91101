#include "core/codegen/generator_version.h"
#include "core/codegen/object_code.h"
#include "core/codegen/target.h"
#include "core/loop/nameless_form.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/BLAKE3.h>

#include <cstring>

namespace loopglass::codegen {
namespace {

// Each with its length, so that no two of them can be taken for two others.
void add(llvm::BLAKE3& hash, std::string_view text) {
  const std::uint64_t size = text.size();
  hash.update({reinterpret_cast<const std::uint8_t*>(&size), sizeof(size)});
  hash.update(llvm::StringRef(text));
}

// Everything of the options, as text.
std::string text_of(const CompileOptions& options) {
  std::string text = fmt::format("O{}", options.optimisation_level);
  for (const schedule::InPlace& pair : options.in_place)
    text += fmt::format(" {}:{}", pair.read, pair.written);
  for (const std::string& pass : options.llvm_passes.without) text += " without " + pass;
  if (options.llvm_passes.runs) text += fmt::format(" runs {}", *options.llvm_passes.runs);
  return text;
}

}  // namespace

std::string CodeKey::text() const {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::uint64_t CodeKey::short_form() const {
  std::uint64_t value;
  std::memcpy(&value, digest.data(), sizeof(value));
  return value;
}

CodeKey code_key(const loop::Func& lowered, const CompileOptions& options) {
  const Target& target = host_target();
  llvm::BLAKE3 hash;
  add(hash, generator_version);
  add(hash, LLVM_VERSION_STRING);
  add(hash, target.triple);
  add(hash, target.processor);
  add(hash, target.features);
  add(hash, text_of(options));
  add(hash, loop::nameless_form(lowered).bytes);
  return {hash.final()};
}

}  // namespace loopglass::codegen
