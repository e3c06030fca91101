#include "passes/loop/flatten_buffers.h"

#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/support/overloaded.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

namespace {

Expr count_of(const std::vector<Expr>& shape) {
  Expr product(1);
  for (const Expr& extent : shape) product = product * extent;
  return expr::simplify(product);
}

Buffer flat(const Buffer& buffer) {
  Buffer result = buffer;
  result.shape = {count_of(buffer.shape)};
  if (!buffer.packing) return result;
  // The packing speaks of the new dimensions d0, d1, ...; now there is one.
  Bindings parts;
  Expr rest = expr::variable("d0");
  for (std::size_t d = buffer.shape.size(); d-- > 0;) {
    parts[fmt::format("d{}", d)] = d == 0 ? rest : floor_mod(rest, buffer.shape[d]);
    rest = floor_div(rest, buffer.shape[d]);
  }
  for (Expr& source : result.packing->source) source = expr::substitute(source, parts);
  return result;
}

class Flattening {
 public:
  explicit Flattening(const std::vector<Buffer>& buffers) {
    for (const Buffer& buffer : buffers) shapes_[buffer.name] = buffer.shape;
  }

  Stmt run(const Stmt& stmt) {
    return std::visit(
        Overloaded{
            [&](const For& node) {
              add_range(ranges_, node.variable, node.extent);
              Stmt result = with_children(stmt, {run(node.body)});
              ranges_.erase(node.variable);
              return result;
            },
            [&](const Block&) { return stmt; },
            [&](const loop::Store& node) {
              return make(loop::Store{
                  node.buffer, {index(node.buffer, node.indices)}, map(node.value), node.origin});
            },
            [&](const loop::Prefetch& node) {
              return make(loop::Prefetch{node.buffer, {index(node.buffer, node.indices)}});
            },
            [&](const loop::If& node) {
              return make(loop::If{map(node.condition), run(node.then_body),
                                   node.else_body ? run(node.else_body) : nullptr});
            },
            [&](const loop::Alloc& node) {
              return make(loop::Alloc{flat(node.buffer), run(node.body)});
            },
            [&](const loop::Seq&) {
              return map_children(stmt, [&](const Stmt& child) { return run(child); });
            },
        },
        stmt->value);
  }

 private:
  Expr map(const Expr& e) const {
    return expr::rewrite(e, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      return load ? expr::load(node.type(), load->buffer, {flat_index(load->buffer, load->indices)})
                  : Expr();
    });
  }

  Expr index(const std::string& buffer, std::vector<Expr> indices) const {
    for (Expr& e : indices) e = map(e);
    return flat_index(buffer, indices);
  }

  Expr flat_index(const std::string& buffer, const std::vector<Expr>& indices) const {
    return expr::simplify(expr::place_of(indices, shapes_.at(buffer)), ranges_);
  }

  std::map<std::string, std::vector<Expr>> shapes_;
  expr::Ranges ranges_;
};

}  // namespace

Result<loop::Func> flatten_buffers(const loop::Func& func, pass::Report&) {
  Func result = func;
  result.body = Flattening(loop::buffers_of(func)).run(func.body);
  for (Buffer& parameter : result.parameters) parameter = flat(parameter);
  return result;
}

}  // namespace loopglass::passes
