// Attention between queries, keys and values that lie by heads, as ONNX's text: the middle of every
// operator that computes attention (A. Vaswani et al., "Attention Is All You Need", 2017).
#pragma once

#include "core/contributed/call.h"

namespace loopglass::contributed {

struct AttentionSizes {
  std::int64_t batch = 0, heads = 0;
  std::int64_t key_heads = 0;  // each serves heads / key_heads of the queries' heads, in order
  std::int64_t queries = 0;    // how many
  std::int64_t keys = 0;       // and values, those of the past among them
  std::int64_t past = 0;
  std::int64_t size = 0, value_size = 0;  // elements of one head
};

// `name`, [batch, heads, length, size], of `from`, [batch, length, heads * size].
std::string in_heads(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size);
// `name`, [batch, length, heads * size], of `from`, [batch, heads, length, size].
std::string by_place(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size);
// `name`, [batch, heads, past + length, size]: `now` behind `before`.
std::string with_past(std::string_view name, std::string_view before, std::string_view now);

// "scores", [batch, heads, queries, keys], of "query_heads", [batch, heads, queries, size], and
// "key_heads", [batch, key_heads, keys, size]: query * key^T * scale. In float32, whatever the
// operands are. Reads the attribute scale.
std::string scores_text(const Call& call, const AttentionSizes& sizes);
// "capped_scores" of "scores": cap * tanh(score / cap), where the attribute softcap is above 0.
std::string capped_text(const Call& call);
// "later", true where a key lies behind the query's own place.
std::string later_text(const AttentionSizes& sizes);
// "lowest", a score that leaves nothing of a key; float32.
std::string lowest_text();
// "shares" of "seen_scores", to which "mask" was added: softmax, or nothing where the mask leaves a
// query no key above `lowest_mask`, where the formula would divide nothing by nothing.
std::string shares_behind_mask(double lowest_mask);
// "mixed", [batch, heads, queries, value_size], of "shares", [batch, heads, queries, keys], and
// "value_heads", [batch, key_heads, keys, value_size]; of the type of "query_heads".
std::string mixed_text(const AttentionSizes& sizes);

// "output", [batch, queries, heads * value_size], of "query_heads", "key_heads" and "value_heads":
// softmax(query * key^T * scale + what the mask forbids + bias) * value. Reads the attributes
// scale, mask_filter_value and unidirectional. `mask` and `bias` name operands, which may be left
// out. OperatorUnsupported for a mask of another form than ONNX Runtime's documentation has.
Result<std::string> attention_text(const Call& call, const AttentionSizes& sizes,
                                   std::string_view mask, std::string_view bias);

}  // namespace loopglass::contributed
