#include "core/loop/buffers.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/rewrite.h"

#include <algorithm>

namespace loopglass::loop {

namespace {

Stmt allocate_inside(const Stmt& stmt, Buffer& buffer) {
  if (const Alloc* alloc = as<Alloc>(stmt))
    return with_annotations(make(Alloc{alloc->buffer, allocate_inside(alloc->body, buffer)}),
                            stmt->annotations);
  return make(Alloc{std::move(buffer), stmt});
}

}  // namespace

Func with_allocation(const Func& func, Buffer buffer) {
  return with_body(func, allocate_inside(func.body, buffer));
}

Func without_allocation(const Func& func, const std::string& buffer) {
  return with_body(func, rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
                     const Alloc* alloc = as<Alloc>(stmt);
                     return alloc && alloc->buffer.name == buffer ? alloc->body : stmt;
                   }));
}

Func with_buffer(const Func& func, const Buffer& buffer) {
  Func result = func;
  for (Buffer& parameter : result.parameters)
    if (parameter.name == buffer.name) {
      parameter = buffer;
      return result;
    }
  result.body = rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
    const Alloc* alloc = as<Alloc>(stmt);
    return alloc && alloc->buffer.name == buffer.name
               ? with_annotations(make(Alloc{buffer, alloc->body}), stmt->annotations)
               : stmt;
  });
  return result;
}

bool is_parameter(const Func& func, const std::string& buffer) {
  return std::any_of(func.parameters.begin(), func.parameters.end(),
                     [&](const Buffer& parameter) { return parameter.name == buffer; });
}

std::optional<Shape> shape_of(const Buffer& buffer,
                              const std::map<std::string, std::int64_t>& symbols) {
  std::map<std::string, Expr> values;
  for (const auto& [symbol, value] : symbols) values.emplace(symbol, Expr(value));
  Shape shape;
  for (const Expr& extent : buffer.shape) {
    const auto value = expr::as_integer(expr::simplify(expr::substitute(extent, values)));
    if (!value || *value < 0) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

}  // namespace loopglass::loop
