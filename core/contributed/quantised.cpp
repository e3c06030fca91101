// Operators on bytes with a scale and a zero point. What ONNX Runtime computes by a table or in
// float32 is dequantised, computed and quantised here, too; products are sums of whole numbers.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

using Names = std::vector<std::string_view>;

// `name` = (from - zero point) * scale.
std::string dequantised(const Call& call, std::string_view name, std::string_view from,
                        std::string_view scale, std::string_view zero_point) {
  return fmt::format("{} = DequantizeLinear({}, {}{}{})\n", name, from, scale,
                     call.has(zero_point) ? ", " : "", call.or_none(zero_point));
}

// `name` = what is near from / scale + zero point, of the type that `like` has.
std::string quantised_as(const Call& call, std::string_view name, std::string_view from,
                         std::string_view scale, std::string_view zero_point,
                         std::string_view like) {
  if (call.has(zero_point))
    return fmt::format("{} = QuantizeLinear({}, {}, {})\n", name, from, scale, zero_point);
  return scalar("no_zero_point", 0, like) +
         fmt::format("{} = QuantizeLinear({}, {}, no_zero_point)\n", name, from, scale);
}

// --- one or two operands, in float32 ------------------------------------------------------------

Result<std::string> binary(const Call& call, std::string_view op) {
  return dequantised(call, "a", "A", "A_scale", "A_zero_point") +
         dequantised(call, "b", "B", "B_scale", "B_zero_point") +
         fmt::format("c = {}(a, b)\n", op) +
         quantised_as(call, "C", "c", "C_scale", "C_zero_point", "A");
}

// `nodes` make y of x.
std::string unary(const Call& call, const std::string& nodes) {
  return dequantised(call, "x", "X", "X_scale", "X_zero_point") + nodes +
         quantised_as(call, "Y", "y", "Y_scale", "Y_zero_point", "X");
}

const Names unary_inputs{"X", "X_scale", "X_zero_point?", "Y_scale", "Y_zero_point?"};
const Names binary_inputs{"A",       "A_scale",       "A_zero_point?", "B",
                          "B_scale", "B_zero_point?", "C_scale",       "C_zero_point?"};

// `nodes` make y_first of x_first; where the channels of x and y lie last, transposed around them.
std::string channels_first(const Call& call, std::string_view operand, std::string_view x,
                           std::string_view y, const std::string& nodes) {
  if (call.integer("channels_last", 0) == 0)
    return fmt::format("x_first = Identity({})\n{}{} = Identity(y_first)\n", x, nodes, y);
  const auto rank = static_cast<std::int64_t>(call.shape(operand).size());
  std::vector<std::int64_t> first{0, rank - 1}, last{0};
  for (std::int64_t axis = 1; axis < rank - 1; ++axis) first.push_back(axis);
  for (std::int64_t axis = 2; axis < rank; ++axis) last.push_back(axis);
  last.push_back(1);
  return transpose("x_first", x, first) + nodes + transpose(y, "y_first", last);
}

Result<std::string> pooled(const Call& call, const std::string& pooling) {
  return unary(
      call, channels_first(call, "X", "x", "y", fmt::format("y_first = {} (x_first)\n", pooling)));
}

Result<std::string> convolution(const Call& call) {
  return channels_first(
      call, "x", "x", "y",
      fmt::format("y_first = QLinearConv {} (x_first, x_scale, x_zero_point, w, w_scale, "
                  "w_zero_point, y_scale, y_zero_point{}{})\n",
                  call.passing_on_window({"dilations", "group"}), call.has("B") ? ", " : "",
                  call.or_none("B")));
}

Result<std::string> softmax(const Call& call) {
  if (call.shape("X").empty())
    return fail(Code::OperatorMisused, "a scalar has no axes to sum over");
  const std::int64_t axis = call.integer("axis", -1);
  if (call.integer("opset", 13) >= 13)
    return unary(call, fmt::format("y = Softmax <axis = {}> (x)\n", axis));
  // Over all axes from this one on, as ONNX had it.
  return unary(
      call, vector("whole", call.shape("X")) + fmt::format("matrix = Flatten <axis = {}> (x)\n"
                                                           "shares = Softmax <axis = 1> (matrix)\n"
                                                           "y = Reshape(shares, whole)\n",
                                                           axis));
}

Result<std::string> concatenation(const Call& call) {
  std::string text, parts;
  const auto& operands = call.operands();
  if (operands.size() < 5 || operands.size() % 3 != 2)
    return fail(Code::OperatorMisused, "its parts come with a scale and a zero point each");
  for (std::size_t i = 2; i + 2 < operands.size(); i += 3) {
    text += dequantised(call, fmt::format("real{}", i), operands[i].name, operands[i + 1].name,
                        operands[i + 2].name);
    parts += fmt::format("{}real{}", parts.empty() ? "" : ", ", i);
  }
  return text + fmt::format("y = Concat {} ({})\n", call.passing_on({"axis"}), parts) +
         quantised_as(call, "Y", "y", "Y_scale", "Y_zero_point", operands[2].name);
}

