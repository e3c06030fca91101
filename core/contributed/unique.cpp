// Unique: each row by how many different ones come before it, which is where it stands in the
// result.
#include "core/contributed/function.h"
#include "core/contributed/non_zero_places.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace loopglass::contributed {

namespace {

// Every row is compared with every other.
constexpr std::int64_t most_compared = std::int64_t{1} << 28;

// What is told apart: so many rows of so many elements. Elements, where no axis is given.
struct Rows {
  bool are_elements;
  std::int64_t axis, count, length;
};

Result<Rows> rows_of(const Call& call) {
  const Shape& shape = call.shape("X");
  const std::int64_t elements = element_count(shape);
  if (!call.has_attribute("axis")) return Rows{true, 0, elements, 1};
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = call.integer("axis", 0);
  if (axis < -rank || axis >= rank)
    return fail(Code::OperatorMisused, fmt::format("axis {} of {} dimensions", axis, rank));
  const std::int64_t from_front = axis < 0 ? axis + rank : axis,
                     count = shape[static_cast<std::size_t>(from_front)];
  return Rows{false, from_front, count, count == 0 ? 0 : elements / count};
}

Result<void> check(const Rows& rows) {
  if (rows.count == 0 || rows.length == 0)
    return fail(Code::OperatorUnsupported, "'X' has no elements");
  if (rows.count > most_compared / rows.count / rows.length)
    return fail(
        Code::OperatorUnsupported,
        fmt::format("comparing each of {} rows with all others takes too long", rows.count));
  return {};
}

template <class Number>
std::int64_t count_different(const Rows& rows, std::int64_t behind,
                             const std::function<Number(std::int64_t)>& element) {
  std::set<std::vector<Number>> different;
  for (std::int64_t row = 0; row < rows.count; ++row) {
    std::vector<Number> elements;
    for (std::int64_t e = 0; e < rows.length; ++e)
      elements.push_back(element((e / behind * rows.count + row) * behind + e % behind));
    different.insert(std::move(elements));
  }
  return std::ssize(different);
}

Result<std::vector<std::int64_t>> count_unique(const Call& call,
                                               std::span<const loopglass::Tensor> counted) {
  const Rows rows = TRY(rows_of(call));
  TRY_VOID(check(rows));
  const loopglass::Tensor& x = counted[0];
  std::int64_t behind = 1;  // elements of a row that lie side by side
  if (!rows.are_elements)
    for (std::size_t axis = static_cast<std::size_t>(rows.axis) + 1; axis < x.shape().size();
         ++axis)
      behind *= x.shape()[axis];
  if (!is_float(x.data_type()))
    return std::vector<std::int64_t>{count_different<std::int64_t>(
        rows, behind, [&](std::int64_t place) { return x.integer_at(place); })};
  for (std::int64_t i = 0; i < x.elements(); ++i)
    if (std::isnan(x.double_at(i)))
      return fail(Code::OperatorUnsupported, "one of them is NaN, which is equal to nothing");
  return std::vector<std::int64_t>{count_different<double>(
      rows, behind, [&](std::int64_t place) { return x.double_at(place); })};
}

// before, [count, count]: whether the row of the first index comes before that of the second, where
// that differs, in the order of their elements.
std::string in_order() {
  return "is_less = Less(left, right)\nis_other = Not(is_equal)\n" +
         cast("others", "is_other", DataType::Int32) +
         "last_axis = Constant <value_int = 2> ()\n"
         "others_before = CumSum <exclusive = 1> (others, last_axis)\n"
         "no_others = Constant <value_int = 0> ()\n" +
         cast("no_others32", "no_others", DataType::Int32) +
         "is_decided_here = Equal(others_before, no_others32)\n"
         "is_less_here = And(is_less, is_decided_here)\n" +
         cast("less_here", "is_less_here", DataType::Int32) +
         "less = ReduceMax <keepdims = 0> (less_here, elements_axis)\n" +
         cast("before", "less", DataType::Bool);
}

Result<std::string> unique(const Call& call) {
  const Rows rows = TRY(rows_of(call));
  const Shape& shape = call.shape("X");
  std::string text;
  std::string from = "X";
  if (call.type("X") == DataType::Bool) {
    text += cast("numbers_of_bool", from, DataType::UInt8);
    from = "numbers_of_bool";
  }
  if (!rows.are_elements) {
    std::vector<std::int64_t> axis_first{rows.axis};
    for (std::int64_t axis = 0; axis < std::ssize(shape); ++axis)
      if (axis != rows.axis) axis_first.push_back(axis);
    text += transpose("turned", from, axis_first);
    from = "turned";
  }
  text +=
      reshape("left", from, {rows.count, 1, rows.length}) +
      reshape("right", from, {1, rows.count, rows.length}) + vector("elements_axis", {2}) +
      vector("rows_axis", {0}) + "is_equal = Equal(left, right)\n" +
      cast("equal", "is_equal", DataType::Int32) +
      "all_equal = ReduceMin <keepdims = 0> (equal, elements_axis)\n"
      "first = ArgMax <axis = 0, keepdims = 0> (all_equal)\n" +
      range("numbers", 0, rows.count) + "is_first = Equal(first, numbers)\n" +
      non_zero_count("is_first") + reshape("first_row", "first", {1, rows.count}) +
      reshape("numbers_column", "numbers", {rows.count, 1}) +
      reshape("is_first_column", "is_first", {rows.count, 1}) +
      (call.integer("sorted", 1) != 0 ? in_order() : "before = Less(numbers_column, first_row)\n") +
      "is_counted = And(before, is_first_column)\n" +
      cast("counted", "is_counted", DataType::Int64) +
      "inverse_indices = ReduceSum <keepdims = 0> (counted, rows_axis)\n" +
      range("places", 0, call.counts()[0]) +
      reshape("places_column", "places", {call.counts()[0], 1}) +
      "is_there = Equal(inverse_indices, places_column)\n" +
      cast("there", "is_there", DataType::Int64) +
      "indices = ArgMax <axis = 1, keepdims = 0> (there)\n" + vector("places_axis", {1}) +
      "counts = ReduceSum <keepdims = 0> (there, places_axis)\n";
  if (!rows.are_elements)
    return text + fmt::format("Y = Gather <axis = {}> (X, indices)\n", rows.axis);
  return text + reshape("flat", "X", {-1}) + "Y = Gather <axis = 0> (flat, indices)\n";
}

}  // namespace

std::vector<Function> uniques() {
  Function function = of_onnx(11, {"Unique",
                                   "What is different, each once, with where it is first, how "
                                   "often it is there, and which one each element is.",
                                   {"X"},
                                   {"Y", "indices", "inverse_indices", "counts"},
                                   {{"axis"}, {"sorted"}},
                                   unique});
  function.counted = {"X"};
  function.count = count_unique;
  return {std::move(function)};
}

}  // namespace loopglass::contributed
