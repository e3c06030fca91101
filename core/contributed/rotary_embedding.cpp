// Positions told by turning pairs of elements (J. Su et al., "RoFormer: Enhanced Transformer with
// Rotary Position Embedding", 2021): ONNX Runtime's operator and, from opset 23 on, ONNX's.
#include "core/contributed/function.h"
#include "core/contributed/rotary_text.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

struct RotaryNames {
  std::string_view input, output;
};

// [batch, heads, length, size], or [batch, length, heads * size].
Result<RotarySizes> rotary_sizes(const Call& call, std::string_view input, std::int64_t half) {
  const Shape& shape = call.shape(input);
  if (shape.size() != 3 && shape.size() != 4)
    return fail(Code::OperatorUnsupported, "only an input of 3 or 4 axes is supported");
  const bool is_by_heads = shape.size() == 4;
  RotarySizes sizes;
  sizes.batch = shape[0];
  sizes.length = shape[is_by_heads ? 2 : 1];
  sizes.half = half;
  sizes.heads = is_by_heads ? shape[1] : call.integer("num_heads", 0);
  if (sizes.heads <= 0 && half > 0) sizes.heads = shape[2] / (2 * half);
  sizes.size = is_by_heads ? shape[3] : sizes.heads > 0 ? shape[2] / sizes.heads : 0;
  sizes.is_interleaved = call.integer("interleaved", 0) != 0;
  const std::int64_t said = call.integer("rotary_embedding_dim", 0);  // 0: as many as there are
  if ((said != 0 && said != 2 * half) || (!is_by_heads && sizes.heads * sizes.size != shape[2]))
    return fail(Code::OperatorMisused,
                fmt::format("{} heads, of each of which {} elements turn", sizes.heads, 2 * half));
  TRY_VOID(check_rotary(sizes));
  return sizes;
}

// "cos" of "cos_at" and the like: an axis of heads put in.
std::string wave_of(std::string_view wave, std::string_view from) {
  return fmt::format("{0}_row = Unsqueeze({0}_{1}, head_axis)\n", wave, from) +
         cast(wave, fmt::format("{}_row", wave), DataType::Float32);
}

// From "cos" and "sin" on.
std::string rotary_text(const Call& call, const RotarySizes& sizes, const RotaryNames& names) {
  const bool is_by_heads = call.shape(names.input).size() == 4;
  return (is_by_heads
              ? transpose("x", names.input, {0, 2, 1, 3})
              : reshape("x", names.input, {sizes.batch, sizes.length, sizes.heads, sizes.size})) +
         turned_heads("whole", "x", sizes) +
         (is_by_heads ? transpose(names.output, "whole", {0, 2, 1, 3})
                      : reshape(names.output, "whole", call.shape(names.input)));
}

Result<std::string> rotary_embedding(const Call& call) {
  TRY_VOID(call.require_rank("cos_cache", 2));
  if (call.integer("is_packed_batching", 0) != 0 || call.real("scale", 1) != 1)
    return fail(Code::AttributeUnsupported, "packed batches and a scale are not supported");
  const RotarySizes sizes = TRY(rotary_sizes(call, "input", call.extent("cos_cache", 1)));
  if (call.shape("position_ids").size() != 1)
    TRY_VOID(call.require_broadcasts("position_ids", {sizes.batch, sizes.length}));
  const std::string places = call.shape("position_ids").size() == 1  // of the first
                                 ? range("steps", 0, sizes.length) +
                                       "places_row = Add(steps, position_ids)\n" +
                                       reshape("places", "places_row", {1, sizes.length})
                                 : "places = Identity(position_ids)\n";
  return places + waves_at_places() + rotary_text(call, sizes, {"input", "output"});
}

Result<std::string> standard_rotary_embedding(const Call& call) {
  const bool has_places = call.has("position_ids");
  for (const char* cache : {"cos_cache", "sin_cache"})
    TRY_VOID(call.require_rank(cache, has_places ? 2 : 3));
  const RotarySizes sizes = TRY(rotary_sizes(call, "X", call.extent("cos_cache", -1)));
  if (has_places) TRY_VOID(call.require_broadcasts("position_ids", {sizes.batch, sizes.length}));
  const std::string waves =
      has_places ? "places = Identity(position_ids)\n" + waves_at_places() : waves_of_caches();
  return waves + rotary_text(call, sizes, {"X", "Y"});
}

}  // namespace

Result<void> check_rotary(const RotarySizes& sizes) {
  if (sizes.half > 0 && sizes.size >= 2 * sizes.half) return {};
  return fail(Code::OperatorMisused, fmt::format("{} heads, of each of which {} elements turn",
                                                 sizes.heads, 2 * sizes.half));
}

std::string waves_at_places() {
  std::string text = vector("head_axis", {2});
  for (const char* wave : {"cos", "sin"})
    text += fmt::format("{0}_at = Gather({0}_cache, places)\n", wave) + wave_of(wave, "at");
  return text;
}

std::string waves_of_caches() {
  return vector("head_axis", {2}) + wave_of("cos", "cache") + wave_of("sin", "cache");
}

std::string turned_heads(std::string_view name, std::string_view from, const RotarySizes& sizes) {
  const std::int64_t half = sizes.half, turning = 2 * half;
  const auto own = [&](std::string_view of) { return fmt::format("{}_{}", name, of); };
  const std::string wide = own("wide");
  std::string text = cast(wide, from, DataType::Float32) +
                     (sizes.is_interleaved ? slice(own("left"), wide, 0, turning, 3, 2) +
                                                 slice(own("right"), wide, 1, turning, 3, 2)
                                           : slice(own("left"), wide, 0, half, 3) +
                                                 slice(own("right"), wide, half, turning, 3));
  text += fmt::format(
      "{0}_left_cos = Mul({0}_left, cos)\n{0}_right_sin = Mul({0}_right, sin)\n"
      "{0}_left_sin = Mul({0}_left, sin)\n{0}_right_cos = Mul({0}_right, cos)\n"
      "{0}_real = Sub({0}_left_cos, {0}_right_sin)\n"
      "{0}_imaginary = Add({0}_left_sin, {0}_right_cos)\n",
      name);
  if (sizes.is_interleaved)
    text += vector(own("pair_axis"), {4}) +
            fmt::format(
                "{0}_real_column = Unsqueeze({0}_real, {0}_pair_axis)\n"
                "{0}_imaginary_column = Unsqueeze({0}_imaginary, {0}_pair_axis)\n"
                "{0}_pairs = Concat <axis = 4> ({0}_real_column, {0}_imaginary_column)\n",
                name) +
            reshape(own("turned"), own("pairs"), {sizes.batch, sizes.length, sizes.heads, turning});
  else text += fmt::format("{0}_turned = Concat <axis = 3> ({0}_real, {0}_imaginary)\n", name);
  if (sizes.size == turning)
    return text + fmt::format("{0} = CastLike({0}_turned, {1})\n", name, from);
  return text + slice(own("rest"), wide, turning, sizes.size, 3) +
         fmt::format(
             "{0}_whole = Concat <axis = 3> ({0}_turned, {0}_rest)\n"
             "{0} = CastLike({0}_whole, {1})\n",
             name, from);
}

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
           rotary_embedding},
          of_onnx(23, {"RotaryEmbedding",
                       "The first elements of each head turned by angles that grow with the place.",
                       {"X", "cos_cache", "sin_cache", "position_ids?"},
                       {"Y"},
                       {{"interleaved"}, {"num_heads"}, {"rotary_embedding_dim"}},
                       standard_rotary_embedding})};
}

}  // namespace loopglass::contributed
