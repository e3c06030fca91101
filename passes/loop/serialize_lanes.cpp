#include "passes/loop/serialize_lanes.h"

#include "core/expr/rewrite.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::passes {

using namespace loop;

namespace {

// The first store of the loop that its lanes would make to one element, each another; null: none.
const Store* meeting_store(const For& node) {
  const std::string& lane = node.variable;
  const Store* found = nullptr;
  loop::walk(node.body, [&](const Stmt& stmt) {
    const Store* store = as<Store>(stmt);
    if (found || !store) return;
    const bool one_element =
        std::none_of(store->indices.begin(), store->indices.end(),
                     [&](const Expr& index) { return expr::uses_variable(index, lane); });
    if (one_element &&
        (expr::uses_variable(store->value, lane) || loop::loads(store->value, store->buffer)))
      found = store;
  });
  return found;
}

Stmt serialized(const Stmt& stmt, pass::Report& report) {
  const For* node = as<For>(stmt);
  const Store* store = node && node->kind == ForKind::Vectorized ? meeting_store(*node) : nullptr;
  if (!store)
    return map_children(stmt, [&](const Stmt& child) { return serialized(child, report); });
  report.rewrite({"run-serially", {}, {}, node->variable});
  report.remark({pass::RemarkKind::Missed,
                 "LANES_MEET",
                 node->variable,
                 {},
                 fmt::format("'{}' runs serially: its lanes store into one element of '{}'",
                             node->variable, store->buffer)});
  return loop::over(loop::of_kind(*node, ForKind::Serial), node->body);
}

}  // namespace

Result<loop::Func> serialize_lanes(const loop::Func& func, pass::Report& report) {
  return with_body(func, func.body ? serialized(func.body, report) : nullptr);
}

pass::Words serialize_lanes_words() {
  return {{pass::Word::Kind::Rule, "run-serially", "A vectorized loop becomes a serial one."},
          {pass::Word::Kind::Remark, "LANES_MEET",
           "A vectorized loop runs serially: its lanes store into one element."}};
}

}  // namespace loopglass::passes
