// ONNX's own Attention, from opset 23 on.
#include "core/contributed/attention_text.h"
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <array>
#include <limits>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// What an operand of Q, K and V is by heads.
struct Heads {
  std::int64_t count = 0, length = 0, size = 0;
};

Result<Heads> heads_of(const Call& call, std::string_view operand, const std::string& attribute) {
  const Shape& shape = call.shape(operand);
  const std::int64_t said = call.integer(attribute, 0);
  if (shape.size() == 4) return Heads{shape[1], shape[2], shape[3]};
  TRY_VOID(call.require_rank(operand, 3));
  if (said <= 0 || shape[2] % said != 0)
    return fail(Code::OperatorMisused,
                fmt::format("'{}' of {} columns for {} = {}", operand, shape[2], attribute, said));
  return Heads{said, shape[1], shape[2] / said};
}

Result<void> check_use_of_attention(const Call& call) {
  for (const char* name : {"Q", "K", "V"})
    if (call.type(name) != DataType::Float32 && call.type(name) != DataType::Float16)
      return fail(Code::OperatorUnsupported, fmt::format("'{}' of {} is not supported", name,
                                                         loopglass::name(call.type(name))));
  if (call.has("past_key") != call.has("past_value"))
    return fail(Code::OperatorMisused, "'past_key' and 'past_value' belong together");
  constexpr std::int64_t double_precision = 11;
  if (call.integer("softmax_precision", 1) == double_precision)
    return fail(Code::AttributeUnsupported, "a softmax in float64 is not supported");
  if (const std::int64_t mode = call.integer("qk_matmul_output_mode", 0); mode < 0 || mode > 3)
    return fail(Code::AttributeUnsupported,
                fmt::format("with qk_matmul_output_mode = {} it is not supported", mode));
  if (call.has("nonpad_kv_seqlen") && call.has("past_key"))
    return fail(Code::OperatorUnsupported, "'nonpad_kv_seqlen' is not supported with a past");
  return {};
}

Result<AttentionSizes> attention_sizes(const Call& call) {
  const Heads query = TRY(heads_of(call, "Q", "q_num_heads"));
  const Heads key = TRY(heads_of(call, "K", "kv_num_heads"));
  const Heads value = TRY(heads_of(call, "V", "kv_num_heads"));
  AttentionSizes sizes;
  sizes.batch = call.extent("Q", 0);
  sizes.heads = query.count;
  sizes.key_heads = key.count;
  sizes.queries = query.length;
  sizes.size = query.size;
  sizes.value_size = value.size;
  if (key.count <= 0 || query.count % key.count != 0 || value.count != key.count ||
      value.length != key.length || key.size != query.size || call.extent("K", 0) != sizes.batch ||
      call.extent("V", 0) != sizes.batch)
    return fail(Code::OperatorMisused,
                fmt::format("Q is {}, K {} and V {}, which do not fit", to_string(call.shape("Q")),
                            to_string(call.shape("K")), to_string(call.shape("V"))));
  if (call.has("past_key")) {
    for (const char* name : {"past_key", "past_value"}) TRY_VOID(call.require_rank(name, 4));
    sizes.past = call.extent("past_key", 2);
  }
  sizes.keys = sizes.past + key.length;
  // ONNX lets such a query see one of the new keys, ONNX Runtime all.
  if (call.integer("is_causal", 0) != 0 && sizes.past > 0 && sizes.queries == 1 && key.length > 1)
    return fail(
        Code::OperatorUnsupported,
        fmt::format("is_causal with one query and {} new keys is not supported", key.length));
  return sizes;
}

// `name`, by heads, of an operand of 3 or 4 axes.
std::string operand_in_heads(const Call& call, std::string_view name, std::string_view operand,
                             std::int64_t heads, std::int64_t size) {
  const Shape& shape = call.shape(operand);
  if (shape.size() == 4) return fmt::format("{} = Identity({})\n", name, operand);
  return in_heads(name, operand, shape[0], shape[1], heads, size);
}

// "given_mask", what is to be added to scores, of attn_mask, whose last axis may be shorter than
// there are keys.
Result<std::string> given_mask(const Call& call, const AttentionSizes& sizes) {
  if (!call.has("attn_mask")) return scalar("given_mask", 0, "scores");
  const Shape& shape = call.shape("attn_mask");
  const bool is_bool = call.type("attn_mask") == DataType::Bool;
  if (shape.size() < 2 || shape.size() > 4 || shape.back() > sizes.keys ||
      (!is_bool && !is_float(call.type("attn_mask"))))
    return fail(Code::OperatorUnsupported,
                fmt::format("a mask that is {} is not supported",
                            to_string(TensorType{call.type("attn_mask"), shape})));
  TRY_VOID(call.require_broadcasts("attn_mask",
                                   {sizes.batch, sizes.heads, sizes.queries, shape.back()}));
  std::string text =
      is_bool ? scalar("nothing", 0, "scores") + "mask_part = Where(attn_mask, nothing, lowest)\n"
              : "mask_part = CastLike(attn_mask, scores)\n";
  if (shape.back() == sizes.keys) return text + "given_mask = Identity(mask_part)\n";
  std::vector<std::int64_t> pads(2 * shape.size(), 0);
  pads.back() = sizes.keys - shape.back();
  return text + vector("mask_pads", pads) + "given_mask = Pad(mask_part, mask_pads, lowest)\n";
}

