#include "core/contributed/non_zero_places.h"

#include "core/contributed/text.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>

namespace loopglass::contributed {

namespace {

// Of more elements first the block is found in which an element lies.
constexpr std::int64_t block = 64;
constexpr std::int64_t longest_searched_at_once = 1'024;
// Comparisons that finding the places of all elements may take.
constexpr std::int64_t most_comparisons = std::int64_t{1} << 32;

// `name`, int32: how many of the ascending sums along the last axis are not greater than what is
// wanted, a column. The element that makes the sum greater is behind so many.
std::string passed(const std::string& name, std::string_view sums, std::string_view wanted) {
  return fmt::format("{0}_passed = LessOrEqual({1}, {2})\n", name, sums, wanted) +
         cast(name + "_passed32", name + "_passed", DataType::Int32) + vector(name + "_last", {1}) +
         fmt::format("{0} = ReduceSum <keepdims = 0> ({0}_passed32, {0}_last)\n", name);
}

}  // namespace

Result<std::string> non_zero_places(const std::string& name, std::string_view from,
                                    std::int64_t elements, std::int64_t count) {
  const bool by_blocks = elements > longest_searched_at_once;
  const std::int64_t compared = by_blocks ? ceil_div(elements, block) + block : elements;
  if (count > 0 && compared > most_comparisons / count)
    return fail(Code::OperatorUnsupported,
                fmt::format("{} of {} elements are not zero: finding them takes too long", count,
                            elements));
  std::string text = cast(name + "_is_there", from, DataType::Bool) +
                     reshape(name + "_flat", name + "_is_there", {-1}) +
                     cast(name + "_ones", name + "_flat", DataType::Int32) +
                     range(name + "_numbers", 0, count) +
                     cast(name + "_numbers32", name + "_numbers", DataType::Int32) +
                     reshape(name + "_wanted", name + "_numbers32", {count, 1}) +
                     fmt::format(
                         "{0}_first_axis = Constant <value_int = 0> ()\n"
                         "{0}_last_axis = Constant <value_int = 1> ()\n",
                         name);
  if (!by_blocks)
    return text + fmt::format("{0}_sums = CumSum({0}_ones, {0}_first_axis)\n", name) +
           passed(name + "_place", name + "_sums", name + "_wanted") +
           cast(name, name + "_place", DataType::Int64);
  const std::int64_t blocks = ceil_div(elements, block);
  return text + vector(name + "_margins", {0, blocks * block - elements}) +
         fmt::format("{0}_padded = Pad({0}_ones, {0}_margins)\n", name) +
         reshape(name + "_blocks", name + "_padded", {blocks, block}) +
         vector(name + "_along", {1}) +
         fmt::format(
             "{0}_totals = ReduceSum <keepdims = 0> ({0}_blocks, {0}_along)\n"
             "{0}_sums = CumSum({0}_totals, {0}_first_axis)\n",
             name) +
         passed(name + "_block", name + "_sums", name + "_wanted") +
         fmt::format(
             "{0}_sums_before = Sub({0}_sums, {0}_totals)\n"
             "{0}_before = Gather({0}_sums_before, {0}_block)\n",
             name) +
         reshape(name + "_before_column", name + "_before", {count, 1}) +
         fmt::format(
             "{0}_rest = Sub({0}_wanted, {0}_before_column)\n"
             "{0}_rows = Gather({0}_blocks, {0}_block)\n"
             "{0}_row_sums = CumSum({0}_rows, {0}_last_axis)\n",
             name) +
         passed(name + "_within", name + "_row_sums", name + "_rest") +
         cast(name + "_within64", name + "_within", DataType::Int64) +
         cast(name + "_block64", name + "_block", DataType::Int64) +
         fmt::format(
             "{0}_length = Constant <value_int = {1}> ()\n"
             "{0}_begin = Mul({0}_block64, {0}_length)\n{0} = Add({0}_begin, {0}_within64)\n",
             name, block);
}

std::string non_zero_count(std::string_view from) {
  return cast("count_is_there", from, DataType::Bool) +
         reshape("count_flat", "count_is_there", {-1}) +
         cast("count_ones", "count_flat", DataType::Int64) + vector("count_axis", {0}) +
         "count = ReduceSum(count_ones, count_axis)\n";
}

}  // namespace loopglass::contributed
