// Softmax, LogSoftmax and Hardmax: over one axis, or, as before opset 13, over that axis and all
// after it at once.
#include "core/ops/normalisation.h"
#include "core/ops/precision.h"

namespace loopglass::ops {

namespace {

// What the elements of a slice that is normalised together have in common: reads and reductions of
// the shape with the axes in [first, end) taken out.
struct Slices {
  const te::Tensor& x;
  std::size_t first, end;

  std::vector<Expr> outer() const { return without(x.shape); }
  std::vector<Expr> inner() const {
    return {x.shape.begin() + first_offset(), x.shape.begin() + end_offset()};
  }
  Indices without(Indices i) const {
    i.erase(i.begin() + first_offset(), i.begin() + end_offset());
    return i;
  }
  Indices with(Indices outer, const Indices& inner) const {
    outer.insert(outer.begin() + first_offset(), inner.begin(), inner.end());
    return outer;
  }
  std::ptrdiff_t first_offset() const { return static_cast<std::ptrdiff_t>(first); }
  std::ptrdiff_t end_offset() const { return static_cast<std::ptrdiff_t>(end); }
};

Slices slices_of(const te::Tensor& x, const Attributes& attributes) {
  if (x.rank() == 0) return {x, 0, 0};
  const std::size_t axis = axis_of(attributes, x.rank());
  return {x, axis,
          attributes.has("flatten") && attributes.integer("flatten") != 0 ? x.rank() : axis + 1};
}

Result<Types> infer_softmax(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  const Shape& shape = context.input(0).shape;
  if (!shape.empty()) TRY_VOID(normalise_axis(context.attributes.integer("axis"), shape.size()));
  return Types{context.input(0)};
}

te::Tensor greatest(ComputeContext& context, const Slices& slices) {
  return context.builder.reduce(
      context.name + "_max", slices.outer(), slices.inner(), te::Reducer::Max,
      [&](const Indices& i, const Indices& r) { return slices.x(slices.with(i, r)); });
}

// x less the greatest of its slice: no exponential overflows.
Expr shifted(const Slices& slices, const te::Tensor& greatest, const Indices& i) {
  return widened(slices.x(i)) - widened(greatest(slices.without(i)));
}

te::Tensor sum_slices(ComputeContext& context, const Slices& slices,
                      const std::function<Expr(const Indices&)>& term) {
  return context.builder.reduce(
      context.name + "_sum", slices.outer(), slices.inner(), te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) { return term(slices.with(i, r)); });
}

Result<Computed> compute_softmax(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Slices slices = slices_of(x, context.attributes);
  const te::Tensor max = greatest(context, slices);
  const te::Tensor power = context.builder.compute(
      context.name + "_exp", x.shape,
      [&](const Indices& i) { return exponential(shifted(slices, max, i)); });
  const te::Tensor sum = sum_slices(context, slices, [&](const Indices& i) { return power(i); });
  // Divided once a slice: sums are at least one. Each element is rounded once more than by a
  // division.
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr total = sum(slices.without(i));
    return expr::cast(x.type, power(i) * (expr::constant(total.type(), 1) / total));
  })};
}

Result<Computed> compute_log_softmax(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  return Computed{log_softmax(context.builder, x, slices_of(x, context.attributes).first,
                              slices_of(x, context.attributes).end, context.name)};
}

// 1 at the first of the greatest elements.
Result<Computed> compute_hardmax(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Slices slices = slices_of(x, context.attributes);
  const te::Tensor max = greatest(context, slices);
  const Shape shape = shape_of(x),
              inner(shape.begin() + slices.first_offset(), shape.begin() + slices.end_offset());
  const te::Tensor first = context.builder.reduce(
      context.name + "_first", slices.outer(), slices.inner(), te::Reducer::Min,
      [&](const Indices& i, const Indices& r) {
        return expr::select(expr::equal(x(slices.with(i, r)), max(i)), linear_index(r, inner),
                            expr::highest(DataType::Int64));
      });
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Indices own(i.begin() + slices.first_offset(), i.begin() + slices.end_offset());
    return expr::select(expr::equal(linear_index(own, inner), first(slices.without(i))),
                        expr::constant(x.type, 1), expr::constant(x.type, 0));
  })};
}

// Before opset 13 the axis divides the shape in two, and all of the second part is one slice. Where
// that part is one axis, as in classifiers, there is nothing to tell apart.
Result<Attributes> divide_at_axis(Attributes attributes, const InferContext& context) {
  const std::size_t rank = context.input(0).shape.size();
  if (!attributes.has("axis")) attributes.set("axis", std::int64_t{1});
  // An axis equal to the rank leaves slices of one element each.
  const std::int64_t axis = attributes.integer("axis");
  if (axis == static_cast<std::int64_t>(rank))
    return unsupported_attribute("the axis lies behind the last one");
  if (TRY(normalise_axis(axis, rank)) + 1 != static_cast<std::int64_t>(rank))
    attributes.set("flatten", std::int64_t{1});
  return attributes;
}

OpDef over_axis(std::string name, std::string doc,
                std::function<Result<Computed>(ComputeContext&)> compute) {
  return {
      .name = name,
      .family = Family::Normalisation,
      .doc = std::move(doc),
      .inputs = {{"input", Arity::Required, ""}},
      .outputs = {{"output", Arity::Required, "of the input's shape"}},
      .attributes = {attribute("axis", std::int64_t{-1}, "the axis normalised over"),
                     optional_attribute("flatten", AttributeKind::Int,
                                        "1: over that axis and all after it at once")},
      .infer = infer_softmax,
      .compute = std::move(compute),
      .onnx = {{.name = name, .since = 13}, {.name = name, .until = 12, .adapt = divide_at_axis}}};
}

}  // namespace

te::Tensor log_softmax(te::Builder& builder, const te::Tensor& x, std::size_t first,
                       std::size_t end, const std::string& name) {
  const Slices slices{x, first, end};
  const te::Tensor max =
      builder.reduce(name + "_max", slices.outer(), slices.inner(), te::Reducer::Max,
                     [&](const Indices& i, const Indices& r) { return x(slices.with(i, r)); });
  const te::Tensor sum =
      builder.reduce(name + "_sum", slices.outer(), slices.inner(), te::Reducer::Sum,
                     [&](const Indices& i, const Indices& r) {
                       return exponential(shifted(slices, max, slices.with(i, r)));
                     });
  return builder.compute(name, x.shape, [&](const Indices& i) {
    return expr::cast(x.type, shifted(slices, max, i) -
                                  expr::unary(expr::UnaryOperator::Log, sum(slices.without(i))));
  });
}

std::vector<OpDef> softmax_operators() {
  OpDef softmax =
      over_axis("Softmax", "Exponentials, divided by their sum along the axis.", compute_softmax);
  OpDef log_softmax = over_axis("LogSoftmax", "The logarithm of Softmax.", compute_log_softmax);
  for (OpDef* op : {&softmax, &log_softmax})  // of a scalar, too, which has no axis
    op->relay_kind = PatternKind::OutElementwiseFusable;
  return {softmax, log_softmax,
          over_axis("Hardmax", "1 at the first greatest element along the axis, 0 elsewhere.",
                    compute_hardmax)};
}

}  // namespace loopglass::ops
