// Normalisation without a mean: LRN, by the squares of neighbouring channels, and LpNormalization,
// by a norm.
#include "core/ops/image_axes.h"
#include "core/ops/normalisation.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

// --- LRN ----------------------------------------------------------------------------------------

Result<Types> infer_lrn(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  if (context.input(0).shape.size() < 2)
    return misused(fmt::format("input {} has no channels", to_string(context.input(0))));
  const std::int64_t size = context.attributes.integer("size");
  if (size < 1 || size > (1 << 20)) return misused(fmt::format("size {} is out of range", size));
  return Types{context.input(0)};
}

Result<Computed> compute_lrn(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const std::int64_t size = context.attributes.integer("size"), before = (size - 1) / 2,
                     channels = shape_of(x)[channel_axis];
  std::vector<Expr> padded = x.shape;
  padded[channel_axis] = channels + size - 1;
  const te::Tensor squares =
      context.builder.compute(context.name + "_squares", padded, [&](const Indices& i) {
        const Expr c = i[channel_axis] - before, value = widened(x(replaced(i, channel_axis, c)));
        return expr::select(c >= 0 && c < channels, square(value), constant_like(value, 0));
      });
  const te::Tensor sum =
      context.builder.reduce(context.name + "_sum", x.shape, {size}, te::Reducer::Sum,
                             [&](const Indices& i, const Indices& r) {
                               return squares(replaced(i, channel_axis, i[channel_axis] + r[0]));
                             });
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Attributes& a = context.attributes;
    const Expr total = sum(i),
               base = constant_like(total, a.real("bias")) +
                      constant_like(total, a.real("alpha") / static_cast<double>(size)) * total;
    return expr::cast(x.type, widened(x(i)) / expr::binary(expr::BinaryOperator::Pow, base,
                                                           constant_like(total, a.real("beta"))));
  })};
}

// --- LpNormalization ----------------------------------------------------------------------------

Result<Types> infer_lp_normalisation(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(normalise_axis(context.attributes.integer("axis"), context.input(0).shape.size()));
  if (const auto p = context.attributes.integer("p"); p != 1 && p != 2)
    return unsupported_attribute(fmt::format("p = {} is neither 1 nor 2", p));
  return Types{context.input(0)};
}

Result<Computed> compute_lp_normalisation(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const std::size_t axis = axis_of(context.attributes, x.rank());
  const bool euclidean = context.attributes.integer("p") == 2;
  const te::Tensor sum =
      context.builder.reduce(context.name + "_sum", erased(x.shape, axis), {x.shape[axis]},
                             te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
                               const Expr value = widened(x(inserted(i, axis, r[0])));
                               return euclidean ? square(value) : absolute(value);
                             });
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr total = sum(erased(i, axis)), norm = euclidean ? square_root(total) : total;
    // A slice of zeros stays zeros.
    return expr::cast(x.type, expr::select(expr::equal(norm, constant_like(norm, 0)),
                                           constant_like(norm, 0), widened(x(i)) / norm));
  })};
}

}  // namespace

std::vector<OpDef> scaling_operators() {
  OpDef lrn =
      normaliser("LRN", "Divides by a power of the sum of squares over neighbouring channels.",
                 {attribute("alpha", 1e-4, "factor of the mean of squares"),
                  attribute("beta", 0.75, "the power"), attribute("bias", 1.0, "added to them"),
                  required_attribute("size", AttributeKind::Int, "how many channels are summed")});
  lrn.infer = infer_lrn;
  lrn.compute = compute_lrn;
  lrn.relay_kind = PatternKind::Opaque;

  OpDef lp = normaliser("LpNormalization", "Divides by the norm along an axis.",
                        {attribute("axis", std::int64_t{-1}, "along which"),
                         attribute("p", std::int64_t{2}, "1 or 2")});
  lp.infer = infer_lp_normalisation;
  lp.compute = compute_lp_normalisation;
  return {lrn, lp};
}

}  // namespace loopglass::ops
