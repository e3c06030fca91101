// Pooling over windows and over whole images: MaxPool, AveragePool, LpPool and their global forms.
#include "core/ops/pooling.h"

#include "core/ops/families.h"
#include "core/ops/image_axes.h"
#include "core/ops/precision.h"
#include "core/ops/window.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

Result<void> require_image(const InferContext& context) {
  if (context.input(0).shape.size() > first_spatial) return {};
  return misused(fmt::format("input {} has no spatial axes", to_string(context.input(0))));
}

// --- windows ------------------------------------------------------------------------------------

// The first element of window `o`, in the unpadded input.
Expr window_start(const WindowAxis& axis, const Expr& o) {
  return o * axis.stride - axis.pad_begin;
}

// A window of padding alone has no greatest element to say the position of.
Result<void> require_windows_with_elements(const Window& window) {
  for (const WindowAxis& axis : window)
    if (const auto o = axis.window_without_elements())
      return unsupported_attribute(fmt::format(
          "indices, where window {} of an axis of {} lies wholly in the padding", *o, axis.input));
  return {};
}

Result<Window> pool_window(const Shape& input, const Attributes& attributes) {
  return window_of(attributes, std::span(input).subspan(first_spatial),
                   attributes.integers("kernel_shape"));
}

Shape pooled(const Shape& input, const Window& window) {
  Shape output{input[0], input[1]};
  for (const WindowAxis& axis : window) output.push_back(axis.output);
  return output;
}

Result<Types> infer_pool(const InferContext& context, const TypeSet& types) {
  TRY_VOID(require_type(context, 0, types));
  TRY_VOID(require_image(context));
  const TensorType& x = context.input(0);
  return Types{{x.type, pooled(x.shape, TRY(pool_window(x.shape, context.attributes)))}};
}

// The reducer over every window of `padded`, of `term` of its elements.
te::Tensor reduce_windows(te::Builder& builder, const std::string& name, const te::Tensor& padded,
                          const Window& window, te::Reducer reducer,
                          const std::function<Expr(Expr)>& term) {
  std::vector<Expr> shape{padded.shape[0], padded.shape[1]};
  for (const WindowAxis& axis : window) shape.emplace_back(axis.output);
  return builder.reduce(name, shape, kernel_extents(window), reducer,
                        [&](const Indices& i, const Indices& r) {
                          Indices element{i[0], i[1]};
                          for (Expr& tap : taps(window, std::span(i).subspan(first_spatial), r))
                            element.push_back(std::move(tap));
                          return term(padded(std::move(element)));
                        });
}

// Beyond so many taps along an axis, expressions of all of them grow too long.
constexpr std::int64_t most_taps_at_once = 9;

// Whether windows that share elements are reduced axis by axis: that takes the sum of the kernel's
// extents for each element instead of their product.
bool by_axes(const Window& window) {
  return window.size() > 1 && std::ranges::all_of(window, [](const WindowAxis& axis) {
           return axis.kernel > axis.stride && axis.kernel <= most_taps_at_once &&
                  !axis.window_without_elements();
         });
}

// The last axis is padded with what changes nothing before it is reduced, so that vectors along it
// end nowhere.
te::Tensor reduce_by_axes(te::Builder& builder, const std::string& name, const te::Tensor& x,
                          const Window& window, te::Reducer reducer,
                          const std::function<Expr(Expr)>& term) {
  const WindowAxis& last = window.back();
  const std::size_t last_axis = first_spatial + window.size() - 1;
  te::Tensor reduced = x;
  for (std::size_t k = 0; k + 1 < window.size(); ++k) {
    const WindowAxis& along = window[k];
    const std::size_t axis = first_spatial + k;
    const bool pads_last = k == 0 && last.needs_padding();
    std::vector<Expr> shape = reduced.shape;
    shape[axis] = along.output;
    if (pads_last) shape[last_axis] = last.extent();
    // An element beyond an end is the one at the end where that is part of the window anyway, which
    // is as good as none for a maximum; else it is nothing.
    const bool takes_the_end = reducer == te::Reducer::Max && along.dilation == 1;
    reduced = builder.compute(fmt::format("{}_axis{}", name, axis), shape, [&](const Indices& i) {
      Indices element = i;
      if (pads_last) element[last_axis] = i[last_axis] - last.pad_begin;
      Expr combined;
      for (std::int64_t tap = 0; tap < along.kernel; ++tap) {
        const Expr place = window_start(along, i[axis]) + tap * along.dilation;
        element[axis] = along.needs_padding() ? clamp_index(place, along.input) : place;
        Expr value = k == 0 ? term(reduced(element)) : reduced(element);
        if (along.needs_padding() && !takes_the_end)
          value = expr::select(place >= 0 && place < along.input, value,
                               te::identity(reducer, value.type()));
        combined = tap == 0 ? value : te::combine(reducer, combined, value);
      }
      if (!pads_last) return combined;
      return expr::select(
          i[last_axis] >= last.pad_begin && i[last_axis] < last.pad_begin + last.input, combined,
          te::identity(reducer, combined.type()));
    });
  }
  std::vector<Expr> shape = reduced.shape;
  shape[last_axis] = last.output;
  return builder.reduce(
      name, shape, {Expr(last.kernel)}, reducer, [&](const Indices& i, const Indices& r) {
        return reduced(replaced(i, last_axis, i[last_axis] * last.stride + r[0] * last.dilation));
      });
}

