// Operators that are not ONNX's own give what ONNX Runtime gives for them. The cases, each a model
// as ONNX's text with what goes in and what ONNX Runtime 1.30 gave, are in cases.json.
#include "core/contributed/function.h"
#include "core/loop/interpret_graph.h"
#include "core/loop/interpreter.h"
#include "core/onnx/import.h"

#include <onnx/defs/parser.h>
#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <cmath>
#include <fstream>

namespace loopglass::contributed {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const Json& cases() {
  static const Json all =
      Json::parse(std::ifstream(LOOPGLASS_SOURCE_DIR "/tests/contributed/cases.json"));
  return all;
}

Tensor filled(const TensorType& type, const std::vector<double>& values) {
  Tensor tensor(type);
  visit_type(type.type, [&]<class T>(T) {
    const auto elements = tensor.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(values.at(i));
  });
  return tensor;
}

// `data`: what shapes may hang on, by the names of inputs; null: nothing is known of it.
Result<onnx::Model> imported(const std::string& text, const Json& data = {}) {
  ::onnx::ModelProto proto;
  ::onnx::OnnxParser parser(text.c_str());
  if (const auto status = parser.Parse(proto); !status.IsOK())
    throw std::logic_error(status.ErrorMessage());
  onnx::Source source("case.onnx");
  source.bytes = std::make_shared<const std::string>(proto.SerializeAsString());
  onnx::ImportOptions options;
  options.evaluate = loop::evaluate;
  if (!data.is_null())
    options.evaluate_data = [&](const graph::Graph& graph,
                                const std::map<std::string, Tensor>& known, const Progress&,
                                const Cancellation&) {
      std::vector<Tensor> inputs;
      for (const graph::ValueId id : graph.inputs()) {
        const graph::Value& input = graph.value(id);
        const auto found = known.find(input.name);
        inputs.push_back(found != known.end() ? found->second
                                              : filled(input.type, data.at(input.name)));
      }
      return loop::interpret(graph, inputs);
    };
  return onnx::import(source, options);
}

std::vector<Tensor> computed(const graph::Graph& graph, const Json& inputs) {
  std::map<graph::ValueId, Tensor> values;
  for (const graph::ValueId id : graph.inputs())
    values[id] = filled(graph.value(id).type, inputs.at(graph.value(id).name));
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant()) values[value->id] = value->constant;
  for (const graph::NodePtr& node : graph.nodes()) {
    std::vector<Tensor> operands;
    for (const graph::ValueId id : node->inputs) operands.push_back(id ? values.at(id) : Tensor());
    auto results = loop::evaluate(*node->op, node->attributes, operands, node->outputs.size());
    if (!results) throw std::logic_error(to_string(results.error()));
    for (std::size_t i = 0; i < results->size(); ++i) values[node->outputs[i]] = (*results)[i];
  }
  std::vector<Tensor> results;
  for (const graph::ValueId id : graph.outputs()) results.push_back(values.at(id));
  return results;
}

// How far from what is expected a number may be: a few roundings of float32, or, where it was
// rounded to a whole number, one.
double allowed(const Json& example, DataType type, double wanted) {
  if (type == DataType::Int64) return 0;  // what counts and points
  if (!is_float(type)) return 1;
  return example.value("tolerance", 4e-5) * std::max(1.0, std::abs(wanted));
}