Result<std::string> where(const Call& call) {
  return dequantised(call, "x", "X", "x_scale", "x_zero_point") +
         dequantised(call, "y", "Y", "y_scale", "y_zero_point") + "z = Where(condition, x, y)\n" +
         quantised_as(call, "Z", "z", "z_scale", "z_zero_point", "X");
}

// --- products -----------------------------------------------------------------------------------

// "real" = (a - a's zero point) * (b - b's zero point) * a_scale * b_scale, of whole numbers.
std::string product(std::string_view a, std::string_view b, std::string_view a_zero,
                    std::string_view b_zero) {
  return fmt::format("sums = MatMulInteger({}, {}, {}, {})\n", a, b, a_zero, b_zero) +
         cast("wide_sums", "sums", DataType::Float32) +
         "unit = Mul(a_scale, b_scale)\nreal = Mul(wide_sums, unit)\n";
}

Result<std::string> product_to_float(const Call& call) {
  return product("A", "B", call.or_none("a_zero_point"), call.or_none("b_zero_point")) +
         add_if_given("Y", "real", "bias", call);
}

Result<std::string> dynamic_product(const Call& call) {
  return "a, a_scale, a_zero_point = DynamicQuantizeLinear(A)\n" +
         product("a", "B", "a_zero_point", call.or_none("b_zero_point")) +
         add_if_given("Y", "real", "bias", call);
}

Result<std::string> gemm(const Call& call) {
  TRY_VOID(call.require_rank("A", 2));
  TRY_VOID(call.require_rank("B", 2));
  const bool is_a_turned = call.integer("transA", 0) != 0,
             is_b_turned = call.integer("transB", 0) != 0;
  std::string text = is_a_turned ? transpose("a", "A", {1, 0}) : "a = Identity(A)\n";
  text += is_b_turned ? transpose("b", "B", {1, 0}) : "b = Identity(B)\n";
  text += fmt::format("products = MatMulInteger(a, b, {}, {})\n", call.or_none("a_zero_point"),
                      call.or_none("b_zero_point")) +
          add_if_given("sums", "products", "C", call) +
          cast("wide_sums", "sums", DataType::Float32) +
          scalar("alpha", call.attribute_or("alpha", 1), "a_scale") +
          "scales = Mul(a_scale, b_scale)\nunit = Mul(scales, alpha)\n"
          "real = Mul(wide_sums, unit)\n";
  return text + (call.has("y_scale") && call.has("y_zero_point")
                     ? quantised_as(call, "Y", "real", "y_scale", "y_zero_point", "A")
                     : "Y = Identity(real)\n");
}

// Weights as LSTM takes them: [directions, gates * hidden, depth], of [directions, depth, ...].
std::string lstm_weights(const Call& call, const std::string& name) {
  const std::string scale = name + "_scale", zero = name + "_zero_point";
  const std::int64_t directions = call.extent(name, 0);
  const auto a_column = [&](const std::string& of) {
    return Shape{directions, 1,
                 element_count(call.shape(of)) / std::max<std::int64_t>(1, directions)};
  };
  std::string text = cast(name + "_wide", name, DataType::Float32) +
                     reshape(name + "_factor", scale, a_column(scale));
  std::string centred = name + "_wide";
  if (call.has(zero)) {
    text += cast(zero + "_wide", zero, DataType::Float32) +
            reshape(zero + "_column", zero + "_wide", a_column(zero)) +
            fmt::format("{0}_centred = Sub({0}_wide, {1}_column)\n", name, zero);
    centred = name + "_centred";
  }
  return text + fmt::format("{0}_real = Mul({1}, {0}_factor)\n", name, centred) +
         transpose(name + "_turned", name + "_real", {0, 2, 1});
}

Result<std::string> dynamic_lstm(const Call& call) {
  for (const char* name : {"W", "R"}) TRY_VOID(call.require_rank(name, 3));
  return lstm_weights(call, "W") + lstm_weights(call, "R") +
         fmt::format("Y, Y_h, Y_c = LSTM {} (X, W_turned, R_turned, {}, {}, {}, {}, {})\n",
                     call.passing_on({"activation_alpha", "activation_beta", "activations", "clip",
                                      "direction", "hidden_size", "input_forget"}),
                     call.or_none("B"), call.or_none("sequence_lens"), call.or_none("initial_h"),
                     call.or_none("initial_c"), call.or_none("P"));
}

Result<std::string> linear(const Call& call, std::string_view op) {
  return fmt::format(
      "y = {} {} (x, scale{}{})\n", op,
      call.passing_on({"axis", "block_size", "output_dtype", "precision", "saturate"}),
      call.has("zero_point") ? ", " : "", call.or_none("zero_point"));
}

}  // namespace

