// Products fused with what stands around them, and with weights of few bits.
#include "core/contributed/function.h"
#include "core/contributed/text.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>
#include <cmath>
#include <numeric>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// --- activations behind a product ---------------------------------------------------------------

// Parameters of an activation, as text: numbers or attributes. `limits` makes those of Clip.
struct Activation {
  std::string name;
  std::vector<std::string> parameters;
  std::string limits;
};

// y = the activation of x.
Result<std::string> activated(const Activation& by) {
  const auto parameter = [&](std::size_t i, double fallback) {
    return i < by.parameters.size() ? by.parameters[i] : number(fallback);
  };
  if (by.name.empty()) return std::string("y = Identity(x)\n");
  if (by.name == "Relu" || by.name == "Tanh" || by.name == "Sigmoid" || by.name == "Softplus" ||
      by.name == "Softsign")
    return fmt::format("y = {}(x)\n", by.name);
  if (by.name == "LeakyRelu")
    return fmt::format("y = LeakyRelu <alpha = {}> (x)\n", parameter(0, 0.01));
  if (by.name == "HardSigmoid")
    return fmt::format("y = HardSigmoid <alpha = {}, beta = {}> (x)\n", parameter(0, 0.2),
                       parameter(1, 0.5));
  if (by.name == "Clip" && !by.limits.empty()) return by.limits + "y = Clip(x, lowest, highest)\n";
  return fail(Code::AttributeUnsupported, fmt::format("activation '{}' is not supported", by.name));
}

Result<std::string> fused_conv(const Call& call) {
  Activation activation{call.word("activation", ""), {}, {}};
  const std::vector<double> given = call.reals("activation_params");
  for (const double each : given) {
    // Of Clip, whose limits may be infinite, they stay where they are.
    if (activation.name != "Clip" && each != 0 && !std::isnormal(static_cast<float>(each)))
      return fail(Code::AttributeUnsupported,
                  fmt::format("an activation with {} is not supported", each));
    if (activation.name != "Clip") activation.parameters.push_back(number(each));
  }
  if (given.size() == 2)
    activation.limits =
        "limits = Constant <value_floats = @activation_params> ()\n"
        "first = Constant <value_int = 0> ()\nsecond = Constant <value_int = 1> ()\n"
        "lowest_float32 = Gather(limits, first)\nhighest_float32 = Gather(limits, second)\n"
        "lowest = CastLike(lowest_float32, x)\nhighest = CastLike(highest_float32, x)\n";
  return fmt::format("convolved = Conv {} (X, W{})\n",
                     call.passing_on_window({"dilations", "group"}), call.has("B") ? ", B" : "") +
         add_if_given("x", "convolved", "Z", call) + TRY(activated(activation));
}

Result<std::string> fused_gemm(const Call& call) {
  Activation activation{call.word("activation", ""), {}, {}};
  for (const char* name : {"activation_alpha", "activation_beta"})
    if (call.has_attribute(name)) activation.parameters.push_back(fmt::format("@{}", name));
  return fmt::format("x = Gemm {} (A, B{})\n",
                     call.passing_on({"alpha", "beta", "transA", "transB"}),
                     call.has("C") ? ", C" : "") +
         TRY(activated(activation));
}

// --- products of operands that lie another way --------------------------------------------------

// The operand as the product takes it: what stands first behind the batch where `is_batch`, then
// its last two axes exchanged where `is_transposed`.
std::string turned(const Call& call, std::string_view operand, bool is_transposed, bool is_batch) {
  const std::size_t rank = call.shape(operand).size();
  std::string from(operand), text;
  if (is_batch && rank > 2) {
    std::vector<std::int64_t> permutation(rank);
    std::iota(permutation.begin(), permutation.end() - 2, 1);
    permutation[rank - 2] = 0;
    permutation[rank - 1] = static_cast<std::int64_t>(rank) - 1;
    text += transpose(fmt::format("{}_batch", operand), from, permutation);
    from = fmt::format("{}_batch", operand);
  }
  return text + (is_transposed ? transpose_matrix(fmt::format("{}_turned", operand), from, rank)
                               : fmt::format("{}_turned = Identity({})\n", operand, from));
}

Result<std::string> fused_matmul(const Call& call) {
  return turned(call, "A", call.integer("transA", 0) != 0, call.integer("transBatchA", 0) != 0) +
         turned(call, "B", call.integer("transB", 0) != 0, call.integer("transBatchB", 0) != 0) +
         "product = MatMul(A_turned, B_turned)\n" +
         scalar("alpha", call.attribute_or("alpha", 1), "A") + "Y = Mul(product, alpha)\n";
}

// --- weights of few bits ------------------------------------------------------------------------

// Whole numbers of `bits` bits, packed into bytes of a matrix from the lowest bits on, as uint8
// along the last axis, which grows.
std::string unpacked(std::string_view name, std::string_view packed, std::int64_t bits,
                     const Shape& shape) {
  if (bits == 8) return fmt::format("{} = Identity({})\n", name, packed);
  std::string text, parts;
  const std::int64_t a_byte = 8 / bits;
  text += fmt::format("{}_mask_wide = Constant <value_int = {}> ()\n", name, (1 << bits) - 1) +
          fmt::format("{0}_mask = CastLike({0}_mask_wide, {1})\n", name, packed);
  const auto last = static_cast<std::int64_t>(shape.size());
  text += vector(fmt::format("{}_axes", name), {last});
  for (std::int64_t part = 0; part < a_byte; ++part) {
    text += fmt::format(
        "{0}_by{1}_wide = Constant <value_int = {2}> ()\n"
        "{0}_by{1} = CastLike({0}_by{1}_wide, {3})\n"
        "{0}_moved{1} = BitShift <direction = \"RIGHT\"> ({3}, {0}_by{1})\n"
        "{0}_part{1} = BitwiseAnd({0}_moved{1}, {0}_mask)\n"
        "{0}_column{1} = Unsqueeze({0}_part{1}, {0}_axes)\n",
        name, part, part * bits, packed);
    parts += fmt::format("{}{}_column{}", part == 0 ? "" : ", ", name, part);
  }
  text += fmt::format("{0}_columns = Concat <axis = {1}> ({2})\n", name, last, parts);
  std::vector<std::int64_t> flat(shape.begin(), shape.end());
  flat.back() *= a_byte;
  return text + reshape(name, fmt::format("{}_columns", name), flat);
}

