#include "core/codegen/llvm_remarks.h"

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace loopglass::codegen {
namespace {

using Said = llvm::DiagnosticInfoOptimizationBase;

pass::RemarkKind kind_of(const Said& said) {
  if (said.isPassed()) return pass::RemarkKind::Applied;
  return said.isMissed() ? pass::RemarkKind::Missed : pass::RemarkKind::Note;
}

// Inventories, of many lines each: the instructions of every block, after every pass and in the
// end, and what lies where in a frame. Listings show that.
bool is_inventory(llvm::StringRef pass) {
  return pass == "size-info" || pass == "asm-printer" || pass == "stack-frame-layout";
}

// Words of the sentence may be numbers, too, but have no name.
std::optional<double> number_of(const Said::Argument& argument) {
  const char* end = argument.Val.data() + argument.Val.size();
  double value = 0;
  if (argument.Key == "String") return std::nullopt;
  const auto read = std::from_chars(argument.Val.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(value) : std::nullopt;
}

// In one line, costs as one reads them ("4.625", not "4.625000e+00"), and with the function's name
// where LLVM leaves it to whoever looks at the function: of a kernel there are several.
std::string sentence_of(const Said& said) {
  std::string text;
  // Arguments behind those of the sentence are for other readers.
  std::size_t left = said.getMsg().size();
  for (const Said::Argument& argument : said.getArgs()) {
    if (left < argument.Val.size() || left == 0) break;
    left -= argument.Val.size();
    const auto number = number_of(argument);
    text += number ? fmt::format("{:.7g}", *number) : argument.Val;
  }
  if (text.ends_with(" in function"))
    text += fmt::format(" '{}'", std::string_view(said.getFunction().getName()));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::pair<std::string, double>> numbers_of(const Said& said) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const Said::Argument& argument : said.getArgs())
    if (const auto number = number_of(argument)) numbers.emplace_back(argument.Key, *number);
  return numbers;
}

}  // namespace

class RemarkCollector::Handler : public llvm::DiagnosticHandler {
 public:
  explicit Handler(std::shared_ptr<LlvmRemarks> said) : said_(std::move(said)) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* said = llvm::dyn_cast<Said>(&info);
    if (!said) return false;
    if (is_inventory(said->getPassName())) return true;  // not all ask before they speak
    const int line =
        said->isLocationAvailable() ? static_cast<int>(said->getLocation().getLine()) : 0;
    said_->push_back(
        {said->getPassName().str(),
         line,
         1,
         {kind_of(*said), said->getRemarkName().str(), said->getFunction().getName().str(),
          numbers_of(*said), sentence_of(*said)}});
    return true;
  }

  bool isAnyRemarkEnabled() const override { return true; }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override { return true; }
  bool isMissedOptRemarkEnabled(llvm::StringRef) const override { return true; }
  bool isAnalysisRemarkEnabled(llvm::StringRef pass) const override { return !is_inventory(pass); }

 private:
  std::shared_ptr<LlvmRemarks> said_;
};

RemarkCollector::RemarkCollector(llvm::LLVMContext& context)
    : context_(context), said_(std::make_shared<LlvmRemarks>()) {
  context_.setDiagnosticHandler(std::make_unique<Handler>(said_));
}

RemarkCollector::~RemarkCollector() {
  context_.setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
}

LlvmRemarks RemarkCollector::take() && {
  LlvmRemarks remarks;
  std::map<std::tuple<int, std::string, std::string, std::string>, std::size_t> known;
  for (LlvmRemark& said : *said_) {
    const auto [at, is_new] = known.try_emplace(
        {said.loop_line, said.pass, said.remark.code, said.remark.text}, remarks.size());
    if (is_new) remarks.push_back(std::move(said));
    else ++remarks[at->second].times;
  }
  said_->clear();
  std::ranges::stable_sort(remarks, {}, &LlvmRemark::loop_line);
  return remarks;
}

}  // namespace loopglass::codegen
