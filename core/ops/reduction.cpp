// Reductions along axes: ReduceSum and its kin.
#include "core/ops/families.h"
#include "core/ops/movement.h"

#include <fmt/format.h>

#include <numeric>

namespace loopglass::ops {

namespace {

using expr::UnaryOperator;
using te::Reducer;

bool names_axes(const Attributes& attributes) {
  return attributes.has("axes") && !attributes.integers("axes").empty();
}

// The reduction of one node: which element each (i, r) reads, and stages made of that.
class Reduction {
 public:
  explicit Reduction(ComputeContext& context)
      : context_(context), input_(shape_of(context.input(0))), reduced_(input_.size(), false) {
    const Integers axes = reduced_axes(context.attributes, input_.size()).value();
    for (const std::int64_t axis : axes) {
      reduced_[static_cast<std::size_t>(axis)] = true;
      along_.emplace_back(input_[static_cast<std::size_t>(axis)]);
      count_ *= input_[static_cast<std::size_t>(axis)];
    }
  }

  DataType type() const { return context_.outputs[0].type; }
  // Sums of float16 are taken in float32, roots and logarithms of integers in float64.
  DataType wide(bool fractional) const {
    return fractional && is_integer(type()) ? DataType::Float64 : accumulator_type(type());
  }
  std::int64_t count() const { return count_; }

  // The reducer over `term` of each element and of the value at this place of `other`, if given.
  te::Tensor reduce(const std::string& name, DataType as, Reducer reducer,
                    const std::function<Expr(Expr)>& term) const {
    return context_.builder.reduce(
        name, te::extents(context_.outputs[0].shape), along_, reducer,
        [&](const Indices& i, const Indices& r) { return term(element(as, i, r)); });
  }
  te::Tensor reduce_with(const std::string& name, const te::Tensor& other, Reducer reducer,
                         const std::function<Expr(Expr, Expr)>& term) const {
    return context_.builder.reduce(name, te::extents(context_.outputs[0].shape), along_, reducer,
                                   [&](const Indices& i, const Indices& r) {
                                     return term(element(other.type, i, r), other(i));
                                   });
  }

  // reduce, then `finish`, then back to the result's type: one stage where these two do nothing.
  Computed reduce_and_finish(bool fractional, Reducer reducer,
                             const std::function<Expr(Expr)>& term,
                             const std::function<Expr(Expr)>& finish) const {
    const DataType as = wide(fractional);
    const std::string& name = context_.name;
    if (!finish && as == type()) return {reduce(name, as, reducer, term)};
    return {
        finished(reduce(name + "_" + std::string(te::name(reducer)), as, reducer, term), finish)};
  }
  te::Tensor finished(const te::Tensor& reduced, const std::function<Expr(Expr)>& finish) const {
    return map(context_.builder, context_.name, reduced,
               [&](Expr x) { return expr::cast(type(), finish ? finish(x) : x); });
  }
  const std::string& name() const { return context_.name; }
  te::Builder& builder() const { return context_.builder; }

 private:
  Expr element(DataType as, const Indices& i, const Indices& r) const {
    Indices source;
    std::size_t outer = 0, inner = 0;
    const bool keep = context_.outputs[0].shape.size() == input_.size();
    for (std::size_t d = 0; d < input_.size(); ++d) {
      source.push_back(reduced_[d] ? r[inner++] : i[keep ? d : outer]);
      outer += !reduced_[d];
    }
    return expr::cast(as, context_.input(0)(source));
  }

