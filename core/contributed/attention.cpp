// Operators that compute attention: from one input by weights, by quantised weights, or from
// queries, keys and values.
#include "core/contributed/attention_text.h"
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// From "projected", [batch, length, width of queries, keys and values], on.
Result<std::string> attention_of_projections(const Call& call, std::string_view weights) {
  TRY_VOID(call.require_rank("input", 3));
  TRY_VOID(call.require_rank(weights, 2));
  for (const char* name : {"do_rotary", "past_present_share_buffer"})
    if (call.integer(name, 0) != 0)
      return fail(Code::AttributeUnsupported,
                  fmt::format("with {} = {} it is not supported", name, call.integer(name, 0)));
  if (call.has("past_sequence_length"))
    return fail(Code::OperatorUnsupported, "with 'past_sequence_length' it is not supported");
  const std::int64_t heads = call.integer("num_heads", 0), width = call.extent(weights, 1);
  std::vector<std::int64_t> widths = call.integers("qkv_hidden_sizes");
  if (widths.empty()) widths = {width / 3, width / 3, width / 3};
  if (heads <= 0 || widths.size() != 3 || widths[0] <= 0 || widths[0] > width || widths[2] <= 0 ||
      widths[0] != widths[1] || width - 2 * widths[0] != widths[2] || widths[0] % heads != 0 ||
      widths[2] % heads != 0)
    return fail(Code::OperatorMisused,
                fmt::format("{} columns of weights for {} heads", width, heads));
  AttentionSizes sizes;
  sizes.batch = call.extent("input", 0);
  sizes.heads = sizes.key_heads = heads;
  sizes.queries = sizes.keys = call.extent("input", 1);
  sizes.size = widths[0] / heads;
  sizes.value_size = widths[2] / heads;
  std::string text =
      vector("widths", widths) +
      "query_projection, key_projection, value_projection = Split <axis = 2> (projected, "
      "widths)\n" +
      in_heads("query_heads", "query_projection", sizes.batch, sizes.queries, heads, sizes.size);
  const std::string_view key = call.has("past") ? "key_now" : "key_heads";
  const std::string_view value = call.has("past") ? "value_now" : "value_heads";
  text += in_heads(key, "key_projection", sizes.batch, sizes.queries, heads, sizes.size) +
          in_heads(value, "value_projection", sizes.batch, sizes.queries, heads, sizes.value_size);
  if (call.has("past")) {
    TRY_VOID(call.require_rank("past", 5));
    sizes.past = call.extent("past", 3);
    sizes.keys += sizes.past;
    const std::vector<std::int64_t> before{sizes.batch, heads, sizes.past, sizes.size};
    text +=
        "past_key, past_value = Split <axis = 0, num_outputs = 2> (past)\n" +
        reshape("key_before", "past_key", before) + reshape("value_before", "past_value", before) +
        with_past("key_heads", "key_before", key) + with_past("value_heads", "value_before", value);
  }
  if (call.outputs() > 1)
    text += vector("pair_axis", {0}) +
            "key_of_pair = Unsqueeze(key_heads, pair_axis)\n"
            "value_of_pair = Unsqueeze(value_heads, pair_axis)\n"
            "present = Concat <axis = 0> (key_of_pair, value_of_pair)\n";
  return text + TRY(attention_text(call, sizes, "mask_index", "attention_bias"));
}

Result<std::string> attention_by_weights(const Call& call) {
  return "product = MatMul(input, weights)\n" + add_if_given("projected", "product", "bias", call) +
         TRY(attention_of_projections(call, "weights"));
}

Result<std::string> attention_by_quantised_weights(const Call& call) {
  return fmt::format(
             "product = com.microsoft.MatMulIntegerToFloat(input, weight, input_scale, "
             "weight_scale, {}, {})\n",
             call.or_none("input_zero_point"), call.or_none("weight_zero_point")) +
         add_if_given("projected", "product", "bias", call) +
         TRY(attention_of_projections(call, "weight"));
}

