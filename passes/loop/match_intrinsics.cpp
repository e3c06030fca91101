#include "passes/loop/match_intrinsics.h"

#include "core/loop/annotations.h"
#include "core/loop/intrinsics.h"
#include "core/loop/rewrite.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

namespace {

class MatchingIntrinsics {
 public:
  MatchingIntrinsics(const Func& func, pass::Report& report)
      : buffers_(buffers_of(func)), report_(report) {}

  Stmt run(const Stmt& stmt) {
    const Annotation* note = find_annotation(stmt->annotations, intrinsic_annotation);
    const For* node = as<For>(stmt);
    if (note) {
      const std::string objection = objection_to(stmt);
      if (!objection.empty()) return run(without_note(stmt, *note, objection));
      report_.rewrite({"call-intrinsic", {}, {}, node->variable});
      report_.remark({pass::RemarkKind::Applied,
                      "INTRINSIC",
                      node->variable,
                      {},
                      fmt::format("the nest at '{}' is run by '{}'", node->variable, note->value)});
      return stmt;
    }
    const bool is_vector = node && node->kind == ForKind::Vectorized;
    const For* outer = std::exchange(vector_, is_vector ? node : vector_);
    Stmt result = map_children(stmt, [&](const Stmt& child) { return run(child); });
    vector_ = outer;
    return result;
  }

 private:
  std::string objection_to(const Stmt& stmt) const {
    if (vector_) return fmt::format("it stands in the lanes of '{}'", vector_->variable);
    const auto call = noted_intrinsic(stmt, buffers_);
    return call ? std::string() : call.error();
  }

  Stmt without_note(const Stmt& stmt, const Annotation& note, const std::string& objection) {
    const For* node = as<For>(stmt);
    const std::string place = node ? node->variable : std::string("a statement");
    report_.rewrite({"drop-intrinsic", {}, {}, place});
    report_.remark(
        {pass::RemarkKind::Missed,
         "NO_INTRINSIC",
         place,
         {},
         fmt::format("'{}' runs as loops, not as '{}': {}", place, note.value, objection)});
    Annotations left = stmt->annotations;
    std::erase_if(left, [](const Annotation& a) { return a.key == intrinsic_annotation; });
    return with_annotations(stmt, std::move(left));
  }

  const std::vector<Buffer> buffers_;
  pass::Report& report_;
  const For* vector_ = nullptr;  // the vectorised loop around
};

}  // namespace

Result<loop::Func> match_intrinsics(const loop::Func& func, pass::Report& report) {
  return with_body(func, func.body ? MatchingIntrinsics(func, report).run(func.body) : nullptr);
}

pass::Words match_intrinsics_words() {
  return {
      {pass::Word::Kind::Rule, "call-intrinsic",
       "Loops that a schedule tensorized become one instruction of the machine."},
      {pass::Word::Kind::Rule, "drop-intrinsic", "Loops that a schedule tensorized stay loops."},
      {pass::Word::Kind::Remark, "INTRINSIC",
       "The loops are run by the instruction that the schedule asks for."},
      {pass::Word::Kind::Remark, "NO_INTRINSIC",
       "The loops run as loops, for they are not what the instruction computes; why stands beside "
       "it."}};
}

}  // namespace loopglass::passes
