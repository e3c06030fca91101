#include "core/codegen/code_places.h"

#include "core/codegen/emit.h"
#include "core/codegen/innermost_code.h"
#include "core/codegen/machine_tables.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::codegen {
namespace {

std::unexpected<Diagnostic> refused(const std::string& what) {
  return fail(Code::CodegenFailed, what, {},
              "the machine code and its listing are not of one kernel");
}

// Reads instructions, in the notation of our listings.
class Reader {
 public:
  Reader() : tables_(machine_tables("")) {
    const llvm::Triple& triple = tables_.processor->getTargetTriple();
    context_ = std::make_unique<llvm::MCContext>(triple, tables_.notation.get(),
                                                 tables_.registers.get(), tables_.processor.get());
    disassembler_.reset(tables_.target->createMCDisassembler(*tables_.processor, *context_));
    printer_.reset(tables_.target->createMCInstPrinter(triple, intel_dialect, *tables_.notation,
                                                       *tables_.instructions, *tables_.registers));
  }

  bool can_read() const { return disassembler_ && printer_; }

  struct Instruction {
    std::uint64_t bytes = 0;
    std::string word;  // "vfmadd231ps"
  };
  std::optional<Instruction> read(llvm::ArrayRef<std::uint8_t> bytes, std::uint64_t address) const {
    llvm::MCInst instruction;
    Instruction found;
    if (disassembler_->getInstruction(instruction, found.bytes, bytes, address, llvm::nulls()) !=
        llvm::MCDisassembler::Success)
      return std::nullopt;
    std::string text;
    llvm::raw_string_ostream stream(text);
    printer_->printInst(&instruction, address, "", *tables_.processor, stream);
    found.word = instruction_of(text);
    return found;
  }

 private:
  const MachineTables tables_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

// The section that the entry point lies in, and where.
struct Text {
  llvm::StringRef bytes;
  std::uint64_t entry = 0;
};

// nullopt: LLVM could not read it; that is of no interest.
template <class T>
std::optional<T> known(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

Result<Text> text_of(const llvm::object::ObjectFile& object) {
  for (const llvm::object::SymbolRef& symbol : object.symbols()) {
    if (known(symbol.getName()).value_or("") != entry_symbol) continue;
    const auto section = known(symbol.getSection());
    const auto address = known(symbol.getAddress());
    if (!section || !address || *section == object.section_end()) break;
    const auto bytes = known((*section)->getContents());
    if (bytes) return Text{*bytes, *address - (*section)->getAddress()};
  }
  return refused("the machine code has no entry point");
}

}  // namespace

std::optional<std::size_t> CodePlaces::line_at(std::int64_t offset) const {
  const auto next = std::ranges::upper_bound(places_, offset, {}, &Place::offset);
  if (next == places_.begin() || offset >= end_) return std::nullopt;
  return std::prev(next)->line;
}

Result<CodePlaces> code_places(const ObjectCode& code, const SourceLines& assembly) {
  const Reader reader;
  if (!reader.can_read())
    return fail(Code::CodegenUnsupported, "LLVM cannot read this processor's machine code back");
  const auto object = known(
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(code.bytes, "kernel")));
  if (!object) return refused("the machine code is no object file");
  const Text text = TRY(text_of(**object));
  const auto bytes = llvm::arrayRefFromStringRef<std::uint8_t>(text.bytes);
  std::vector<CodePlaces::Place> places;
  std::uint64_t at = 0;
  for (std::size_t line = 0; line < assembly.size(); ++line) {
    const std::string_view word = instruction_of(assembly[line].text);
    if (word.empty()) continue;
    while (true) {
      const auto found = reader.read(bytes.slice(std::min<std::size_t>(at, bytes.size())), at);
      if (!found)
        return refused(fmt::format("there is no instruction for line {} at byte {}", line + 1, at));
      const std::uint64_t begin = at;
      at += found->bytes;
      if (found->word == word) {
        places.push_back(
            {static_cast<std::int64_t>(begin) - static_cast<std::int64_t>(text.entry), line});
        break;
      }
      // What fills the way to the next aligned block.
      if (found->word.starts_with("nop") || found->word == "int3" ||
          found->word.starts_with("data16"))
        continue;
      return refused(fmt::format("line {} is '{}', and the machine code has '{}' there", line + 1,
                                 word, found->word));
    }
  }
  return CodePlaces(std::move(places),
                    static_cast<std::int64_t>(at) - static_cast<std::int64_t>(text.entry));
}

}  // namespace loopglass::codegen
