// Attention between queries, keys and values that lie by heads, as ONNX's text: the middle of every
// operator that computes attention (A. Vaswani et al., "Attention Is All You Need", 2017).
#pragma once

#include "core/contributed/call.h"

namespace loopglass::contributed {

struct AttentionSizes {
  std::int64_t batch = 0, heads = 0;
  std::int64_t queries = 0;  // how many
  std::int64_t keys = 0;     // and values, those of the past among them
  std::int64_t past = 0;
  std::int64_t size = 0, value_size = 0;  // elements of one head
};

// `name`, [batch, heads, length, size], of `from`, [batch, length, heads * size].
std::string in_heads(std::string_view name, std::string_view from, std::int64_t batch,
                     std::int64_t length, std::int64_t heads, std::int64_t size);
// `name`, [batch, heads, past + length, size]: `now` behind `before`.
std::string with_past(std::string_view name, std::string_view before, std::string_view now);

// "output", [batch, queries, heads * value_size], of "query_heads", "key_heads" and "value_heads":
// softmax(query * key^T * scale + what the mask forbids + bias) * value. Reads the attributes
// scale, mask_filter_value and unidirectional. `mask` and `bias` name operands, which may be left
// out. OperatorUnsupported for a mask of another form than ONNX Runtime's documentation has.
Result<std::string> attention_text(const Call& call, const AttentionSizes& sizes,
                                   std::string_view mask, std::string_view bias);

}  // namespace loopglass::contributed
