// Normalisation by mean and variance: of a batch, an instance, a layer or over any axes.
#include "core/ops/normalisation.h"

#include "core/ops/families.h"
#include "core/ops/image_axes.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

// --- mean and variance --------------------------------------------------------------------------

// x seen as many populations, one for each index of the axes that are kept.
class Populations {
 public:
  Populations(const te::Tensor& x, DataType type,
              const std::function<bool(std::size_t)>& is_reduced)
      : x_(x), type_(type) {
    for (std::size_t axis = 0; axis < x.rank(); ++axis)
      (is_reduced(axis) ? reduced_ : kept_).push_back(axis);
  }

  Indices kept(const Indices& i) const { return pick(i, kept_); }
  Expr element(const Indices& i) const { return expr::cast(type_, x_(i)); }
  // The mean of `term` over each population: a sum and a division.
  te::Tensor mean(te::Builder& builder, const std::string& name,
                  const std::function<Expr(const Indices&)>& term) const {
    const te::Tensor sum = builder.reduce(
        name + "_sum", pick(x_.shape, kept_), pick(x_.shape, reduced_), te::Reducer::Sum,
        [&](const Indices& i, const Indices& r) { return term(merge(i, r)); });
    double count = 1;
    for (const std::size_t axis : reduced_) count *= static_cast<double>(shape_of(x_)[axis]);
    return map(builder, name, sum,
               [&](const Expr& total) { return total / constant_like(total, count); });
  }

 private:
  static std::vector<Expr> pick(const std::vector<Expr>& from,
                                const std::vector<std::size_t>& axes) {
    std::vector<Expr> result;
    for (const std::size_t axis : axes) result.push_back(from[axis]);
    return result;
  }
  Indices merge(const Indices& i, const Indices& r) const {
    Indices all(x_.rank());
    for (std::size_t k = 0; k < kept_.size(); ++k) all[kept_[k]] = i[k];
    for (std::size_t k = 0; k < reduced_.size(); ++k) all[reduced_[k]] = r[k];
    return all;
  }

  te::Tensor x_;
  DataType type_;
  std::vector<std::size_t> kept_, reduced_;
};

struct Moments {
  te::Tensor mean, variance;
};

// In two passes, since the difference of squares loses what is small beside the mean.
Moments moments_of(te::Builder& builder, const std::string& name, const Populations& populations) {
  const te::Tensor mean = populations.mean(
      builder, name + "_mean", [&](const Indices& i) { return populations.element(i); });
  const te::Tensor variance = populations.mean(builder, name + "_variance", [&](const Indices& i) {
    return square(populations.element(i) - mean(populations.kept(i)));
  });
  return {mean, variance};
}

// --- BatchNormalization -------------------------------------------------------------------------

bool is_training(const Attributes& attributes) { return attributes.integer("training_mode") != 0; }

Result<void> check_per_channel(const InferContext& context, std::size_t first) {
  const Shape wanted{context.input(0).shape[channel_axis]};
  for (std::size_t k = first; k < context.inputs.size(); ++k) {
    TRY_VOID(require_type(context, k, float_types));
    if (context.input(k).shape != wanted)
      return misused(fmt::format("input {} is {}, with {} channels", k, to_string(context.input(k)),
                                 wanted[0]));
  }
  return {};
}

Result<Types> infer_batch_normalisation(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  if (context.input(0).shape.size() < 2)
    return misused(fmt::format("input {} has no channels", to_string(context.input(0))));
  TRY_VOID(check_per_channel(context, 1));
  if (context.output_count > 1 && !is_training(context.attributes))
    return unsupported_attribute(
        "running statistics are results of training only (training_mode = 1)");
  Types types{context.input(0)};
  if (context.output_count > 1) types.push_back(context.input(3));
  if (context.output_count > 2) types.push_back(context.input(4));
  return types;
}

// How each element of X is moved and scaled, given its channel's mean and variance.
te::Tensor normalise_channels(ComputeContext& context,
                              const std::function<Expr(const Indices&)>& mean,
                              const std::function<Expr(const Indices&)>& variance) {
  const te::Tensor &x = context.input(0), &scale = context.input(1), &shift = context.input(2);
  const DataType wide = accumulator_type(x.type);
  return context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Indices c{i[channel_axis]};
    const Expr deviation = square_root(expr::cast(wide, variance(i)) +
                                       expr::constant(wide, context.attributes.real("epsilon")));
    const Expr normal = (widened(x(i)) - expr::cast(wide, mean(i))) / deviation;
    return expr::cast(x.type, normal * expr::cast(wide, scale(c)) + expr::cast(wide, shift(c)));
  });
}

// What the running statistic becomes after this batch.
te::Tensor update_running(ComputeContext& context, const std::string& name,
                          const te::Tensor& running, const te::Tensor& batch) {
  const double momentum = context.attributes.real("momentum");
  return context.builder.compute(name, running.shape, [&](const Indices& i) {
    const Expr before = expr::cast(batch.type, running(i)), now = batch(i);
    return expr::cast(running.type, before * constant_like(before, momentum) +
                                        now * constant_like(now, 1 - momentum));
  });
}

