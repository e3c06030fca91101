#include "passes/loop/expand_lane_buffers.h"

#include "core/loop/reindex.h"
#include "core/loop/rewrite.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::passes {

using namespace loop;

namespace {

bool has_constant_size(const Buffer& buffer) {
  return std::ranges::all_of(buffer.shape,
                             [](const Expr& e) { return expr::as_integer(e).has_value(); });
}

Stmt expanded(const Stmt& stmt, const For& lanes, pass::Report& report) {
  std::vector<Buffer> buffers;
  // A size that is not known cannot be told outside the loop.
  Stmt body = rewrite(lanes.body, [&](const Stmt& inner) -> Stmt {
    const Alloc* alloc = as<Alloc>(inner);
    if (!alloc || !has_constant_size(alloc->buffer)) return inner;
    buffers.push_back(alloc->buffer);
    return alloc->body;
  });
  if (buffers.empty()) return stmt;
  const Expr lane = expr::variable(lanes.variable);
  for (Buffer& buffer : buffers) {
    body = loop::reindex(body, buffer.name, [&](std::vector<Expr> indices) {
      indices.push_back(lane);
      return indices;
    });
    buffer.shape.push_back(lanes.extent);
    report.rewrite({"expand", {}, {}, buffer.name});
    report.remark({pass::RemarkKind::Note,
                   "BUFFER_PER_LANE",
                   buffer.name,
                   {{"lanes", static_cast<double>(*expr::as_integer(lanes.extent))}},
                   fmt::format("'{}' has a place for each of the {} lanes of '{}'", buffer.name,
                               expr::to_string(lanes.extent), lanes.variable)});
  }
  Stmt result = loop::over(lanes, body);
  for (Buffer& buffer : buffers) result = make(Alloc{std::move(buffer), result});
  return result;
}

}  // namespace

Result<loop::Func> expand_lane_buffers(const loop::Func& func, pass::Report& report) {
  return with_body(
      func, rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
        const For* node = as<For>(stmt);
        if (!node || node->kind != loop::ForKind::Vectorized || !expr::as_integer(node->extent))
          return stmt;
        return expanded(stmt, *node, report);
      }));
}

pass::Words expand_lane_buffers_words() {
  return {{pass::Word::Kind::Rule, "expand",
           "A buffer of one vectorized iteration has a place for each lane."},
          {pass::Word::Kind::Remark, "BUFFER_PER_LANE",
           "A buffer that a vectorized loop allocates has a place for each of its lanes."}};
}

}  // namespace loopglass::passes
