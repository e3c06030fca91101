// Layer normalisations, as ONNX Runtime had them before ONNX, and fused with the additions and
// lookups in front of them; those that ONNX defines as functions.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <numeric>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

std::string layer_norm(const Call& call, std::string_view results, std::string_view operands,
                       double epsilon) {
  return fmt::format("{} = LayerNormalization <axis = {}, epsilon = {}> ({})\n", results,
                     call.integer("axis", -1), call.attribute_or("epsilon", epsilon), operands);
}

// The results that are asked for, of "Y, Mean, InvStdDev" and the like.
std::string asked(const Call& call, const std::vector<std::string>& results) {
  return fmt::format("{}", fmt::join(results.begin(),
                                     results.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                           call.outputs(), results.size())),
                                     ", "));
}

Result<std::string> layer_normalisation(const Call& call) {
  return layer_norm(call, asked(call, {"Y", "Mean", "InvStdDev"}),
                    call.has("B") ? "X, Scale, B" : "X, Scale", 1e-5);
}

// y = x / sqrt(mean of x^2 + epsilon) * scale, in float32 whatever x is.
Result<std::string> root_mean_square_norm(const Call& call, std::string_view y,
                                          std::string_view inverse, std::string_view x,
                                          std::string_view scale, std::size_t rank,
                                          double epsilon) {
  const std::int64_t axis = call.integer("axis", -1), axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes)
    return fail(Code::OperatorMisused, fmt::format("axis {} of {} axes", axis, axes));
  std::vector<std::int64_t> over(static_cast<std::size_t>(axis < 0 ? -axis : axes - axis));
  std::iota(over.begin(), over.end(), axes - std::ssize(over));
  return cast("wide", x, DataType::Float32) + "squares = Mul(wide, wide)\n" + vector("axes", over) +
         "mean_square = ReduceMean(squares, axes)\n" +
         fmt::format("epsilon = Constant <value_float = {}> ()\n",
                     call.attribute_or("epsilon", epsilon)) +
         "positive = Add(mean_square, epsilon)\nroot = Sqrt(positive)\n" +
         fmt::format("{} = Reciprocal(root)\n", inverse) +
         fmt::format("normal_wide = Mul(wide, {})\n", inverse) +
         fmt::format("normal = CastLike(normal_wide, {0})\n{1} = Mul(normal, {2})\n", x, y, scale);
}

Result<std::string> simplified(const Call& call) {
  return root_mean_square_norm(call, "Y", "InvStdDev", "X", "scale", call.shape("X").size(), 1e-5);
}

Result<void> require_float32_stash(const Call& call) {
  if (const std::int64_t type = call.integer("stash_type", 1); type != 1)
    return fail(Code::AttributeUnsupported,
                fmt::format("with stash_type = {} it is not supported, only in float32", type));
  return {};
}

Result<std::string> standard_root_mean_square(const Call& call) {
  TRY_VOID(require_float32_stash(call));
  TRY_VOID(call.require_broadcasts("scale", call.shape("X")));
  return root_mean_square_norm(call, "Y", "inverse", "X", "scale", call.shape("X").size(), 1e-5);
}

// The elements of a group, all its channels, normalised together; then scaled and moved by numbers
// for each group, before opset 21, or each channel.
Result<std::string> group_normalisation(const Call& call) {
  TRY_VOID(require_float32_stash(call));
  const Shape& shape = call.shape("X");
  const std::int64_t groups = call.integer("num_groups", 0);
  const std::int64_t channels = shape.size() < 2 ? 0 : shape[1];
  const std::int64_t numbers = element_count(call.shape("scale"));
  if (groups <= 0 || channels <= 0 || channels % groups != 0 ||
      numbers != element_count(call.shape("bias")) || (numbers != groups && numbers != channels))
    return fail(Code::OperatorMisused,
                fmt::format("{} scales and {} biases for {} channels in {} "
                            "groups",
                            numbers, element_count(call.shape("bias")), channels, groups));
  const std::int64_t elements =
      element_count(call.shape("X")) / std::max<std::int64_t>(1, shape[0]);
  return cast("wide", "X", DataType::Float32) +
         reshape("grouped", "wide", {shape[0], groups, elements / groups}) +
         vector("group_count", {groups}) + scalar("one", 1, "wide") +
         "ones = Expand(one, group_count)\n" + scalar("zero", 0, "wide") +
         "zeros = Expand(zero, group_count)\n" +
         fmt::format("normal_wide = InstanceNormalization <epsilon = {}> (grouped, ones, zeros)\n",
                     call.attribute_or("epsilon", 1e-5)) +
         "normal_typed = CastLike(normal_wide, X)\n" +
         reshape("normal", "normal_typed", {shape[0], numbers, elements / numbers}) +
         reshape("factor", "scale", {1, numbers, 1}) + reshape("addend", "bias", {1, numbers, 1}) +
         "scaled = Mul(normal, factor)\nmoved = Add(scaled, addend)\n" +
         reshape("Y", "moved", shape);
}