Result<Computed> compute_batch_normalisation(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &mean = context.input(3), &variance = context.input(4);
  if (!is_training(context.attributes))
    return Computed{normalise_channels(
        context, [&](const Indices& i) { return mean({i[channel_axis]}); },
        [&](const Indices& i) { return variance({i[channel_axis]}); })};
  const Populations channels(x, accumulator_type(x.type),
                             [](std::size_t axis) { return axis != channel_axis; });
  const Moments batch = moments_of(context.builder, context.name, channels);
  Computed outputs{normalise_channels(
      context, [&](const Indices& i) { return batch.mean(channels.kept(i)); },
      [&](const Indices& i) { return batch.variance(channels.kept(i)); })};
  if (context.outputs.size() > 1)
    outputs.push_back(update_running(context, context.name + "_running_mean", mean, batch.mean));
  if (context.outputs.size() > 2)
    outputs.push_back(
        update_running(context, context.name + "_running_variance", variance, batch.variance));
  return outputs;
}

// Before opset 14 more outputs than one meant training, with statistics the versions disagree on.
Result<Attributes> inference_only(Attributes attributes, const InferContext& context) {
  if (context.output_count > 1)
    return unsupported_attribute("training before opset 14 (more than one output)");
  if (attributes.has("spatial") && attributes.integer("spatial") != 1)
    return unsupported_attribute("spatial = 0");
  attributes.erase("spatial");
  return attributes;
}

// Before opset 7 training was the default.
Result<Attributes> test_only(Attributes attributes, const InferContext& context) {
  if (!attributes.has("is_test") || attributes.integer("is_test") == 0)
    return unsupported_attribute("training before opset 14 (is_test = 0)");
  attributes.erase("is_test");
  attributes.erase("consumed_inputs");
  return inference_only(std::move(attributes), context);
}

// --- instance, layer and mean-variance normalisation --------------------------------------------

Result<Types> infer_instance_normalisation(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  if (context.input(0).shape.size() < 3)
    return misused(fmt::format("input {} has no spatial axes", to_string(context.input(0))));
  TRY_VOID(check_per_channel(context, 1));
  return Types{context.input(0)};
}

Result<Computed> compute_instance_normalisation(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Populations images(x, accumulator_type(x.type),
                           [](std::size_t axis) { return axis > channel_axis; });
  const Moments moments = moments_of(context.builder, context.name, images);
  return Computed{normalise_channels(
      context, [&](const Indices& i) { return moments.mean(images.kept(i)); },
      [&](const Indices& i) { return moments.variance(images.kept(i)); })};
}

// stash_type is one of ONNX's type numbers: the precision of the statistics.
Result<DataType> stash_type(const Attributes& attributes) {
  switch (attributes.integer("stash_type")) {
    case 1: return DataType::Float32;
    case 11: return DataType::Float64;
    default:
      return unsupported_attribute(
          fmt::format("stash_type {} is neither float32 (1) nor float64 (11)",
                      attributes.integer("stash_type")));
  }
}

Result<Types> infer_layer_normalisation(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_same_types(context));
  const Shape& shape = context.input(0).shape;
  const auto axis = static_cast<std::size_t>(
      TRY(normalise_axis(context.attributes.integer("axis"), shape.size())));
  const Shape normalised(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  for (std::size_t k = 1; k < context.inputs.size(); ++k)
    if (context.has(k)) TRY_VOID(require_broadcasts_to(context.input(k).shape, normalised));
  const DataType stash = TRY(stash_type(context.attributes));
  Shape kept = shape;
  std::fill(kept.begin() + static_cast<std::ptrdiff_t>(axis), kept.end(), 1);
  Types types{context.input(0), {stash, kept}, {stash, kept}};
  types.resize(context.output_count);
  return types;
}

Result<Computed> compute_layer_normalisation(ComputeContext& context) {
  const te::Tensor &x = context.input(0), &scale = context.input(1);
  const std::size_t first = axis_of(context.attributes, x.rank());
  const DataType stash = TRY(stash_type(context.attributes));
  const Populations slices(x, stash, [&](std::size_t axis) { return axis >= first; });
  const Moments moments = moments_of(context.builder, context.name, slices);
  const auto inverse_deviation = [&](const Indices& i) {
    const Expr one = expr::constant(stash, 1),
               epsilon = expr::constant(stash, context.attributes.real("epsilon"));
    return one / square_root(moments.variance(slices.kept(i)) + epsilon);
  };
  Computed outputs{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr normal = (slices.element(i) - moments.mean(slices.kept(i))) * inverse_deviation(i);
    Expr value = normal * expr::cast(stash, broadcast_read(scale, i));
    if (context.has(2)) value = value + expr::cast(stash, broadcast_read(context.input(2), i));
    return expr::cast(x.type, value);
  })};
  if (context.outputs.size() > 1)
    outputs.push_back(
        context.builder.compute(context.name + "_saved_mean", te::extents(context.outputs[1].shape),
                                [&](const Indices& i) { return moments.mean(slices.kept(i)); }));
  if (context.outputs.size() > 2)
    outputs.push_back(context.builder.compute(context.name + "_saved_inverse_deviation",
                                              te::extents(context.outputs[2].shape),
                                              inverse_deviation));
  return outputs;
}