// The reducer over every window, of `term` of its elements.
te::Tensor reduce_pool(te::Builder& builder, const std::string& base, const std::string& name,
                       const te::Tensor& x, const Window& window, te::Reducer reducer,
                       const std::function<Expr(Expr)>& term) {
  if (by_axes(window)) return reduce_by_axes(builder, name, x, window, reducer, term);
  const Expr padding =
      reducer == te::Reducer::Max ? expr::lowest(x.type) : expr::constant(x.type, 0);
  const te::Tensor padded = pad_for(builder, x, window, base + "_pad", padding);
  return reduce_windows(builder, name, padded, window, reducer, term);
}

// --- MaxPool ------------------------------------------------------------------------------------

Result<Types> infer_max_pool(const InferContext& context) {
  Types types = TRY(infer_pool(context, number_types));
  if (context.output_count < 2) return types;
  TRY_VOID(
      require_windows_with_elements(TRY(pool_window(context.input(0).shape, context.attributes))));
  types.push_back({DataType::Int64, types[0].shape});
  return types;
}

// The column-major position of what is at this row-major one.
Expr column_major(const Expr& row_major, const Shape& spatial) {
  const Indices indices = indices_at(row_major, spatial);
  Expr position = 0;
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
    position = position + indices[axis] * stride;
    stride *= spatial[axis];
  }
  return position;
}

// Where the greatest element of each window lies in the flattened input; the first of several.
te::Tensor greatest_positions(ComputeContext& context, const te::Tensor& greatest,
                              const Window& window) {
  const te::Tensor& x = context.input(0);
  const Shape shape = shape_of(x), spatial(shape.begin() + first_spatial, shape.end());
  const Expr none = expr::highest(DataType::Int64);
  const te::Tensor first = context.builder.reduce(
      context.name + "_first", greatest.shape, kernel_extents(window), te::Reducer::Min,
      [&](const Indices& i, const Indices& r) {
        Indices element;
        Expr inside = expr::boolean(true);
        for (std::size_t axis = 0; axis < window.size(); ++axis) {
          element.push_back(window_start(window[axis], i[first_spatial + axis]) +
                            r[axis] * window[axis].dilation);
          if (window[axis].needs_padding())
            inside = inside && element.back() >= 0 && element.back() < window[axis].input;
        }
        const Expr position = linear_index(element, spatial);
        element.insert(element.begin(), i.begin(), i.begin() + first_spatial);
        Expr chosen = expr::equal(x(element), greatest(i));
        // The greatest of a window with NaN is NaN, which equals nothing.
        if (is_float(x.type))
          chosen = chosen || expr::unary(expr::UnaryOperator::IsNan, x(element));
        return expr::select(inside, expr::select(chosen, position, none), none);
      });
  return context.builder.compute(context.name + "_indices", greatest.shape, [&](const Indices& i) {
    const Expr position = first(i);
    const bool by_columns = context.attributes.integer("storage_order") != 0;
    return (i[0] * shape[1] + i[1]) * element_count(spatial) +
           (by_columns ? column_major(position, spatial) : position);
  });
}

Result<Computed> compute_max_pool(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Window window = TRY(pool_window(shape_of(x), context.attributes));
  Computed outputs{reduce_pool(context.builder, context.name, context.name, x, window,
                               te::Reducer::Max, [](Expr element) { return element; })};
  if (context.outputs.size() == 2)
    outputs.push_back(greatest_positions(context, outputs[0], window));
  return outputs;
}

// --- AveragePool --------------------------------------------------------------------------------