std::vector<Function> quantised() {
  return {
      {"DequantizeLinear",
       "ONNX's DequantizeLinear.",
       {"x", "scale", "zero_point?"},
       {"y"},
       {{"axis"}, {"block_size"}},
       [](const Call& call) { return linear(call, "DequantizeLinear"); }},
      {"DynamicQuantizeLSTM",
       "LSTM with weights of bytes.",
       {"X", "W", "R", "B?", "sequence_lens?", "initial_h?", "initial_c?", "P?", "W_scale",
        "W_zero_point?", "R_scale", "R_zero_point?"},
       {"Y", "Y_h", "Y_c"},
       {{"activation_alpha", Floats},
        {"activation_beta", Floats},
        {"activations", Strings},
        {"clip", Float},
        {"direction", String},
        {"hidden_size"},
        {"input_forget"}},
       dynamic_lstm,
       "com.microsoft",
       every_version,
       "its inputs and states are not rounded to bytes, as ONNX Runtime rounds them: it is "
       "computed "
       "in float32"},
      {"DynamicQuantizeMatMul",
       "The product of A, quantised by its own range, and B, quantised, as float32.",
       {"A", "B", "b_scale", "b_zero_point?", "bias?"},
       {"Y"},
       {},
       dynamic_product},
      {"MatMulIntegerToFloat",
       "The product of A and B, both quantised, as float32.",
       {"A", "B", "a_scale", "b_scale", "a_zero_point?", "b_zero_point?", "bias?"},
       {"Y"},
       {},
       product_to_float},
      {"QGemm",
       "Gemm of quantised A and B, quantised again where y_zero_point is given.",
       {"A", "a_scale", "a_zero_point", "B", "b_scale", "b_zero_point", "C?", "y_scale?",
        "y_zero_point?"},
       {"Y"},
       {{"alpha", Float}, {"transA"}, {"transB"}},
       gemm},
      {"QLinearAdd",
       "Add of quantised operands.",
       binary_inputs,
       {"C"},
       {},
       [](const Call& call) { return binary(call, "Add"); }},
      {"QLinearAveragePool",
       "AveragePool of a quantised operand.",
       unary_inputs,
       {"Y"},
       of_a_window({{"ceil_mode"}, {"count_include_pad"}, {"channels_last"}}),
       [](const Call& call) {
         return pooled(call,
                       "AveragePool " + call.passing_on_window({"ceil_mode", "count_include_pad"}));
       }},
      {"QLinearConcat",
       "Concat of quantised operands.",
       {"Y_scale", "Y_zero_point", "part..."},
       {"Y"},
       {{"axis"}},
       concatenation},
      {"QLinearConv",
       "ONNX's QLinearConv, whose channels may lie last.",
       {"x", "x_scale", "x_zero_point", "w", "w_scale", "w_zero_point", "y_scale", "y_zero_point",
        "B?"},
       {"y"},
       of_a_window({{"dilations", Ints}, {"group"}, {"channels_last"}}),
       convolution},
      {"QLinearGlobalAveragePool",
       "GlobalAveragePool of a quantised operand.",
       unary_inputs,
       {"Y"},
       {{"channels_last"}},
       [](const Call& call) { return pooled(call, "GlobalAveragePool"); }},
      {"QLinearLeakyRelu",
       "LeakyRelu of a quantised operand.",
       unary_inputs,
       {"Y"},
       {{"alpha", Float}},
       [](const Call& call) -> Result<std::string> {
         return unary(call, fmt::format("y = LeakyRelu <alpha = {}> (x)\n",
                                        call.attribute_or("alpha", 0.01)));
       }},
      {"QLinearMul",
       "Mul of quantised operands.",
       binary_inputs,
       {"C"},
       {},
       [](const Call& call) { return binary(call, "Mul"); }},
      {"QLinearSigmoid",
       "Sigmoid of a quantised operand.",
       unary_inputs,
       {"Y"},
       {},
       [](const Call& call) -> Result<std::string> { return unary(call, "y = Sigmoid(x)\n"); }},
      {"QLinearSoftmax",
       "Softmax of a quantised operand.",
       unary_inputs,
       {"Y"},
       {{"axis"}, {"opset"}},
       softmax},
      {"QLinearWhere",
       "Where of quantised operands.",
       {"condition", "X", "x_scale", "x_zero_point", "Y", "y_scale", "y_zero_point", "z_scale",
        "z_zero_point"},
       {"Z"},
       {},
       where},
      {"QuantizeLinear",
       "ONNX's QuantizeLinear.",
       {"x", "scale", "zero_point?"},
       {"y"},
       {{"axis"}, {"block_size"}, {"output_dtype"}, {"precision"}, {"saturate"}},
       [](const Call& call) { return linear(call, "QuantizeLinear"); }},
  };
}

}  // namespace loopglass::contributed