Result<std::string> multi_head_attention(const Call& call) {
  TRY_VOID(call.require_rank("query", 3));
  for (const char* name : {"cache_indirection", "past_sequence_length"})
    if (call.has(name))
      return fail(Code::OperatorUnsupported, fmt::format("with '{}' it is not supported", name));
  const std::int64_t heads = call.integer("num_heads", 0), width = call.extent("query", 2);
  const bool is_by_heads = call.shape("key").size() == 4;  // [batch, heads, length, size] already
  for (const char* name : {"key", "value"}) TRY_VOID(call.require_rank(name, is_by_heads ? 4 : 3));
  const std::int64_t value_width =
      is_by_heads ? heads * call.extent("value", 3) : call.extent("value", 2);
  if (heads <= 0 || width % heads != 0 || value_width % heads != 0)
    return fail(Code::OperatorMisused, fmt::format("{} columns for {} heads", width, heads));
  AttentionSizes sizes;
  sizes.batch = call.extent("query", 0);
  sizes.heads = sizes.key_heads = heads;
  sizes.queries = call.extent("query", 1);
  sizes.size = width / heads;
  sizes.value_size = value_width / heads;
  const std::int64_t now = call.extent("key", is_by_heads ? 2 : 1);
  std::string text;
  // `heads_name` of an operand whose share of the bias begins there.
  const auto split = [&](const std::string& operand, std::string_view heads_name,
                         std::int64_t length, std::int64_t size, std::int64_t begin) {
    std::string from = operand;
    if (call.has("bias")) {
      text += slice(operand + "_bias", "bias", begin, begin + heads * size, 0) +
              fmt::format("{0}_biased = Add({0}, {0}_bias)\n", operand);
      from += "_biased";
    }
    text += in_heads(heads_name, from, sizes.batch, length, heads, size);
  };
  split("query", "query_heads", sizes.queries, sizes.size, 0);
  if (is_by_heads) {
    text += "key_now = Identity(key)\nvalue_now = Identity(value)\n";
  } else {
    split("key", "key_now", now, sizes.size, width);
    split("value", "value_now", now, sizes.value_size, 2 * width);
  }
  sizes.keys = now;
  if (call.has("past_key") && call.has("past_value")) {
    TRY_VOID(call.require_rank("past_key", 4));
    sizes.past = call.extent("past_key", 2);
    sizes.keys += sizes.past;
    text += with_past("key_heads", "past_key", "key_now") +
            with_past("value_heads", "past_value", "value_now");
  } else {
    text += "key_heads = Identity(key_now)\nvalue_heads = Identity(value_now)\n";
  }
  if (call.outputs() > 1)
    text += "present_key = Identity(key_heads)\npresent_value = Identity(value_heads)\n";
  return text + TRY(attention_text(call, sizes, "key_padding_mask", "attention_bias"));
}

}  // namespace

std::vector<Function> attention() {
  return {
      {"Attention",
       "Attention of several heads whose queries, keys and values are projections of one input.",
       {"input", "weights", "bias?", "mask_index?", "past?", "attention_bias?",
        "past_sequence_length?"},
       {"output", "present"},
       {{"num_heads"},
        {"unidirectional"},
        {"qkv_hidden_sizes", Ints},
        {"mask_filter_value", Float},
        {"scale", Float},
        {"do_rotary"},
        {"rotary_embedding_dim"},
        {"past_present_share_buffer"}},
       attention_by_weights},
      {"MultiHeadAttention",
       "Attention of several heads, from queries, keys and values.",
       {"query", "key", "value", "bias?", "key_padding_mask?", "attention_bias?", "past_key?",
        "past_value?", "past_sequence_length?", "cache_indirection?"},
       {"output", "present_key", "present_value"},
       {{"num_heads"}, {"unidirectional"}, {"mask_filter_value", Float}, {"scale", Float}},
       multi_head_attention},
      {"QAttention",
       "Attention of several heads whose projections are products of bytes.",
       {"input", "weight", "bias", "input_scale", "weight_scale", "mask_index?",
        "input_zero_point?", "weight_zero_point?", "past?"},
       {"output", "present"},
       {{"num_heads"},
        {"unidirectional"},
        {"mask_filter_value", Float},
        {"scale", Float},
        {"do_rotary"},
        {"past_present_share_buffer"}},
       attention_by_quantised_weights},
  };
}

}  // namespace loopglass::contributed