  ComputeContext& context_;
  Shape input_;
  std::vector<bool> reduced_;
  std::vector<Expr> along_;
  std::int64_t count_ = 1;
};

using Compute = std::function<Computed(const Reduction&)>;

Result<Types> infer_reduced(const InferContext& c) {
  TRY_VOID(require_type(c, 0, number_types));
  Shape shape = c.input(0).shape;
  const Integers axes = TRY(reduced_axes(c.attributes, shape.size()));
  const bool keep = c.attributes.integer("keepdims") != 0;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    shape[static_cast<std::size_t>(*axis)] = 1;
    if (!keep) shape.erase(shape.begin() + *axis);
  }
  return Types{{c.input(0).type, shape}};
}

// The first opset in which ONNX passes the axes as an input.
enum AxesInput { From13 = 13, From18 = 18 };

// `may_do_nothing`: reducing along no axis gives the input itself. For the others ONNX's versions
// disagree about what no axis means.
OpDef reduction_over(std::string name, AxesInput axes_input, std::string doc, Compute compute,
                     bool may_do_nothing) {
  return {
      .name = name,
      .family = Family::Reduction,
      .doc = std::move(doc),
      .inputs = {{"data"}},
      .outputs = {{"reduced"}},
      .attributes = {optional_attribute("axes", AttributeKind::Ints,
                                        "along which; all when left out"),
                     attribute("keepdims", 1, "1: the axes stay, with extent 1"),
                     attribute("noop_with_empty_axes", 0, "1: without axes, nothing is reduced")},
      .infer = [may_do_nothing](const InferContext& c) -> Result<Types> {
        if (reduces_nothing(c.attributes) && !may_do_nothing)
          return unsupported_attribute("noop_with_empty_axes without axes has no agreed meaning");
        return infer_reduced(c);
      },
      .compute = [compute](ComputeContext& c) -> Result<Computed> {
        if (reduces_nothing(c.attributes))
          return Computed{map(c.builder, c.name, c.input(0), [](Expr x) { return x; })};
        return compute(Reduction(c));
      },
      .onnx = {{name, 1, axes_input - 1},
               {.name = name, .since = axes_input, .bound = {{1, "axes"}}}},
  };
}

Expr itself(Expr x) { return x; }
Expr logarithm(Expr x) { return expr::unary(UnaryOperator::Log, std::move(x)); }

Compute plain(Reducer reducer, Expr (*term)(Expr) = itself) {
  return [=](const Reduction& r) { return r.reduce_and_finish(false, reducer, term, {}); };
}

// In float64 for integers, so that the sum cannot wrap.
Computed mean(const Reduction& r) {
  return r.reduce_and_finish(true, Reducer::Sum, itself, [&](Expr sum) {
    return sum / expr::constant(sum.type(), static_cast<double>(r.count()));
  });
}

Compute finished_sum(Expr (*term)(Expr), Expr (*finish)(Expr)) {
  return [=](const Reduction& r) { return r.reduce_and_finish(true, Reducer::Sum, term, finish); };
}

// Shifted by the greatest element, so that no exponential overflows; an infinite one shifts
// nothing.
Computed log_sum_exp(const Reduction& r) {
  const auto shift = [](const Expr& max) {
    return expr::select(expr::unary(UnaryOperator::IsInf, max), expr::constant(max.type(), 0), max);
  };
  const te::Tensor greatest = r.reduce(r.name() + "_max", r.wide(true), Reducer::Max, itself);
  const te::Tensor sum =
      r.reduce_with(r.name() + "_sum", greatest, Reducer::Sum,
                    [&](Expr x, Expr max) { return exponential(x - shift(max)); });
  return {r.builder().compute(r.name(), sum.shape, [&](const Indices& i) {
    return expr::cast(r.type(), logarithm(sum(i)) + shift(greatest(i)));
  })};
}

}  // namespace

bool reduces_nothing(const Attributes& attributes) {
  return !names_axes(attributes) && attributes.integer("noop_with_empty_axes") != 0;
}

Result<Integers> reduced_axes(const Attributes& attributes, std::size_t rank) {
  if (names_axes(attributes)) return normalise_axes(attributes.integers("axes"), rank);
  Integers all(reduces_nothing(attributes) ? 0 : rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<OpDef> reduction() {
  return {
      reduction_over("ReduceSum", From13, "The sum along axes.", plain(Reducer::Sum), true),
      reduction_over("ReduceMean", From18, "The mean along axes.", mean, true),
      reduction_over("ReduceMax", From18, "The greatest element along axes.", plain(Reducer::Max),
                     true),
      reduction_over("ReduceMin", From18, "The least element along axes.", plain(Reducer::Min),
                     true),
      reduction_over("ReduceProd", From18, "The product along axes.", plain(Reducer::Product),
                     true),
      reduction_over("ReduceL1", From18, "The sum of absolute values along axes.",
                     plain(Reducer::Sum, expr::absolute), false),
      reduction_over("ReduceL2", From18, "The square root of the sum of squares along axes.",
                     finished_sum(expr::square, expr::square_root), false),
      reduction_over("ReduceLogSum", From18, "The logarithm of the sum along axes.",
                     finished_sum(itself, logarithm), false),
      reduction_over("ReduceLogSumExp", From18,
                     "The logarithm of the sum of exponentials along axes.", log_sum_exp, false),
      reduction_over("ReduceSumSquare", From18, "The sum of squares along axes.",
                     plain(Reducer::Sum, expr::square), false),
  };
}

}  // namespace loopglass::ops
