// Repacked constants, by interpreting the copy that a Packing describes.
#include "core/loop/interpreter.h"
#include "core/loop/lower.h"

#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <fmt/format.h>

namespace loopglass::loop {

Tensor pack(const Buffer& parameter, const Tensor& constant) {
  if (!parameter.packing) return constant;
  const Packing& packing = *parameter.packing;
  CHECK(constant.data_type() == parameter.type && constant.shape() == packing.original_shape,
        fmt::format("'{}' packs {}, not {}", parameter.name,
                    to_string(TensorType{parameter.type, packing.original_shape}),
                    to_string(constant.type())));
  te::Builder builder;
  const te::Tensor original = builder.placeholder("original", constant.type());
  const te::Tensor packed =
      builder.compute("packed", parameter.shape, [&](const te::Builder::Indices& i) {
        std::map<std::string, Expr> names;
        for (std::size_t d = 0; d < i.size(); ++d) names.emplace(fmt::format("d{}", d), i[d]);
        Expr inside = expr::boolean(true);
        std::vector<Expr> source;
        for (std::size_t d = 0; d < packing.source.size(); ++d) {
          source.push_back(expr::substitute(packing.source[d], names));
          inside = inside && source[d] >= 0 && source[d] < Expr(packing.original_shape[d]);
        }
        return expr::select(inside, original(source), expr::constant(parameter.type, 0));
      });
  const Func func = lower(std::move(builder).finish({packed}), "pack");
  std::vector<Tensor> arguments{constant,
                                Tensor(TensorType{parameter.type, te::concrete(parameter.shape)})};
  interpret(func, arguments);
  return arguments.back();
}

}  // namespace loopglass::loop