// Whether a * b = product, however large they are.
bool is_product(std::int64_t product, std::int64_t a, std::int64_t b) {
  return a > 0 && product % a == 0 && product / a == b;
}

Result<std::string> matmul_of_few_bits(const Call& call) {
  const std::int64_t depth = call.integer("K", 0), columns = call.integer("N", 0);
  const std::int64_t bits = call.integer("bits", 4), block = call.integer("block_size", 0);
  if (call.integer("weight_prepacked", 0) != 0)
    return fail(Code::AttributeUnsupported,
                "weights in the order of one machine are not supported");
  if (call.has("g_idx"))
    return fail(Code::OperatorUnsupported, "weights whose blocks 'g_idx' tells are not supported");
  if (bits != 2 && bits != 4 && bits != 8)
    return fail(Code::AttributeUnsupported, fmt::format("bits = {} is not supported", bits));
  const std::int64_t a_byte = 8 / bits;
  if (depth <= 0 || columns <= 0 || block <= 0 || block % a_byte != 0)
    return fail(Code::OperatorMisused,
                fmt::format("K = {}, N = {}, block_size = {}", depth, columns, block));
  const std::int64_t blocks = ceil_div(depth, block);
  if (call.type("B") != DataType::UInt8 ||
      !is_product(element_count(call.shape("scales")), columns, blocks) ||
      !is_product(element_count(call.shape("B")) * a_byte, element_count(call.shape("scales")),
                  block))
    return fail(Code::OperatorMisused,
                "weights or scales are not as many as K, N, bits and block_size say");
  const Shape packed{columns, blocks, block / a_byte};
  std::string text = reshape("packed", "B", packed) + unpacked("whole", "packed", bits, packed) +
                     "values = CastLike(whole, scales)\n" +
                     reshape("factors", "scales", {columns, blocks, 1});
  if (!call.has("zero_points")) {
    text += scalar("zero", 1 << (bits - 1), "scales");
  } else if (call.type("zero_points") != DataType::UInt8) {
    text += reshape("zero", "zero_points", {columns, blocks, 1});
  } else {
    const Shape rows{columns, ceil_div(blocks, a_byte)};
    if (element_count(call.shape("zero_points")) != element_count(rows))
      return fail(Code::OperatorMisused, "the zero points are not as many as the blocks");
    text += reshape("packed_zeros", "zero_points", rows) +
            unpacked("padded_zeros", "packed_zeros", bits, rows) +
            slice("whole_zeros", "padded_zeros", 0, blocks, 1) +
            "real_zeros = CastLike(whole_zeros, scales)\n" +
            reshape("zero", "real_zeros", {columns, blocks, 1});
  }
  text += "centred = Sub(values, zero)\nscaled = Mul(centred, factors)\n" +
          reshape("rows", "scaled", {columns, blocks * block}) +
          slice("weights_of_rows", "rows", 0, depth, 1) + "typed = CastLike(weights_of_rows, A)\n" +
          transpose("weights", "typed", {1, 0}) + "product = MatMul(A, weights)\n" +
          add_if_given("Y", "product", "bias", call);
  return text;
}

}  // namespace

std::vector<Function> matrix_products() {
  return {
      {"FusedConv",
       "Conv, plus Z, then an activation.",
       {"X", "W", "B?", "Z?"},
       {"y"},
       of_a_window(
           {{"dilations", Ints}, {"group"}, {"activation", String}, {"activation_params", Floats}}),
       fused_conv},
      {"FusedGemm",
       "Gemm, then an activation.",
       {"A", "B", "C?"},
       {"y"},
       {{"alpha", Float},
        {"beta", Float},
        {"transA"},
        {"transB"},
        {"activation", String},
        {"activation_alpha", Float},
        {"activation_beta", Float},
        {"activation_gamma", Float}},
       fused_gemm},
      {"FusedMatMul",
       "alpha times the product of A and B, each transposed if asked.",
       {"A", "B"},
       {"Y"},
       {{"alpha", Float}, {"transA"}, {"transB"}, {"transBatchA"}, {"transBatchB"}},
       fused_matmul},
      {"MatMulNBits",
       "The product of A and weights of 2, 4 or 8 bits with a scale for each block of them.",
       {"A", "B", "scales", "zero_points?", "g_idx?", "bias?"},
       {"Y"},
       {{"K"}, {"N"}, {"bits"}, {"block_size"}, {"accuracy_level"}, {"weight_prepacked"}},
       matmul_of_few_bits},
      {"TransposeMatMul",
       "alpha times the product of A and B, each transposed if asked.",
       {"A", "B"},
       {"Y"},
       {{"alpha", Float}, {"transA"}, {"transB"}},
       fused_matmul},
  };
}

}  // namespace loopglass::contributed