std::string sum_with_skip(const Call& call) {
  return "skipped = Add(input, skip)\n" +
         add_if_given("input_skip_bias_sum", "skipped", "bias", call);
}

Result<std::string> skip_layer_normalisation(const Call& call) {
  return sum_with_skip(call) + layer_norm(call, asked(call, {"output", "mean", "inv_std_var"}),
                                          call.has("beta") ? "input_skip_bias_sum, gamma, beta"
                                                           : "input_skip_bias_sum, gamma",
                                          1e-12);
}

Result<std::string> skip_simplified(const Call& call) {
  if (call.outputs() > 1 && call.outputs() < 4)
    return fail(Code::OperatorUnsupported, "its mean is not supported");
  return sum_with_skip(call) +
         TRY(root_mean_square_norm(call, "output", "inv_std_var", "input_skip_bias_sum", "gamma",
                                   call.shape("input").size(), 1e-12));
}

// Words, positions and segments looked up, added and normalised.
Result<std::string> embed_layer_normalisation(const Call& call) {
  TRY_VOID(call.require_rank("input_ids", 2));
  std::string text = "words = Gather(word_embedding, input_ids)\n";
  text += call.has("position_ids")
              ? "positions = Gather(position_embedding, position_ids)\n"
              : slice("positions", "position_embedding", 0, call.extent("input_ids", 1), 0);
  text += "placed = Add(words, positions)\n";
  text += call.has("segment_ids") && call.has("segment_embedding")
              ? "segments = Gather(segment_embedding, segment_ids)\n"
                "embedding_sum = Add(placed, segments)\n"
              : "embedding_sum = Identity(placed)\n";
  text +=
      layer_norm(call, "output",
                 call.has("beta") ? "embedding_sum, gamma, beta" : "embedding_sum, gamma", 1e-12);
  if (call.outputs() < 2) return text;
  // How many ones each row of the mask has.
  if (call.has("mask"))
    return text + scalar("one", 1, "mask") + "is_one = Equal(mask, one)\n" +
           cast("ones", "is_one", DataType::Int32) + vector("along", {1}) +
           "mask_index = ReduceSum <keepdims = 0> (ones, along)\n";
  return text + vector("rows", {call.extent("input_ids", 0)}) +
         "none = Constant <value_int = 0> ()\n" + cast("no_ones", "none", DataType::Int32) +
         "mask_index = Expand(no_ones, rows)\n";
}

}  // namespace

std::vector<Function> normalisations() {
  return {
      {"EmbedLayerNormalization",
       "Embeddings of words, positions and segments, added and normalised over the last axis.",
       {"input_ids", "segment_ids?", "word_embedding", "position_embedding", "segment_embedding?",
        "gamma", "beta?", "mask?", "position_ids?"},
       {"output", "mask_index", "embedding_sum"},
       {{"epsilon", Float}, {"mask_index_type"}},
       embed_layer_normalisation},
      of_onnx(18, {"GroupNormalization",
                   "The channels of each group normalised together, then scaled and moved.",
                   {"X", "scale", "bias"},
                   {"Y"},
                   {{"epsilon", Float}, {"num_groups"}, {"stash_type"}},
                   group_normalisation}),
      {"LayerNormalization",
       "ONNX's LayerNormalization, before it was one of ONNX's operators.",
       {"X", "Scale", "B?"},
       {"Y", "Mean", "InvStdDev"},
       {{"axis"}, {"epsilon", Float}, {"stash_type"}},
       layer_normalisation,
       "",
       16},
      of_onnx(23, {"RMSNormalization",
                   "X over the root of the mean of its squares, times scale.",
                   {"X", "scale"},
                   {"Y"},
                   {{"axis"}, {"epsilon", Float}, {"stash_type"}},
                   standard_root_mean_square}),
      {"SimplifiedLayerNormalization",
       "X over the root of the mean of its squares, times scale.",
       {"X", "scale"},
       {"Y", "InvStdDev"},
       {{"axis"}, {"epsilon", Float}, {"stash_type"}},
       simplified,
       ""},
      {"SkipLayerNormalization",
       "LayerNormalization of input + skip + bias.",
       {"input", "skip", "gamma", "beta?", "bias?"},
       {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
       {{"epsilon", Float}},
       skip_layer_normalisation},
      {"SkipSimplifiedLayerNormalization",
       "SimplifiedLayerNormalization of input + skip + bias.",
       {"input", "skip", "gamma", "bias?"},
       {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
       {{"epsilon", Float}},
       skip_simplified},
  };
}

}  // namespace loopglass::contributed
