// Positions told by turning pairs of elements (J. Su et al., "RoFormer: Enhanced Transformer with
// Rotary Position Embedding", 2021).
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

Result<std::string> rotary_embedding(const Call& call) {
  TRY_VOID(call.require_rank("cos_cache", 2));
  if (call.integer("is_packed_batching", 0) != 0 || call.real("scale", 1) != 1)
    return fail(Code::AttributeUnsupported, "packed batches and a scale are not supported");
  const Shape& shape = call.shape("input");
  if (shape.size() != 3 && shape.size() != 4)
    return fail(Code::OperatorUnsupported, "only an input of 3 or 4 axes is supported");
  const bool is_by_heads = shape.size() == 4;  // [batch, heads, length, size]
  const std::int64_t half = call.extent("cos_cache", 1), turning = 2 * half;
  const std::int64_t batch = shape[0], length = shape[is_by_heads ? 2 : 1];
  std::int64_t heads = is_by_heads ? shape[1] : call.integer("num_heads", 0);
  if (heads <= 0 && turning > 0) heads = shape[2] / turning;
  const std::int64_t size = is_by_heads ? shape[3] : heads > 0 ? shape[2] / heads : 0;
  const std::int64_t said = call.integer("rotary_embedding_dim", 0);  // 0: as many as there are
  if ((said != 0 && said != turning) || turning <= 0 || size < turning ||
      (!is_by_heads && heads * size != shape[2]))
    return fail(Code::OperatorMisused,
                fmt::format("{} heads, of each of which {} elements turn", heads, turning));
  std::string text = is_by_heads ? transpose("x", "input", {0, 2, 1, 3})
                                 : reshape("x", "input", {batch, length, heads, size});
  if (call.shape("position_ids").size() == 1)  // of the first
    text += range("steps", 0, length) + "places_row = Add(steps, position_ids)\n" +
            reshape("places", "places_row", {1, length});
  else text += "places = Identity(position_ids)\n";
  text += vector("head_axis", {2});
  for (const char* wave : {"cos", "sin"})
    text += fmt::format("{0}_at = Gather({0}_cache, places)\n{0} = Unsqueeze({0}_at, head_axis)\n",
                        wave);
  const bool is_interleaved = call.integer("interleaved", 0) != 0;
  text += is_interleaved
              ? slice("left", "x", 0, turning, 3, 2) + slice("right", "x", 1, turning, 3, 2)
              : slice("left", "x", 0, half, 3) + slice("right", "x", half, turning, 3);
  text +=
      "left_cos = Mul(left, cos)\nright_sin = Mul(right, sin)\n"
      "left_sin = Mul(left, sin)\nright_cos = Mul(right, cos)\n"
      "real = Sub(left_cos, right_sin)\nimaginary = Add(left_sin, right_cos)\n";
  if (is_interleaved)
    text += vector("pair_axis", {4}) +
            "real_column = Unsqueeze(real, pair_axis)\n"
            "imaginary_column = Unsqueeze(imaginary, pair_axis)\n"
            "pairs = Concat <axis = 4> (real_column, imaginary_column)\n" +
            reshape("turned", "pairs", {batch, length, heads, turning});
  else text += "turned = Concat <axis = 3> (real, imaginary)\n";
  text += size == turning
              ? "whole = Identity(turned)\n"
              : slice("rest", "x", turning, size, 3) + "whole = Concat <axis = 3> (turned, rest)\n";
  return text + (is_by_heads ? transpose("output", "whole", {0, 2, 1, 3})
                             : reshape("output", "whole", shape));
}

}  // namespace

std::vector<Function> rotary_embeddings() {
  return {{"RotaryEmbedding",
           "The first elements of each head turned by angles that grow with the place.",
           {"input", "position_ids", "cos_cache", "sin_cache"},
           {"output"},
           {{"interleaved"},
            {"num_heads"},
            {"rotary_embedding_dim"},
            {"scale", Float},
            {"is_packed_batching"}},
           rotary_embedding}};
}

}  // namespace loopglass::contributed