// How many elements window `o` averages: those inside the input, and those inside its pads as well
// if they count. What ceil_mode adds beyond the pads never does. The mean of none is 0 / 0.
Expr averaged_elements(const WindowAxis& axis, const Expr& o, bool count_pads) {
  if (count_pads ? axis.extent() <= axis.input + axis.pad_begin + axis.pad_end
                 : !axis.needs_padding())
    return axis.kernel;
  const Expr start = count_pads ? o * axis.stride : window_start(axis, o);
  const std::int64_t end = count_pads ? axis.input + axis.pad_begin + axis.pad_end : axis.input;
  const Expr last = expr::min(axis.kernel, expr::floor_div(end - 1 - start, axis.dilation) + 1);
  if (count_pads) return last;
  const Expr inside =
      last - expr::max(0, expr::floor_div(axis.dilation - 1 - start, axis.dilation));
  return axis.window_without_elements() ? expr::max(0, inside) : inside;
}

Result<Computed> compute_average_pool(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Window window = TRY(pool_window(shape_of(x), context.attributes));
  const bool count_pads = context.attributes.integer("count_include_pad") != 0;
  const te::Tensor sum = reduce_pool(context.builder, context.name, context.name + "_sum", x,
                                     window, te::Reducer::Sum, widened);
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    Expr count = 1;
    for (std::size_t axis = 0; axis < window.size(); ++axis)
      count = count * averaged_elements(window[axis], i[first_spatial + axis], count_pads);
    return expr::cast(x.type, sum(i) / expr::cast(sum.type, count));
  })};
}

// --- LpPool -------------------------------------------------------------------------------------

Result<void> require_p(const Attributes& attributes) {
  if (attributes.integer("p") >= 1) return {};
  return unsupported_attribute(fmt::format("p = {} gives no norm", attributes.integer("p")));
}

Expr power(Expr base, double exponent) {
  const Expr constant = expr::constant(base.type(), exponent);
  return expr::binary(expr::BinaryOperator::Pow, std::move(base), constant);
}

Expr to_the_p(Expr element, std::int64_t p) {
  Expr value = widened(std::move(element));
  if (p == 1) return absolute(value);
  return p == 2 ? value * value : power(absolute(value), static_cast<double>(p));
}

te::Tensor root(ComputeContext& context, const te::Tensor& sum, std::int64_t p) {
  return map(context.builder, context.name, sum, [&](Expr value) {
    if (p == 2) value = square_root(value);
    else if (p != 1) value = power(value, 1.0 / static_cast<double>(p));
    return expr::cast(context.outputs[0].type, value);
  });
}

Result<Types> infer_lp_pool(const InferContext& context) {
  TRY_VOID(require_p(context.attributes));
  return infer_pool(context, float_types);
}

Result<Computed> compute_lp_pool(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Window window = TRY(pool_window(shape_of(x), context.attributes));
  const std::int64_t p = context.attributes.integer("p");
  const te::Tensor sum =
      reduce_pool(context.builder, context.name, context.name + "_sum", x, window, te::Reducer::Sum,
                  [p](Expr element) { return to_the_p(std::move(element), p); });
  return Computed{root(context, sum, p)};
}

// --- over whole images --------------------------------------------------------------------------

Result<Types> infer_global(const InferContext& context, const TypeSet& types) {
  TRY_VOID(require_type(context, 0, types));
  TRY_VOID(require_image(context));
  Shape output = context.input(0).shape;
  for (std::size_t axis = first_spatial; axis < output.size(); ++axis) {
    if (output[axis] == 0) return misused("there is nothing to pool");
    output[axis] = 1;
  }
  return Types{{context.input(0).type, output}};
}

te::Tensor reduce_images(ComputeContext& context, const std::string& name, te::Reducer reducer,
                         const std::function<Expr(Expr)>& term) {
  const te::Tensor& x = context.input(0);
  return context.builder.reduce(name, te::extents(context.outputs[0].shape),
                                {x.shape.begin() + first_spatial, x.shape.end()}, reducer,
                                [&](const Indices& i, const Indices& r) {
                                  Indices element{i[0], i[1]};
                                  element.insert(element.end(), r.begin(), r.end());
                                  return term(x(element));
                                });
}

Result<Computed> compute_global_max(ComputeContext& context) {
  return Computed{
      reduce_images(context, context.name, te::Reducer::Max, [](Expr element) { return element; })};
}

Result<Computed> compute_global_average(ComputeContext& context) {
  const Shape shape = shape_of(context.input(0));
  const double count =
      static_cast<double>(element_count({shape.begin() + first_spatial, shape.end()}));
  const te::Tensor sum = reduce_images(context, context.name + "_sum", te::Reducer::Sum, widened);
  return Computed{map(context.builder, context.name, sum, [&](Expr value) {
    return expr::cast(context.outputs[0].type, value / expr::constant(value.type(), count));
  })};
}