class Case : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Case, GivesWhatOnnxRuntimeGives) {
  const Json& example = cases().at(GetParam());
  SCOPED_TRACE(example["name"].get<std::string>());
  const auto model = imported(example["model"], example["inputs"]);
  ASSERT_TRUE(model) << to_string(model.error());
  for (const graph::NodePtr& node : model->graph.nodes()) ASSERT_FALSE(is_opaque(*node));
  const std::vector<Tensor> results = computed(model->graph, example["inputs"]);
  std::size_t different = 0, numbers = 0;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::vector<double> expected = example["outputs"].at(model->outputs[r].name);
    ASSERT_EQ(results[r].elements(), std::ssize(expected));
    for (std::int64_t i = 0; i < results[r].elements(); ++i) {
      const double wanted = expected[static_cast<std::size_t>(i)];
      const double error = std::abs(results[r].double_at(i) - wanted);
      EXPECT_LE(error, allowed(example, results[r].data_type(), wanted))
          << model->outputs[r].name << "[" << i << "]";
      numbers += !is_float(results[r].data_type());
      different += !is_float(results[r].data_type()) && error > 0;
    }
  }
  // Next to a half another rounding is chance; it is none where many differ.
  EXPECT_LE(different, numbers / 4);
}

INSTANTIATE_TEST_SUITE_P(All, Case, ::testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& info) {
                           std::string name = cases().at(info.param)["name"];
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

std::string model_text(const std::string& inputs, const std::string& node) {
  return "<ir_version: 8, opset_import: [\"\": 17, \"com.microsoft\": 1]>\ncase (" + inputs +
         ") => (float Y) { " + node + " }";
}

// Why an operator stays opaque, or the model's error.
std::string refusal(const std::string& inputs, const std::string& node) {
  const auto model = imported(model_text(inputs, node));
  if (!model) return to_string(model.error());
  std::string notes;
  for (const onnx::Note& note : model->notes) notes += note.text + "\n";
  return notes;
}

TEST(Contributed, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal("float[2] X", "Y = com.microsoft.BiasGelu(X)"), HasSubstr("'B' is left out"));
  EXPECT_THAT(refusal("float[2,2] A, float[2,2] B",
                      "Y = com.microsoft.FusedGemm <activation = \"Relu(x) y = Foo\"> (A, B)"),
              HasSubstr("activation 'Relu(x) y = Foo' is not supported"));
  EXPECT_THAT(
      refusal("float[2,2] A, float[2,2] B", "Y = com.microsoft.FusedMatMul <transA = 1.5> (A, B)"),
      HasSubstr("attribute 'transA' is float, it must be int"));
  EXPECT_THAT(
      refusal("float[2,2] A, float[2,2] B", "Y = com.microsoft.FusedMatMul <beta = 1.5> (A, B)"),
      HasSubstr("attribute 'beta' is not supported"));
  EXPECT_THAT(refusal("float[2,2] A, float[2,2] B",
                      "Y = com.microsoft.FusedGemm <activation = \"Selu\"> (A, B)"),
              HasSubstr("activation 'Selu' is not supported"));
  EXPECT_THAT(refusal("float[2,32] A, uint8[3,2,8] B, float[6] S",
                      "Y = com.microsoft.MatMulNBits <K = 4611686018427387904, N = "
                      "4611686018427387904, block_size = 4611686018427387904> (A, B, S)"),
              HasSubstr("K = 4611686018427387904, N = 4611686018427387904"));
  EXPECT_THAT(refusal("float S, uint8 Z", "Y = com.microsoft.QLinearConcat <axis = 0> (S, Z)"),
              HasSubstr("a scale and a zero point each"));
  EXPECT_THAT(refusal("float[1,2,4] X, float[4,12] W",
                      "Y = com.microsoft.Attention <num_heads = 1, qkv_hidden_sizes = "
                      "[9223372036854775807, 9223372036854775807, 14]> (X, W)"),
              HasSubstr("12 columns of weights for 1 heads"));
  EXPECT_THAT(refusal("float[1,2,4] X, float[4,12] W, int32[1,1,9,9] M",
                      "Y = com.microsoft.Attention <num_heads = 2> (X, W, , M)"),
              HasSubstr("a mask that is int32[1x1x9x9] is not supported"));
}

