#include "core/contributed/attention_text.h"

#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace loopglass::contributed {

namespace {

// is_seen, spread over heads and queries: which keys the mask allows.
Result<std::string> allowed_keys(const Call& call, const AttentionSizes& sizes,
                                 std::string_view mask) {
  const Shape& shape = call.shape(mask);
  const std::int64_t batch = sizes.batch;
  // Where the keys of each row end, and, of twice as many numbers, where they begin.
  if (shape == Shape{batch} || shape == Shape{2 * batch}) {
    std::string text = range("places_wide", 0, sizes.keys) +
                       fmt::format("places = CastLike(places_wide, {})\n", mask) +
                       slice("ends", mask, 0, batch, 0) + reshape("end", "ends", {batch, 1}) +
                       "is_before_end = Less(places, end)\n";
    if (shape == Shape{2 * batch})
      text += slice("begins", mask, batch, 2 * batch, 0) + reshape("begin", "begins", {batch, 1}) +
              "is_behind_begin = GreaterOrEqual(places, begin)\n"
              "is_between = And(is_before_end, is_behind_begin)\n";
    return text + reshape("is_seen", shape == Shape{2 * batch} ? "is_between" : "is_before_end",
                          {batch, 1, 1, sizes.keys});
  }
  const bool is_for_each_query = shape == Shape{batch, sizes.queries, sizes.keys};
  if (!is_for_each_query && shape != Shape{batch, sizes.keys})
    return fail(Code::OperatorUnsupported,
                fmt::format("a mask that is {} is not supported",
                            to_string(TensorType{call.type(mask), shape})));
  return scalar("mask_zero", 0, mask) + fmt::format("is_allowed = Greater({}, mask_zero)\n", mask) +
         reshape("is_seen", "is_allowed",
                 {batch, 1, is_for_each_query ? sizes.queries : 1, sizes.keys});
}

Result<std::string> masked(const Call& call, const AttentionSizes& sizes, std::string_view mask) {
  if (!call.has(mask)) return std::string("masked_scores = Identity(scores)\n");
  return TRY(allowed_keys(call, sizes, mask)) + scalar("nothing", 0, "queries") +
         scalar("filter", call.attribute_or("mask_filter_value", -10000), "queries") +
         "forbidden = Where(is_seen, nothing, filter)\n"
         "masked_scores = Add(scores, forbidden)\n";
}

// Each query sees the keys up to its own place. Others have the lowest score that there is, as keys
// that the mask forbids may have.
std::string causal(const Call& call, const AttentionSizes& sizes) {
  if (call.integer("unidirectional", 0) == 0) return "seen_scores = Identity(biased_scores)\n";
  return range("key_places", 0, sizes.keys) +
         range("query_row", sizes.past, sizes.past + sizes.queries) +
         reshape("query_places", "query_row", {sizes.queries, 1}) +
         "is_later = Greater(key_places, query_places)\n" +
         scalar("lowest", std::numeric_limits<float>::lowest(), "queries") +
         "seen_scores = Where(is_later, lowest, biased_scores)\n";
}

}  // namespace

std::string in_heads(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size) {
  const std::string by_place = fmt::format("{}_by_place", name);
  return reshape(by_place, from, {batch, length, heads, size}) +
         transpose(name, by_place, {0, 2, 1, 3});
}

std::string with_past(std::string_view name, std::string_view before, std::string_view now) {
  return fmt::format("{} = Concat <axis = 2> ({}, {})\n", name, before, now);
}

Result<std::string> attention_text(const Call& call, const AttentionSizes& sizes,
                                   std::string_view mask, std::string_view bias) {
  // 0 is none.
  const double usual = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, sizes.size)));
  const std::string scale = call.real("scale", 0) == 0 ? number(usual) : "@scale";
  // In float32, whatever the operands are: -10000 leaves float16 nothing of a score beside it.
  std::string biased = "biased_scores = Identity(masked_scores)\n";
  if (call.has(bias))
    biased = fmt::format(
        "bias_of_scores = CastLike({}, queries)\n"
        "biased_scores = Add(masked_scores, bias_of_scores)\n",
        bias);
  return cast("queries", "query_heads", DataType::Float32) +
         cast("keys", "key_heads", DataType::Float32) +
         cast("values", "value_heads", DataType::Float32) +
         transpose("key_columns", "keys", {0, 1, 3, 2}) +
         "products = MatMul(queries, key_columns)\n" + scalar("scale", scale, "queries") +
         "scores = Mul(products, scale)\n" + TRY(masked(call, sizes, mask)) + biased +
         causal(call, sizes) +
         "shares = Softmax <axis = -1> (seen_scores)\n"
         "mixed = MatMul(shares, values)\n"
         "mixed_typed = CastLike(mixed, query_heads)\n" +
         transpose("mixed_by_place", "mixed_typed", {0, 2, 1, 3}) +
         reshape("output", "mixed_by_place",
                 {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
}

}  // namespace loopglass::contributed
