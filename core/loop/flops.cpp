#include "core/loop/flops.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/support/overloaded.h"
#include "core/te/flops.h"

#include <algorithm>

namespace loopglass::loop {

namespace {

class Count {
 public:
  explicit Count(const std::map<std::string, std::int64_t>& symbols) {
    for (const auto& [symbol, value] : symbols) ranges_[symbol] = {value, value};
  }

  std::int64_t of(const Stmt& stmt) {
    if (!stmt) return 0;
    return std::visit(
        Overloaded{
            [&](const For& node) { return loop(node); },
            [&](const Block& node) { return of(node.body); },
            [&](const Store& node) { return te::operations(node.value); },
            [&](const If& node) { return std::max(of(node.then_body), of(node.else_body)); },
            [&](const Alloc& node) { return of(node.body); },
            [&](const Prefetch&) { return std::int64_t{0}; },
            [&](const Seq& node) {
              std::int64_t sum = 0;
              for (const Stmt& inner : node.statements) sum += of(inner);
              return sum;
            },
        },
        stmt->value);
  }

 private:
  std::int64_t loop(const For& node) {
    const auto extent = expr::bounds(node.extent, ranges_).value_or(expr::Interval{1, 1});
    const std::int64_t most = std::max<std::int64_t>(extent.max, 0);
    ranges_[node.variable] = {0, std::max<std::int64_t>(most - 1, 0)};
    const std::int64_t body = of(node.body);
    ranges_.erase(node.variable);
    return (std::max<std::int64_t>(extent.min, 0) + most) * body / 2;
  }

  expr::Ranges ranges_;
};

}  // namespace

std::int64_t flops(const Func& func, const std::map<std::string, std::int64_t>& symbols) {
  return Count(symbols).of(func.body);
}

}  // namespace loopglass::loop
