#include "core/loop/symbols.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/rewrite.h"

#include <algorithm>

namespace loopglass::loop {

bool follows_from(const Expr& e, std::span<const std::string> symbols) {
  return std::ranges::all_of(expr::variables_of(e), [&](const std::string& variable) {
    return std::ranges::find(symbols, variable) != symbols.end();
  });
}

bool follows_from(const Buffer& buffer, std::span<const std::string> symbols) {
  return std::ranges::all_of(buffer.shape,
                             [&](const Expr& extent) { return follows_from(extent, symbols); });
}

std::map<std::string, std::int64_t> symbol_values(const Func& func,
                                                  std::span<const std::int64_t> extents) {
  std::map<std::string, std::int64_t> values;
  for (std::size_t i = 0; i < std::min(func.symbols.size(), extents.size()); ++i)
    values[func.symbols[i]] = extents[i];
  return values;
}

Func with_extents(const Func& func, const std::map<std::string, std::int64_t>& symbols) {
  Bindings values;
  for (const auto& [symbol, extent] : symbols) values.emplace(symbol, Expr(extent));
  const auto bind = [&](const Expr& e) { return expr::simplify(expr::substitute(e, values)); };
  Func result = with_body(func, rewrite_exprs(func.body, bind));
  result.body = rewrite(result.body, [&](const Stmt& stmt) -> Stmt {
    const auto* alloc = as<Alloc>(stmt);
    if (!alloc) return stmt;
    Alloc changed = *alloc;
    std::ranges::transform(changed.buffer.shape, changed.buffer.shape.begin(), bind);
    return with_annotations(make(std::move(changed)), stmt->annotations);
  });
  for (Buffer& parameter : result.parameters)
    std::ranges::transform(parameter.shape, parameter.shape.begin(), bind);
  result.symbols.clear();
  return result;
}

}  // namespace loopglass::loop
