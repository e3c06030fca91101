// Products fused with what stands around them, and with weights of few bits.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

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
      {"TransposeMatMul",
       "alpha times the product of A and B, each transposed if asked.",
       {"A", "B"},
       {"Y"},
       {{"alpha", Float}, {"transA"}, {"transB"}},
       fused_matmul},
  };
}

}  // namespace loopglass::contributed
