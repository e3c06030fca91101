// Operators of ONNX whose results have as many elements as their operands' data say. The counts are
// those of the data at hand (Function::count); which elements they are is computed.
#include "core/contributed/function.h"
#include "core/contributed/non_zero_places.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::contributed {

namespace {

std::int64_t count_of_true(const loopglass::Tensor& tensor) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) count += tensor.double_at(i) != 0;
  return count;
}

std::string no_elements(std::string_view name, const std::vector<std::int64_t>& shape,
                        DataType type) {
  const std::string base = fmt::format("{}_none", name);
  return vector(base + "_shape", shape) + fmt::format("{0} = ConstantOfShape({0}_shape)\n", base) +
         cast(name, base, type);
}

// --- NonZero ------------------------------------------------------------------------------------

Result<std::vector<std::int64_t>> count_non_zero(const Call&,
                                                 std::span<const loopglass::Tensor> counted) {
  return std::vector<std::int64_t>{count_of_true(counted[0])};
}

Result<std::string> non_zero(const Call& call) {
  const Shape& shape = call.shape("X");
  if (shape.empty())
    return fail(Code::OperatorUnsupported, "'X' is a scalar, which has no axes to count along");
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t count = call.counts()[0];
  std::string text = non_zero_count("X"), rows;
  if (count == 0) return text + no_elements("Y", {rank, 0}, DataType::Int64);
  text += TRY(non_zero_places("place", "X", element_count(shape), count));
  std::int64_t stride = 1;
  for (std::int64_t axis = rank - 1; axis >= 0; --axis) {
    const std::int64_t extent = shape[static_cast<std::size_t>(axis)];
    text += fmt::format(
                "stride{0} = Constant <value_int = {1}> ()\n"
                "extent{0} = Constant <value_int = {2}> ()\n"
                "outer{0} = Div(place, stride{0})\nindex{0} = Mod(outer{0}, extent{0})\n",
                axis, stride, extent) +
            reshape(fmt::format("row{}", axis), fmt::format("index{}", axis), {1, count});
    rows = fmt::format("row{}{}{}", axis, rows.empty() ? "" : ", ", rows);
    stride *= extent;
  }
  return text + fmt::format("Y = Concat <axis = 0> ({})\n", rows);
}

// --- Compress -----------------------------------------------------------------------------------

Result<std::string> compress(const Call& call) {
  TRY_VOID(call.require_rank("condition", 1));
  const bool is_flat = !call.has_attribute("axis");
  const auto rank = static_cast<std::int64_t>(call.shape("input").size());
  std::int64_t axis = call.integer("axis", 0);
  if (!is_flat && (axis < -rank || axis >= rank))
    return fail(Code::OperatorMisused, fmt::format("axis {} of {} dimensions", axis, rank));
  if (axis < 0) axis += rank;
  Shape shape = is_flat ? Shape{element_count(call.shape("input"))} : call.shape("input");
  std::int64_t& extent = shape[static_cast<std::size_t>(axis)];
  const std::int64_t conditions = call.extent("condition", 0), count = call.counts()[0];
  if (conditions > extent)
    return fail(Code::OperatorMisused,
                fmt::format("{} conditions for {} elements", conditions, extent));
  extent = count;
  if (count == 0)
    return non_zero_count("condition") + no_elements("output", shape, call.type("input"));
  const std::string from = is_flat ? "flat" : "input";
  return non_zero_count("condition") +
         TRY(non_zero_places("place", "condition", conditions, count)) +
         (is_flat ? reshape("flat", "input", {-1}) : "") +
         fmt::format("output = Gather <axis = {}> ({}, place)\n", axis, from);
}

}  // namespace

std::vector<Function> selections() {
  Function non_zeros = of_onnx(9, {"NonZero",
                                   "Where the elements are that are not zero: a row of indices for "
                                   "each axis.",
                                   {"X"},
                                   {"Y"},
                                   {},
                                   non_zero});
  non_zeros.counted = {"X"};
  non_zeros.count = count_non_zero;
  Function compressed = of_onnx(9, {"Compress",
                                    "The slices along an axis for which a condition holds.",
                                    {"input", "condition"},
                                    {"output"},
                                    {{"axis"}},
                                    compress});
  compressed.counted = {"condition"};
  compressed.count = count_non_zero;
  return {std::move(non_zeros), std::move(compressed)};
}

}  // namespace loopglass::contributed
