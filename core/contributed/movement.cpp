// Operators that ONNX Runtime had before ONNX did, or has in a form of its own, and that only move
// elements.
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

}  // namespace

std::vector<Function> movement() {
  return {
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
