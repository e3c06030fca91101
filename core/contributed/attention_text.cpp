#include "core/contributed/attention_text.h"

#include "core/contributed/text.h"

#include <fmt/format.h>
#include <cmath>

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
  return TRY(allowed_keys(call, sizes, mask)) + scalar("nothing", 0, "query_heads") +
         scalar("filter", call.real("mask_filter_value", -10000), "query_heads") +
         "forbidden = Where(is_seen, nothing, filter)\n"
         "masked_scores = Add(scores, forbidden)\n";
}

// Each query sees the keys up to its own place.
std::string causal(const Call& call, const AttentionSizes& sizes) {
  if (call.integer("unidirectional", 0) == 0) return "seen_scores = Identity(biased_scores)\n";
  // Exactly nothing after softmax; float16 holds it, too.
  constexpr double lowest = -65504;
  return range("key_places", 0, sizes.keys) +
         range("query_row", sizes.past, sizes.past + sizes.queries) +
         reshape("query_places", "query_row", {sizes.queries, 1}) +
         "is_later = Greater(key_places, query_places)\n" +
         scalar("lowest", lowest, "query_heads") +
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
  double scale = call.real("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(sizes.size));
  return transpose("key_columns", "key_heads", {0, 1, 3, 2}) +
         "products = MatMul(query_heads, key_columns)\n" + scalar("scale", scale, "query_heads") +
         "scores = Mul(products, scale)\n" + TRY(masked(call, sizes, mask)) +
         add_if_given("biased_scores", "masked_scores", bias, call) + causal(call, sizes) +
         "shares = Softmax <axis = -1> (seen_scores)\n"
         "mixed = MatMul(shares, value_heads)\n" +
         transpose("mixed_by_place", "mixed", {0, 2, 1, 3}) +
         reshape("output", "mixed_by_place",
                 {sizes.batch, sizes.queries, sizes.heads * sizes.value_size});
}

}  // namespace loopglass::contributed