// "ordered_mask" of "given_mask": with is_causal each query sees the keys up to its own place. That
// of the last one is behind the past and all queries, or where the keys end.
std::string ordered_mask(const Call& call, const AttentionSizes& sizes) {
  if (call.integer("is_causal", 0) == 0) return "ordered_mask = Identity(given_mask)\n";
  if (!call.has("nonpad_kv_seqlen"))
    return later_text(sizes) + "ordered_mask = Where(later, lowest, given_mask)\n";
  return range("query_row", 1 - sizes.queries, 1) +
         reshape("query_steps", "query_row", {sizes.queries, 1}) +
         "query_ends = Add(key_ends, query_steps)\n"
         "seen = Less(key_row, query_ends)\n"
         "ordered_mask = Where(seen, given_mask, lowest)\n";
}

// "mask", what is added to scores: the lowest that there is for what is not to be seen, as ONNX
// Runtime has it.
Result<std::string> mask_text(const Call& call, const AttentionSizes& sizes) {
  const std::string given = TRY(given_mask(call, sizes));
  if (!call.has("nonpad_kv_seqlen"))
    return given + ordered_mask(call, sizes) + "mask = Identity(ordered_mask)\n";
  if (element_count(call.shape("nonpad_kv_seqlen")) != sizes.batch)
    return fail(Code::OperatorMisused, "'nonpad_kv_seqlen' has not one number for each row");
  return given + range("key_row", 0, sizes.keys) +
         reshape("key_ends", "nonpad_kv_seqlen", {sizes.batch, 1, 1, 1}) +
         ordered_mask(call, sizes) +
         "is_key = Less(key_row, key_ends)\nmask = Where(is_key, ordered_mask, lowest)\n";
}

// "shares" of "capped_scores". A query that sees no key has no shares, where ONNX's formula divides
// nothing by nothing: 0, as ONNX Runtime has it.
Result<std::string> shares_text(const Call& call, const AttentionSizes& sizes) {
  const bool has_mask = call.has("attn_mask") || call.has("nonpad_kv_seqlen");
  std::string text = lowest_text();
  if (!has_mask && call.integer("is_causal", 0) == 0)
    return text +
           "seen_scores = Identity(capped_scores)\nshares = Softmax <axis = -1> "
           "(seen_scores)\n";
  text += TRY(mask_text(call, sizes)) + "seen_scores = Add(capped_scores, mask)\n";
  if (!has_mask) return text + "shares = Softmax <axis = -1> (seen_scores)\n";
  const bool is_half = call.has("attn_mask") && call.type("attn_mask") == DataType::Float16;
  constexpr double lowest_half = -65504;
  return text + shares_behind_mask(is_half ? lowest_half : std::numeric_limits<float>::lowest());
}

// The scores at a stage of their way.
std::string_view scores_asked(const Call& call) {
  constexpr std::array<std::string_view, 4> stages{"scores", "capped_scores", "seen_scores",
                                                   "shares"};
  return stages[static_cast<std::size_t>(call.integer("qk_matmul_output_mode", 0))];
}

Result<std::string> attention_nodes(const Call& call) {
  TRY_VOID(check_use_of_attention(call));
  const AttentionSizes sizes = TRY(attention_sizes(call));
  std::string text = operand_in_heads(call, "query_heads", "Q", sizes.heads, sizes.size) +
                     operand_in_heads(call, "key_now", "K", sizes.key_heads, sizes.size) +
                     operand_in_heads(call, "value_now", "V", sizes.key_heads, sizes.value_size);
  text += call.has("past_key") ? with_past("present_key", "past_key", "key_now") +
                                     with_past("present_value", "past_value", "value_now")
                               : "present_key = Identity(key_now)\n"
                                 "present_value = Identity(value_now)\n";
  text += "key_heads = Identity(present_key)\nvalue_heads = Identity(present_value)\n" +
          scores_text(call, sizes) + capped_text(call) + TRY(shares_text(call, sizes)) +
          mixed_text(sizes);
  if (call.outputs() > 3)
    text += fmt::format("qk_matmul_output = CastLike({}, Q)\n", scores_asked(call));
  return text + (call.shape("Q").size() == 4 ? "Y = Identity(mixed)\n"
                                             : by_place("Y", "mixed", sizes.batch, sizes.queries,
                                                        sizes.heads, sizes.value_size));
}

}  // namespace

std::vector<Function> standard_attention() {
  return {
      of_onnx(23, {"Attention",
                   "Attention of several heads, from queries, keys and values, with a past.",
                   {"Q", "K", "V", "attn_mask?", "past_key?", "past_value?", "nonpad_kv_seqlen?"},
                   {"Y", "present_key", "present_value", "qk_matmul_output"},
                   {{"q_num_heads"},
                    {"kv_num_heads"},
                    {"is_causal"},
                    {"scale", Float},
                    {"softcap", Float},
                    {"softmax_precision"},
                    {"qk_matmul_output_mode"}},
                   attention_nodes})};
}

}  // namespace loopglass::contributed
