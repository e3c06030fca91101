#include "passes/loop/limit_unrolling.h"

#include "core/expr/rewrite.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

namespace loopglass::passes {

using namespace loop;

namespace {

// Lanes beyond these are further statements.
constexpr std::int64_t lanes_at_once = 16;
// LLVM unrolls a loop in the copies of another one if no more statements than these come of it.
constexpr std::int64_t unrolled_by_llvm = 256;
constexpr std::int64_t very_many = std::int64_t{1} << 40;

std::int64_t times(std::int64_t count, std::int64_t statements) {
  std::int64_t product;
  return __builtin_mul_overflow(count, statements, &product) ? very_many
                                                             : std::min(product, very_many);
}

class Limiting {
 public:
  explicit Limiting(pass::Report& report) : report_(report) {}

  struct Limited {
    Stmt stmt;
    std::int64_t statements = 0;  // as emitted inside an unrolled loop
  };

  Limited run(const Stmt& stmt) {
    if (const For* node = loop::as<For>(stmt)) return loop(*node, stmt);
    std::int64_t statements = loop::as<loop::Store>(stmt) || is_asked(stmt) ? 1 : 0;
    const Stmt result = map_children(stmt, [&](const Stmt& child) {
      Limited limited = run(child);
      statements = std::min(very_many, statements + limited.statements);
      return limited.stmt;
    });
    return {result, statements};
  }

 private:
  Limited loop(const For& node, const Stmt& stmt) {
    if (node.kind == ForKind::Unrolled) written_out_.insert(node.variable);
    const Limited body = run(node.body);
    const Stmt same = with_children(stmt, {body.stmt});
    const auto extent = expr::as_integer(node.extent);
    const std::int64_t copies = extent ? times(*extent, body.statements) : very_many;
    switch (node.kind) {
      case ForKind::Vectorized:
        return {same,
                times((extent.value_or(1) + lanes_at_once - 1) / lanes_at_once, body.statements)};
      case ForKind::Unrolled:
        if (copies <= most_unrolled_statements || extent == 1) return {same, copies};
        tell(node, copies);
        return {loop::over(of_kind(node, ForKind::Serial), body.stmt), as_loop(copies, body)};
      default: return {same, as_loop(copies, body)};
    }
  }

  // A condition on nothing but loops that are written out is decided before anything runs.
  bool is_asked(const Stmt& stmt) const {
    const auto* node = loop::as<loop::If>(stmt);
    return node && !std::ranges::all_of(expr::variables_of(node->condition), [&](const auto& name) {
             return written_out_.contains(name);
           });
  }

  static std::int64_t as_loop(std::int64_t copies, const Limited& body) {
    return copies <= unrolled_by_llvm ? copies : body.statements + 1;
  }

  void tell(const For& node, std::int64_t statements) {
    report_.rewrite({"keep-loop", {}, {}, node.variable});
    report_.remark(
        {pass::RemarkKind::Missed,
         "UNROLL_OVER_BUDGET",
         node.variable,
         {{"statements", static_cast<double>(statements)},
          {"budget", static_cast<double>(most_unrolled_statements)}},
         fmt::format("'{}' stays a loop: unrolled it would be {} statements, more than {}",
                     node.variable, statements, most_unrolled_statements)});
  }

  pass::Report& report_;
  std::set<std::string> written_out_;
};

}  // namespace

Result<loop::Func> limit_unrolling(const loop::Func& func, pass::Report& report) {
  return with_body(func, Limiting(report).run(func.body).stmt);
}

pass::Words limit_unrolling_words() {
  return {{pass::Word::Kind::Rule, "keep-loop", "A loop that was to be unrolled stays a loop."},
          {pass::Word::Kind::Remark, "UNROLL_OVER_BUDGET",
           "A loop is not unrolled: it would be more statements than are worth the code."}};
}

}  // namespace loopglass::passes