// What would give a result another shape than the operator's.
TEST(Contributed, RefusesOperandsThatAreNotRepeatedAsTheyAre) {
  const auto why = [](const std::string& inputs, const std::string& node) {
    const auto model = imported("<ir_version: 10, opset_import: [\"\": 23]>\ncase (" + inputs +
                                ") => (float Y) { " + node + " }");
    return model ? std::string() : to_string(model.error());
  };
  EXPECT_THAT(why("float[2,3] X, float[1,2,3] S", "Y = RMSNormalization(X, S)"),
              HasSubstr("'scale' is 1x2x3, which is not repeated to 2x3"));
  EXPECT_THAT(why("float[2,3] X, float[3] S", "Y = RMSNormalization <axis = 2> (X, S)"),
              HasSubstr("axis 2 of 2 axes"));
  EXPECT_THAT(why("float[2,3] X, float[3] S",
                  "Y = SimplifiedLayerNormalization <axis = -9223372036854775807> (X, S)"),
              HasSubstr("axis -9223372036854775807 of 2 axes"));
  EXPECT_THAT(why("float X, int64[0] S", "Y = CenterCropPad(X, S)"), HasSubstr("a scalar"));
  EXPECT_THAT(why("float[1,2,5,8] X, float[9,4] C, float[9,4] S, int64[3,5] P",
                  "Y = RotaryEmbedding(X, C, S, P)"),
              HasSubstr("'position_ids' is 3x5"));
  EXPECT_THAT(why("float[1,2,5,8] Q, float[1,2,6,8] K, float[1,2,6,8] V, float[3,1,5,6] M",
                  "Y = Attention(Q, K, V, M)"),
              HasSubstr("'attn_mask' is 3x1x5x6"));
}

TEST(Contributed, SaysWhatIsNotQuiteTheOperators) {
  const auto found = std::ranges::find(cases(), Json("DynamicQuantizeLSTM"),
                                       [](const Json& example) { return example["name"]; });
  ASSERT_NE(found, cases().end());
  const auto model = imported((*found)["model"]);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->notes.size(), 2u);
  EXPECT_THAT(model->notes[0].text, HasSubstr("com.microsoft.DynamicQuantizeLSTM (1)"));
  EXPECT_THAT(model->notes[1].text, HasSubstr("computed in float32"));
}

TEST(Contributed, OperatorsOfOneNameAreToldApart) {
  const Function* of_onnx_runtime = find("com.microsoft", "Attention", 1);
  const Function* of_onnx = find("", "Attention", 23);
  ASSERT_NE(of_onnx_runtime, nullptr);
  ASSERT_NE(of_onnx, nullptr);
  EXPECT_EQ(of_onnx_runtime->inputs.front(), "input");
  EXPECT_EQ(of_onnx->inputs.front(), "Q");
  EXPECT_EQ(find("", "Attention", 22), nullptr);
  EXPECT_EQ(find("", "GroupQueryAttention", 23), nullptr);
}

// A use of GroupQueryAttention: one place behind a past of 4.
onnx::Source group_query(const std::string& attributes, const std::string& more = "",
                         const std::string& operands = "") {
  ::onnx::ModelProto proto;
  const std::string text =
      "<ir_version: 8, opset_import: [\"\": 21, \"com.microsoft\": 1]>\n"
      "case (float[1,1,16] Q, float[1,1,8] K, float[1,1,8] V, float[1,1,4,8] PK, "
      "float[1,1,4,8] PV, int32[1] L, int32 T" +
      more +
      ") => (float Y, float NK, float NV) {\n"
      "  Y, NK, NV = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 1" +
      attributes + "> (Q, K, V, PK, PV, L, T" + operands + ") }";
  ::onnx::OnnxParser parser(text.c_str());
  if (const auto status = parser.Parse(proto); !status.IsOK())
    throw std::logic_error(status.ErrorMessage());
  onnx::Source source("case.onnx");
  source.bytes = std::make_shared<const std::string>(proto.SerializeAsString());
  return source;
}

