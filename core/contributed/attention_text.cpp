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
  return later_text(sizes) + lowest_text() + "seen_scores = Where(later, lowest, biased_scores)\n";
}

// How many heads of queries each head of keys serves.
std::int64_t group_of(const AttentionSizes& sizes) {
  return sizes.heads / std::max<std::int64_t>(1, sizes.key_heads);
}

// Of so many queries the scores are far more than the keys, which may as well be copied.
constexpr std::int64_t many_queries = 64;

// `name` = `left` * `right`, of which there is one matrix for each head of keys. Of few queries
// those of a group lie below one another, so that no key and no value is copied; of many each head
// has its own, and scores keep one shape, up to the softmax and behind it: one kernel may compute
// them in bands (fusion/row_chain.h). `left` has `inner` columns, `right` `columns`.
std::string product_of_groups(const AttentionSizes& sizes, std::string_view name,
                              std::string_view left, std::string_view right, std::int64_t inner,
                              std::int64_t columns) {
  const std::int64_t group = group_of(sizes);
  if (group == 1) return fmt::format("{} = MatMul({}, {})\n", name, left, right);
  if (sizes.queries < many_queries)
    return reshape(fmt::format("{}_groups", left), left,
                   {sizes.batch, sizes.key_heads, group * sizes.queries, inner}) +
           fmt::format("{}_of_groups = MatMul({}_groups, {})\n", name, left, right) +
           reshape(name, fmt::format("{}_of_groups", name),
                   {sizes.batch, sizes.heads, sizes.queries, columns});
  const std::string once = fmt::format("{}_once", right), shape = fmt::format("{}_shape", right),
                    repeated = fmt::format("{}_repeated", right),
                    own = fmt::format("{}_of_heads", right);
  return reshape(once, right, {sizes.batch, sizes.key_heads, 1, inner, columns}) +
         vector(shape, {sizes.batch, sizes.key_heads, group, inner, columns}) +
         fmt::format("{} = Expand({}, {})\n", repeated, once, shape) +
         reshape(own, repeated, {sizes.batch, sizes.heads, inner, columns}) +
         fmt::format("{} = MatMul({}, {})\n", name, left, own);
}

}  // namespace

std::string in_heads(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size) {
  const std::string by_place = fmt::format("{}_by_place", name);
  return reshape(by_place, from, {batch, length, heads, size}) +
         transpose(name, by_place, {0, 2, 1, 3});
}

std::string by_place(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size) {
  return transpose(fmt::format("{}_by_heads", name), from, {0, 2, 1, 3}) +
         reshape(name, fmt::format("{}_by_heads", name), {batch, length, heads * size});
}

std::string with_past(std::string_view name, std::string_view before, std::string_view now) {
  return fmt::format("{} = Concat <axis = 2> ({}, {})\n", name, before, now);
}

std::string scores_text(const Call& call, const AttentionSizes& sizes) {
  // 0 is none.
  const double usual = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, sizes.size)));
  const std::string scale = call.real("scale", 0) == 0 ? number(usual) : "@scale";
  return cast("queries", "query_heads", DataType::Float32) +
         cast("keys", "key_heads", DataType::Float32) +
         transpose("key_columns", "keys", {0, 1, 3, 2}) +
         product_of_groups(sizes, "products", "queries", "key_columns", sizes.size, sizes.keys) +
         scalar("scale", scale, "queries") + "scores = Mul(products, scale)\n";
}

std::string capped_text(const Call& call) {
  if (call.real("softcap", 0) <= 0) return "capped_scores = Identity(scores)\n";
  return scalar("cap", "@softcap", "scores") +
         "scores_in_caps = Div(scores, cap)\nbent_scores = Tanh(scores_in_caps)\n"
         "capped_scores = Mul(bent_scores, cap)\n";
}

std::string later_text(const AttentionSizes& sizes) {
  return range("key_places", 0, sizes.keys) +
         range("query_row", sizes.past, sizes.past + sizes.queries) +
         reshape("query_places", "query_row", {sizes.queries, 1}) +
         "later = Greater(key_places, query_places)\n";
}

std::string lowest_text() {
  return fmt::format("lowest = Constant <value_float = {}> ()\n",
                     number(std::numeric_limits<float>::lowest()));
}

std::string shares_behind_mask(double lowest_mask) {
  return vector("mask_axes", {-1}) + "best_mask = ReduceMax(mask, mask_axes)\n" +
         scalar("blind_mask", lowest_mask, "mask") + scalar("no_share", 0, "mask") +
         "is_blind = LessOrEqual(best_mask, blind_mask)\n"
         "some_shares = Softmax <axis = -1> (seen_scores)\n"
         "shares = Where(is_blind, no_share, some_shares)\n";
}

std::string mixed_text(const AttentionSizes& sizes) {
  return cast("values", "value_heads", DataType::Float32) +
         product_of_groups(sizes, "mixed_wide", "shares", "values", sizes.keys, sizes.value_size) +
         "mixed = CastLike(mixed_wide, query_heads)\n";
}

Result<std::string> attention_text(const Call& call, const AttentionSizes& sizes,
                                   std::string_view mask, std::string_view bias) {
  // In float32, whatever the operands are: -10000 leaves float16 nothing of a score beside it.
  std::string biased = "biased_scores = Identity(masked_scores)\n";
  if (call.has(bias))
    biased = fmt::format(
        "bias_of_scores = CastLike({}, queries)\n"
        "biased_scores = Add(masked_scores, bias_of_scores)\n",
        bias);
  return scores_text(call, sizes) + TRY(masked(call, sizes, mask)) + biased + causal(call, sizes) +
         "shares = Softmax <axis = -1> (seen_scores)\n" + mixed_text(sizes) +
         by_place("output", "mixed", sizes.batch, sizes.queries, sizes.heads, sizes.value_size);
}

}  // namespace loopglass::contributed
