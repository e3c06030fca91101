// Operators that only move elements: those that ONNX Runtime had before ONNX did, or has in a form
// of its own, and some of ONNX.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// Of what may be a scalar or a vector of one.
std::string as_scalar(std::string_view name, std::string_view from) {
  return reshape(fmt::format("{}_vector", name), from, {1}) +
         vector(fmt::format("{}_axes", name), {0}) +
         fmt::format("{0} = Squeeze({0}_vector, {0}_axes)\n", name);
}

// As much of each axis as is asked for, from the middle, with zeros around what is too little. What
// is cut off or put in front is half of it, rounded down.
Result<std::string> centre_crop_pad(const Call& call) {
  const Shape& shape = call.shape("input_data");
  if (shape.empty()) return fail(Code::OperatorMisused, "a scalar has no axes to be cropped");
  const std::vector<std::int64_t> axes = call.integers("axes");
  std::vector<std::int64_t> extents;
  for (const std::int64_t axis : axes) {
    const auto rank = std::ssize(shape);
    if (axis < -rank || axis >= rank)
      return fail(Code::OperatorMisused, fmt::format("there is no axis {}", axis));
    extents.push_back(call.extent("input_data", static_cast<int>(axis)));
  }
  return vector("extents", axes.empty() ? shape : extents) + vector("two", {2}) +
         cast("wanted", "shape", DataType::Int64) +
         "missing = Sub(wanted, extents)\nin_front = Div(missing, two)\n"
         "behind = Sub(missing, in_front)\nmargins = Concat <axis = 0> (in_front, behind)\n" +
         (axes.empty() ? std::string("output_data = Pad(input_data, margins)\n")
                       : vector("margin_axes", axes) +
                             "output_data = Pad(input_data, margins, , margin_axes)\n");
}

// The update in place of as many elements of the cache along an axis, from where each row says.
Result<std::string> tensor_scatter(const Call& call) {
  const Shape& cache = call.shape("past_cache");
  const Shape& update = call.shape("update");
  const auto rank = std::ssize(cache);
  std::int64_t axis = call.integer("axis", -2);
  const std::string mode = call.word("mode", "linear");
  if (axis < -rank || axis >= rank || std::ssize(update) != rank)
    return fail(Code::OperatorMisused,
                fmt::format("an update that is {} along axis {} of a cache that is {}",
                            to_string(update), axis, to_string(cache)));
  if (axis < 0) axis += rank;
  if (axis == 0) return fail(Code::OperatorMisused, "the axis of the batch has rows, no places");
  if (mode != "linear" && mode != "circular")
    return fail(Code::AttributeUnsupported, fmt::format("mode '{}' is not supported", mode));
  std::vector<std::int64_t> along(static_cast<std::size_t>(rank), 1), of_rows = along;
  along[static_cast<std::size_t>(axis)] = update[static_cast<std::size_t>(axis)];
  of_rows[0] = update[0];
  std::string text = range("step_row", 0, along[static_cast<std::size_t>(axis)]) +
                     reshape("steps", "step_row", along);
  text += call.has("write_indices")
              ? reshape("begins", "write_indices", of_rows) + "far_places = Add(begins, steps)\n"
              : "far_places = Identity(steps)\n";
  text += mode == "linear" ? std::string("places = Identity(far_places)\n")
                           : vector("length", {cache[static_cast<std::size_t>(axis)]}) +
                                 "places = Mod(far_places, length)\n";
  return text + vector("update_shape", update) + "all_places = Expand(places, update_shape)\n" +
         fmt::format(
             "present_cache = ScatterElements <axis = {}> (past_cache, all_places, update)\n",
             axis);
}

}  // namespace

std::vector<Function> movement() {
  return {
      of_onnx(18, {"CenterCropPad",
                   "The middle of the input, or the input in the middle of zeros.",
                   {"input_data", "shape"},
                   {"output_data"},
                   {{"axes", Ints}},
                   centre_crop_pad}),
      {"ExpandDims",
       "An axis of extent 1 is put in.",
       {"X", "axis"},
       {"Y"},
       {},
       [](const Call&) -> Result<std::string> {
         return cast("axis64", "axis", DataType::Int64) + reshape("axes", "axis64", {1}) +
                "Y = Unsqueeze(X, axes)\n";
       }},
      {"GatherND",
       "ONNX's GatherND.",
       {"data", "indices"},
       {"output"},
       {},
       [](const Call&) -> Result<std::string> {
         return cast("indices64", "indices", DataType::Int64) +
                "output = GatherND(data, indices64)\n";
       }},
      {"NhwcMaxPool",
       "MaxPool of channels that lie last.",
       {"x"},
       {"y"},
       of_a_window({{"ceil_mode"}, {"dilations", Ints}}),
       [](const Call& call) -> Result<std::string> {
         TRY_VOID(call.require_rank("x", 4));
         return transpose("channels_first", "x", {0, 3, 1, 2}) +
                fmt::format("pooled = MaxPool {} (channels_first)\n",
                            call.passing_on_window({"ceil_mode", "dilations"})) +
                transpose("y", "pooled", {0, 2, 3, 1});
       }},
      {"Pad",
       "ONNX's Pad, with a value that may be a vector of one.",
       {"data", "pads", "value?"},
       {"output"},
       {{"mode", String}},
       [](const Call& call) -> Result<std::string> {
         if (!call.has("value"))
           return fmt::format("output = Pad {} (data, pads)\n", call.passing_on({"mode"}));
         return as_scalar("padding", "value") +
                fmt::format("output = Pad {} (data, pads, padding)\n", call.passing_on({"mode"}));
       }},
      {"Range",
       "ONNX's Range; from start to limit in steps of delta, 1 by default.",
       {"start", "limit", "delta?"},
       {"Y"},
       {},
       [](const Call& call) -> Result<std::string> {
         return as_scalar("first", "start") + as_scalar("last", "limit") +
                (call.has("delta") ? as_scalar("step", "delta") : scalar("step", 1, "start")) +
                "Y = Range(first, last, step)\n";
       }},
      of_onnx(24, {"TensorScatter",
                   "A cache with an update in place of some of its elements along one axis.",
                   {"past_cache", "update", "write_indices?"},
                   {"present_cache"},
                   {{"axis"}, {"mode", String}},
                   tensor_scatter}),
      {"Trilu",
       "ONNX's Trilu.",
       {"X", "k?"},
       {"Y"},
       {{"upper"}},
       [](const Call& call) -> Result<std::string> {
         return fmt::format("Y = Trilu {} (X{})\n", call.passing_on({"upper"}),
                            call.has("k") ? ", k" : "");
       }},
  };
}

}  // namespace loopglass::contributed