Result<Computed> compute_global_lp(ComputeContext& context) {
  const std::int64_t p = context.attributes.integer("p");
  const te::Tensor sum =
      reduce_images(context, context.name + "_sum", te::Reducer::Sum,
                    [p](Expr element) { return to_the_p(std::move(element), p); });
  return Computed{root(context, sum, p)};
}

// --- the table ----------------------------------------------------------------------------------

std::vector<AttributeSpec> pool_attributes(std::vector<AttributeSpec> own) {
  own.push_back(attribute("auto_pad", "NOTSET", "NOTSET, VALID, SAME_UPPER or SAME_LOWER"));
  own.push_back(
      attribute("ceil_mode", std::int64_t{0}, "a last window may reach beyond the padded input"));
  own.push_back(
      optional_attribute("dilations", AttributeKind::Ints,
                         "distance between window elements, per spatial axis; 1 by default"));
  own.push_back(
      required_attribute("kernel_shape", AttributeKind::Ints, "window extents, per spatial axis"));
  own.push_back(optional_attribute("pads", AttributeKind::Ints,
                                   "begins of all spatial axes, then ends; 0 by default"));
  own.push_back(
      optional_attribute("strides", AttributeKind::Ints, "per spatial axis; 1 by default"));
  return own;
}

OpDef pool(std::string name, std::string doc, std::vector<AttributeSpec> attributes) {
  return {.name = name,
          .family = Family::Pooling,
          .doc = std::move(doc),
          .inputs = {{"X", Arity::Required, "N x C x spatial"}},
          .outputs = {{"Y", Arity::Required, "N x C x windows"}},
          .attributes = std::move(attributes),
          .infer = {},
          .compute = {},
          .onnx = {{.name = name}}};
}

OpDef global_pool(std::string name, std::string doc, const TypeSet& types,
                  std::function<Result<Computed>(ComputeContext&)> compute) {
  OpDef op = pool(std::move(name), std::move(doc), {});
  op.outputs[0].doc = "N x C x 1 ...";
  op.infer = [&types](const InferContext& context) { return infer_global(context, types); };
  op.compute = std::move(compute);
  return op;
}

}  // namespace

std::vector<OpDef> pooling() {
  OpDef max = pool("MaxPool",
                   "The greatest element of each window, and on request where it is; of a window "
                   "of padding alone the least value there is, -inf of floats.",
                   pool_attributes({attribute("storage_order", std::int64_t{0},
                                              "1: indices count down columns")}));
  max.outputs.push_back(
      {"Indices", Arity::Optional, "positions of the greatest elements in the flattened input"});
  max.infer = infer_max_pool;
  max.compute = compute_max_pool;

  OpDef average = pool("AveragePool",
                       "The mean of each window; of one of padding alone that does not count, NaN.",
                       pool_attributes({attribute("count_include_pad", std::int64_t{0},
                                                  "padding counts as elements of value 0")}));
  average.infer = [](const InferContext& context) { return infer_pool(context, float_types); };
  average.compute = compute_average_pool;

  const AttributeSpec p = attribute("p", std::int64_t{2}, "which norm");
  OpDef lp = pool("LpPool", "The p-norm of each window.", pool_attributes({p}));
  lp.infer = infer_lp_pool;
  lp.compute = compute_lp_pool;
  lp.onnx[0].since = 2;  // p was a float before

  OpDef global_lp = global_pool("GlobalLpPool", "The p-norm of each channel's image.", float_types,
                                compute_global_lp);
  global_lp.attributes = {p};
  global_lp.infer = [](const InferContext& context) -> Result<Types> {
    TRY_VOID(require_p(context.attributes));
    return infer_global(context, float_types);
  };
  global_lp.onnx[0].since = 2;

  OpDef global_max = global_pool("GlobalMaxPool", "The greatest element of each channel's image.",
                                 number_types, compute_global_max);
  OpDef global_average = global_pool("GlobalAveragePool", "The mean of each channel's image.",
                                     float_types, compute_global_average);
  // As all pooling there, though they read each element once.
  for (OpDef* op : {&global_max, &global_average})
    op->relay_kind = PatternKind::OutElementwiseFusable;

  std::vector<OpDef> operators{max, average, lp, global_max, global_average, global_lp};
  operators.push_back(max_unpool());
  for (OpDef& op : region_pooling()) operators.push_back(std::move(op));
  return operators;
}

}  // namespace loopglass::ops
