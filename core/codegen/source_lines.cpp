#include "core/codegen/source_lines.h"

#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace loopglass::codegen {
namespace {

constexpr char marker = '\x01';

int line_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  if (!location) return 0;
  while (const llvm::DILocation* caller = location->getInlinedAt()) location = caller;
  return static_cast<int>(location->getLine());
}

// Writes a marker line with the loop line before every instruction, to be taken out again.
class LineMarks : public llvm::AssemblyAnnotationWriter {
 public:
  void emitInstructionAnnot(const llvm::Instruction* instruction,
                            llvm::formatted_raw_ostream& out) override {
    out << marker << line_of(*instruction) << '\n';
  }
  void emitBasicBlockStartAnnot(const llvm::BasicBlock*,
                                llvm::formatted_raw_ostream& out) override {
    out << marker << "0\n";
  }
  void emitBasicBlockEndAnnot(const llvm::BasicBlock*, llvm::formatted_raw_ostream& out) override {
    out << marker << "0\n";
  }
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// Where "!12" at `at` ends; `at` itself where there is none.
std::size_t end_of_number(std::string_view line, std::size_t at) {
  if (at + 1 >= line.size() || line[at] != '!' || !is_digit(line[at + 1])) return at;
  for (++at; at < line.size() && is_digit(line[at]); ++at) {
  }
  return at;
}

template <class Function>
void for_each_line(std::string_view text, Function&& function) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    function(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

// No blank lines at the ends nor two in a row.
void push_line(SourceLines& lines, std::string text, int loop_line) {
  if (text.empty() && (lines.empty() || lines.back().text.empty())) return;
  lines.push_back({std::move(text), loop_line});
}
void trim_end(SourceLines& lines) {
  while (!lines.empty() && lines.back().text.empty()) lines.pop_back();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// ".loc 1 5 0 # ..." -> 5.
int location_line(std::string_view directive) {
  std::istringstream words{std::string(directive)};
  std::string word;
  int file = 0, line = 0;
  words >> word >> file >> line;
  return line;
}

bool is_data_directive(std::string_view text) {
  for (std::string_view name : {".long", ".quad", ".short", ".byte", ".zero", ".ascii", ".asciz"})
    if (text.starts_with(name) && text.size() > name.size() &&
        (text[name.size()] == '\t' || text[name.size()] == ' '))
      return true;
  return false;
}

// The label that a line "name:" defines; empty if it is no such line.
std::string_view label_of(std::string_view text) {
  std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.empty() || text.front() == '#' ||
      text.find_first_of(" \t\"") < colon)
    return {};
  return text.substr(0, colon);
}

struct AssemblyLine {
  std::string_view label;  // of a label line
  std::string text;
  int loop_line;
};

// Names like .LBB0_3 that occur in the operands of a line.
void collect_references(std::string_view text, std::set<std::string, std::less<>>& names) {
  for (std::size_t at = text.find(".L"); at != std::string_view::npos;
       at = text.find(".L", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    names.emplace(text.substr(at, end - at));
  }
}

std::string instruction_text(std::string_view text) {
  std::string line = "    ";
  for (char c : text) line += c == '\t' ? ' ' : c;
  return line;
}

}  // namespace

void strip_references(std::string& line) {
  for (std::size_t begin = line.find(" !"); begin != std::string::npos;
       begin = line.find(" !", begin)) {
    std::size_t name_end = begin + 2;
    while (name_end < line.size() && (std::isalpha(static_cast<unsigned char>(line[name_end])) ||
                                      line[name_end] == '.' || line[name_end] == '_'))
      ++name_end;
    const std::size_t end =
        name_end > begin + 2 && name_end < line.size() ? end_of_number(line, name_end + 1) : 0;
    if (end <= name_end + 1) {
      begin += 2;
      continue;
    }
    if (begin > 0 && line[begin - 1] == ',') --begin;
    line.erase(begin, end - begin);
  }
  const std::size_t group = line.find(" #");
  if (group == std::string::npos) return;
  std::size_t end = group + 2;
  while (end < line.size() && is_digit(line[end])) ++end;
  line.erase(group, end - group);
}

void list_function(const llvm::Function& function, SourceLines& lines) {
  std::string text;
  llvm::raw_string_ostream out(text);
  LineMarks marks;
  function.print(out, &marks);
  out.flush();
  int loop_line = 0;
  for_each_line(text, [&](std::string_view line) {
    if (!line.empty() && line.front() == marker) {
      std::from_chars(line.data() + 1, line.data() + line.size(), loop_line);
      return;
    }
    if (line.starts_with("; Function Attrs")) return;
    std::string kept(line);
    strip_references(kept);
    push_line(lines, std::move(kept), loop_line);
  });
  trim_end(lines);
}

SourceLines list_module(const llvm::Module& module) {
  SourceLines lines;
  for (const llvm::GlobalVariable& global : module.globals()) {
    std::string text;
    llvm::raw_string_ostream out(text);
    global.print(out);
    push_line(lines, std::move(text), 0);
  }
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    push_line(lines, "", 0);
    list_function(function, lines);
  }
  push_line(lines, "", 0);
  for (const llvm::Function& function : module)
    if (function.isDeclaration()) list_function(function, lines);
  trim_end(lines);
  return lines;
}

SourceLines list_assembly(std::string_view assembly) {
  std::vector<AssemblyLine> all;
  std::set<std::string, std::less<>> referenced;
  int loop_line = 0;
  bool debug_section = false;
  for_each_line(assembly, [&](std::string_view raw) {
    std::string_view text = trimmed(raw);
    if (text.starts_with(".section") || text.starts_with(".text") || text.starts_with(".data") ||
        text.starts_with(".bss")) {
      debug_section = text.find(".debug") != std::string_view::npos;
      loop_line = 0;
    }
    if (text.empty() || debug_section || text.front() == '#') return;
    if (text.starts_with(".loc")) {
      loop_line = location_line(text);
      return;
    }
    if (std::string_view label = label_of(text); !label.empty()) {
      all.push_back({label, std::string(label) + ':', 0});
      return;
    }
    bool data = is_data_directive(text);
    if (text.front() == '.' && !data) return;
    collect_references(text, referenced);
    all.push_back({{}, instruction_text(text), data ? 0 : loop_line});
  });
  SourceLines lines;
  for (AssemblyLine& line : all) {
    bool local = line.label.starts_with(".L");
    if (local && !referenced.contains(line.label)) continue;
    if (!line.label.empty() && !local) push_line(lines, "", 0);
    push_line(lines, std::move(line.text), line.loop_line);
  }
  trim_end(lines);
  return lines;
}

}  // namespace loopglass::codegen