TEST(Contributed, TotalLengthIsPastAndSequenceOrWhatIsSet) {
  onnx::ImportOptions options;
  options.evaluate = loop::evaluate;
  const auto key_shape = [&] {
    const auto model = onnx::import(group_query(""), options);
    return model ? model->graph.value(model->graph.outputs()[1]).type.shape : Shape{};
  };
  EXPECT_EQ(key_shape(), (Shape{1, 1, 5, 8}));
  options.symbols["T"] = 3;
  EXPECT_EQ(key_shape(), (Shape{1, 1, 4, 8}));
  options.symbols["T"] = 7;
  EXPECT_EQ(key_shape(), (Shape{1, 1, 7, 8}));
}

TEST(Contributed, RefusesGroupsOfQueriesThatAreNotWritten) {
  const auto why = [](const std::string& attributes, const std::string& more = "",
                      const std::string& operands = "") {
    onnx::ImportOptions options;
    options.evaluate = loop::evaluate;
    const auto model = onnx::import(group_query(attributes, more, operands), options);
    if (!model) return to_string(model.error());
    std::string notes;
    for (const onnx::Note& note : model->notes) notes += note.text + "\n";
    return notes;
  };
  EXPECT_THAT(why(""), HasSubstr("where total_sequence_length is known only"));
  EXPECT_THAT(why(", kv_cache_bit_width = 8"), HasSubstr("with kv_cache_bit_width = 8"));
  EXPECT_THAT(why(", local_window_size = 0"), HasSubstr("a local_window_size of 0"));
  EXPECT_THAT(why(", do_rotary = 1"), HasSubstr("do_rotary asks for 'cos_cache'"));
  EXPECT_THAT(why(", causal = 0"), HasSubstr("with causal = 0"));
  EXPECT_THAT(why(", k_quant_type = \"PER_TENSOR\""), HasSubstr("k_quant_type = 'PER_TENSOR'"));
  EXPECT_THAT(why("", ", float[1] S", ", , , , , , S"), HasSubstr("with 'k_scale'"));
  EXPECT_THAT(why("", ", float[1,1,1,9] A", ", , , , A"), HasSubstr("for 1 queries and 5 keys"));
}

// Of few queries those of a group are rows of one product, of many each head has a copy of its
// keys: what the first 63 of 64 see is what 63 see by themselves.
TEST(Contributed, ManyQueriesSeeWhatFewSee) {
  const auto results_of = [](int length) {
    const auto model = imported(fmt::format(
        "<ir_version: 8, opset_import: [\"\": 21, \"com.microsoft\": 1]>\n"
        "case (float[1,{0},16] Q, float[1,{0},8] K, float[1,{0},8] V) => (float Y, float NK, float "
        "NV)\n  <int32[1] last = {{{1}}}, int32 total = {{{0}}}> {{\n"
        "  Y, NK, NV = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2>\n"
        "    (Q, K, V, , , last, total) }}",
        length, length - 1));
    EXPECT_TRUE(model) << to_string(model.error());
    Json inputs;
    for (const auto& [name, columns] : {std::pair{"Q", 16}, std::pair{"K", 8}, std::pair{"V", 8}}) {
      std::vector<double> values;
      for (int i = 0; i < length * columns; ++i) values.push_back(std::sin(0.37 * i + columns) * 2);
      inputs[name] = values;
    }
    return computed(model->graph, inputs).front();
  };
  const Tensor few = results_of(63), many = results_of(64);
  ASSERT_EQ(many.elements(), 64 * 16);
  for (std::int64_t i = 0; i < few.elements(); ++i)
    ASSERT_NEAR(many.double_at(i), few.double_at(i), 1e-5) << i;
}

TEST(Contributed, EachFunctionHasACase) {
  for (const Function& function : all_functions()) {
    const std::string name(function.name);
    EXPECT_TRUE(std::ranges::any_of(cases(), [&](const Json& example) {
      const std::string text = example["model"];
      return text.find(function.domain.empty() ? "= " + name : "com.microsoft." + name) !=
             std::string::npos;
    })) << name;
  }
}

}  // namespace
}  // namespace loopglass::contributed
