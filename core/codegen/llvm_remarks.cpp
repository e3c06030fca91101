#include "core/codegen/llvm_remarks.h"

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>

#include <algorithm>
#include <charconv>
#include <map>
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

// In one line.
std::string sentence_of(const Said& said) {
  std::string text = said.getMsg();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::vector<std::pair<std::string, double>> numbers_of(const Said& said) {
  std::vector<std::pair<std::string, double>> numbers;
  for (const Said::Argument& argument : said.getArgs()) {
    const char* end = argument.Val.data() + argument.Val.size();
    double value = 0;
    // Words of the sentence may be numbers, too, but have no name.
    if (argument.Key == "String") continue;
    if (const auto read = std::from_chars(argument.Val.data(), end, value);
        read.ec == std::errc{} && read.ptr == end)
      numbers.emplace_back(argument.Key, value);
  }
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