Result<Types> infer_mean_variance(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(normalise_axes(context.attributes.integers("axes"), context.input(0).shape.size()));
  return Types{context.input(0)};
}

Result<Computed> compute_mean_variance(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const Integers axes = TRY(normalise_axes(context.attributes.integers("axes"), x.rank()));
  const Populations populations(x, accumulator_type(x.type), [&](std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
  });
  const Moments moments = moments_of(context.builder, context.name, populations);
  return Computed{context.builder.compute(context.name, x.shape, [&](const Indices& i) {
    const Expr deviation = square_root(moments.variance(populations.kept(i)));
    // The standard's own guard against dividing by zero.
    return expr::cast(x.type, (widened(x(i)) - moments.mean(populations.kept(i))) /
                                  (deviation + constant_like(deviation, 1e-9)));
  })};
}

// --- the table ----------------------------------------------------------------------------------

AttributeSpec epsilon() { return attribute("epsilon", 1e-5, "added to the variance"); }

OpDef batch_normalisation() {
  OpDef op = normaliser(
      "BatchNormalization",
      "Normalises each channel by its mean and variance, then scales and shifts it.",
      {epsilon(), attribute("momentum", 0.9, "the weight of the past in running statistics"),
       attribute("training_mode", std::int64_t{0},
                 "1: by the batch's own statistics, and updates the running ones")});
  op.inputs = {{"X", Arity::Required, "N x C x ..."},
               {"scale", Arity::Required, "C"},
               {"B", Arity::Required, "C"},
               {"input_mean", Arity::Required, "C"},
               {"input_var", Arity::Required, "C"}};
  op.outputs.push_back({"running_mean", Arity::Optional, "C"});
  op.outputs.push_back({"running_var", Arity::Optional, "C"});
  op.infer = infer_batch_normalisation;
  op.compute = compute_batch_normalisation;
  op.onnx = {{.name = op.name, .since = 14},
             {.name = op.name, .since = 7, .until = 13, .adapt = inference_only},
             {.name = op.name, .until = 6, .adapt = test_only}};
  return op;
}

OpDef layer_normalisation() {
  OpDef op = normaliser(
      "LayerNormalization",
      "Normalises everything from the axis on by its mean and variance, then scales and shifts it.",
      {attribute("axis", std::int64_t{-1}, "the first axis normalised over"), epsilon(),
       attribute("stash_type", std::int64_t{1},
                 "precision of the statistics: 1 float32, 11 float64")});
  op.inputs.push_back({"Scale", Arity::Required, "of X's shape from the axis on"});
  op.inputs.push_back({"B", Arity::Optional, "of X's shape from the axis on"});
  op.outputs.push_back({"Mean", Arity::Optional, ""});
  op.outputs.push_back({"InvStdDev", Arity::Optional, "1 / sqrt(variance + epsilon)"});
  op.infer = infer_layer_normalisation;
  op.compute = compute_layer_normalisation;
  op.onnx[0].since = 17;
  return op;
}

}  // namespace

OpDef normaliser(std::string name, std::string doc, std::vector<AttributeSpec> attributes) {
  return {.name = name,
          .family = Family::Normalisation,
          .doc = std::move(doc),
          .inputs = {{"X", Arity::Required, ""}},
          .outputs = {{"Y", Arity::Required, "of X's shape"}},
          .attributes = std::move(attributes),
          .infer = {},
          .compute = {},
          .onnx = {{.name = name}}};
}

std::vector<OpDef> normalisation() {
  OpDef instance = normaliser("InstanceNormalization",
                              "Normalises each channel of each image by its own mean and variance.",
                              {epsilon()});
  instance.inputs.push_back({"scale", Arity::Required, "C"});
  instance.inputs.push_back({"B", Arity::Required, "C"});
  instance.infer = infer_instance_normalisation;
  instance.compute = compute_instance_normalisation;
  instance.onnx[0].since = 6;

  OpDef mean_variance =
      normaliser("MeanVarianceNormalization", "(X - mean) / deviation over some axes.",
                 {attribute("axes", Integers{0, 2, 3}, "the axes of one population")});
  mean_variance.infer = infer_mean_variance;
  mean_variance.compute = compute_mean_variance;
  mean_variance.onnx[0].since = 9;

  std::vector<OpDef> operators{batch_normalisation(), instance, layer_normalisation(),
                               mean_variance};
  for (const auto more : {scaling_operators, softmax_operators})
    for (OpDef& op : more()) operators.push_back(std::move(op));
  return operators;
}

}  // namespace loopglass::ops
