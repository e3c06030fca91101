// Files that are damaged, absurd or out to do harm end in a diagnostic: no crash, no endless
// allocation.
#include "core/onnx/tensor_reader.h"
#include "tests/onnx/proto_model.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <random>

namespace loopglass::onnx {
namespace {

// A model with weights as raw data, attributes of several kinds, and a shape computed at import.
std::string valid_model() {
  ProtoModel model;
  model.input("x", {"N", 3, 8, 8}).output("y", {"N", 8});
  auto& weights = model.initializer("w", {4, 3, 3, 3}, {});
  weights.set_raw_data(std::string(4 * 3 * 3 * 3 * 4, '\x3d'));
  auto& conv = model.node("Conv", {"x", "w"}, {"c"});
  auto* pads = conv.add_attribute();
  pads->set_name("pads");
  pads->set_type(::onnx::AttributeProto::INTS);
  for (int i = 0; i < 4; ++i) pads->add_ints(1);
  model.node("Relu", {"c"}, {"r"});
  model.node("Shape", {"r"}, {"shape"});
  model.integers("first", {0});
  model.node("Gather", {"shape", "first"}, {"batch"});
  model.integers("rest", {-1});
  set(model.node("Concat", {"batch", "rest"}, {"target"}), "axis", 0);
  model.node("Reshape", {"r", "target"}, {"flat"});
  model.initializer("m", {256, 8}, std::vector<float>(256 * 8, 0.5f));
  model.node("MatMul", {"flat", "m"}, {"y"});
  return model.bytes();
}

Result<Model> import_bytes(const Folder& folder, const std::string& bytes) {
  ImportOptions options;
  options.evaluate = loop::evaluate;
  return import(folder.save("model.onnx", bytes), options);
}

TEST(Hostile, TheModelThatIsDamagedBelowIsValid) {
  const auto model = import_bytes(Folder(), valid_model());
  ASSERT_TRUE(model) << to_string(model.error());
}

TEST(Hostile, EveryTruncationIsADiagnostic) {
  const Folder folder;
  const std::string bytes = valid_model();
  for (std::size_t length = 0; length < bytes.size();
       length += length < 256 || length + 256 > bytes.size() ? 1 : 37) {
    const auto model = import_bytes(folder, bytes.substr(0, length));
    // A cut between the fields of the model itself leaves a model without an operator set or graph.
    ASSERT_FALSE(model) << "at " << length;
    EXPECT_EQ(model.error().code, Code::ModelCorrupt)
        << "at " << length << ": " << to_string(model.error());
  }
}

TEST(Hostile, FlippedBitsGiveAModelOrADiagnostic) {
  const Folder folder;
  const std::string bytes = valid_model();
  std::mt19937 random(2024);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    // Mostly in the structure, not in the weights, which take most of the file.
    for (int flips = 1 + static_cast<int>(random() % 4); flips > 0; --flips) {
      const std::size_t range = random() % 2 == 0 ? bytes.size() : 400;
      damaged[bytes.size() - 1 - random() % range] ^= static_cast<char>(1 << random() % 8);
    }
    const auto model = import_bytes(folder, damaged);
    refused += !model;
    if (model) EXPECT_TRUE(graph::verify(model->graph));
    else EXPECT_NE(model.error().code, Code::InternalDefect) << to_string(model.error());
  }
  EXPECT_GT(refused, 100);
}

TEST(Hostile, RandomBytesAreNoModel) {
  const Folder folder;
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_FALSE(import_bytes(folder, bytes));
  }
}

// Whoever prints a name prints a part of a line.
TEST(Hostile, NoNameBreaksALine) {
  ProtoModel proto;
  proto.graph().set_name("g\nraph");
  proto.input("in\nput", {"b\tatch", 3}).output("out\rput", {"b\tatch", 3});
  proto.node("Relu", {"in\nput"}, {"mid\ndle"}).set_name("no\nde");
  proto.node("Relu\nx", {"mid\ndle"}, {"out\rput"}).set_domain("do\nmain");
  auto& imported = *proto.model.add_opset_import();
  imported.set_domain("do\nmain");
  imported.set_version(1);
  const Folder folder;
  const auto inputs = read_inputs(folder.save("odd.onnx", proto.bytes()));
  ASSERT_TRUE(inputs) << to_string(inputs.error());
  EXPECT_EQ(inputs->front().name, "in\\u000aput");
  ImportOptions options;
  options.shapes["in\\u000aput"] = {2, 3};
  const auto model = proto.import(options);
  ASSERT_TRUE(model) << to_string(model.error());
  const graph::Graph& graph = model->graph;
  EXPECT_EQ(graph.name(), "g\\u000araph");
  EXPECT_EQ(graph.nodes().front()->name, "no\\u000ade");
  std::vector<std::string> names{operator_name(*graph.nodes().back())};
  for (const graph::NodePtr& node : graph.nodes()) {
    names.push_back(node->name);
    for (const graph::ValueId output : node->outputs) names.push_back(graph.value(output).name);
  }
  for (const std::string& line : model->onnx_nodes) names.push_back(line);
  for (const std::string& name : names)
    EXPECT_EQ(name.find_first_of("\n\t\r"), std::string::npos) << name;
}

TEST(Hostile, OnlyRegularFilesAreRead) {
  const Folder folder;
  expect_refusal(import(folder / "missing.onnx", {}), Code::ModelUnreadable,
                 {"missing.onnx", "No such file"});
  expect_refusal(import(folder / "", {}), Code::ModelUnreadable, {"not a regular file"});
  expect_refusal(import(std::filesystem::path("/dev/zero"), {}), Code::ModelUnreadable,
                 {"not a regular file"});
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refusal(import(folder / "pipe", {}), Code::ModelUnreadable, {"not a regular file"});
}

TEST(Hostile, EmptyMessagesDoNotMultiplyMemory) {
  // Two bytes a node; each would take a hundred times that in memory.
  const int nodes = 20'000'000;
  ::onnx::ModelProto shell;
  shell.set_ir_version(8);
  shell.add_opset_import()->set_version(13);
  std::string graph;
  for (int i = 0; i < nodes; ++i) graph += std::string("\x0a\x00", 2);
  std::string bytes = shell.SerializeAsString();
  bytes += "\x3a";  // field 7, the graph
  for (std::size_t length = graph.size();; length >>= 7) {
    bytes += static_cast<char>(length >= 0x80 ? (length & 0x7f) | 0x80 : length);
    if (length < 0x80) break;
  }
  bytes += graph;
  const Folder folder;
  rusage before, after;
  ::getrusage(RUSAGE_SELF, &before);
  expect_refusal(import_bytes(folder, bytes), Code::ModelTooLarge, {"memory"});
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 2 << 20) << "KiB";
}

// --- tensors
// --------------------------------------------------------------------------------------

Result<Model> with_weights(const std::function<void(::onnx::TensorProto&)>& spoil) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  spoil(model.initializer("w", {2}, {1, 2}));
  model.node("Add", {"x", "w"}, {"y"});
  return model.import();
}

TEST(Hostile, TensorsMustHaveTheDataOfTheirShape) {
  expect_refusal(with_weights([](auto& w) { w.set_dims(0, 3); }), Code::ModelCorrupt,
                 {"'w'", "2 values for the 3 elements"});
  expect_refusal(with_weights([](auto& w) { w.set_dims(0, -2); }), Code::ModelCorrupt,
                 {"'w'", "negative extent -2"});
  expect_refusal(with_weights([](auto& w) { w.set_raw_data("12345"); }), Code::ModelCorrupt,
                 {"'w'", "5 bytes", "takes 8"});
  expect_refusal(with_weights([](auto& w) { w.set_dims(0, std::int64_t{1} << 62); }),
                 Code::ModelTooLarge, {"'w'"});
  expect_refusal(with_weights([](auto& w) {
                   for (int i = 0; i < 3; ++i) w.add_dims(std::int64_t{1} << 40);
                 }),
                 Code::ModelTooLarge, {"'w'"});
  expect_refusal(with_weights([](auto& w) {
                   for (int i = 0; i < 40; ++i) w.add_dims(1);
                 }),
                 Code::ModelTooLarge, {"41 dimensions"});
  expect_refusal(with_weights([](auto& w) { w.set_data_type(0); }), Code::ModelCorrupt,
                 {"no element type"});
  expect_refusal(with_weights([](auto& w) { w.mutable_segment()->set_begin(0); }),
                 Code::ModelCorrupt, {"segments"});
  expect_refusal(with_weights([](auto& w) {
                   w.set_data_type(::onnx::TensorProto::INT8);
                   w.clear_float_data();
                   w.add_int32_data(1);
                   w.add_int32_data(300);
                 }),
                 Code::ModelCorrupt, {"300", "int8"});
}

TEST(Hostile, AHugeConstantOfShapeIsNotFilled) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  model.integers("shape", {std::int64_t{1} << 20, std::int64_t{1} << 20});
  model.node("ConstantOfShape", {"shape"}, {"zeros"}).set_name("fill");
  model.node("Identity", {"x"}, {"y"});
  expect_refusal(model.import(), Code::ModelTooLarge, {"node 'fill' (ConstantOfShape)"});
  model.graph().mutable_initializer(0)->set_int64_data(0, -1);
  expect_refusal(model.import(), Code::ModelCorrupt, {"negative extent -1"});
}

TEST(Hostile, SmallClaimsDoNotAddUpToAllMemory) {
  // One file on disk, claimed by any number of tensors.
  const Folder folder;
  folder.save("weights.bin", std::string(400, '\0'));
  ::onnx::TensorProto proto;
  proto.set_name("w");
  proto.set_data_type(::onnx::TensorProto::FLOAT);
  proto.add_dims(100);
  proto.set_data_location(::onnx::TensorProto::EXTERNAL);
  auto* location = proto.add_external_data();
  location->set_key("location");
  location->set_value("weights.bin");
  TensorReader reader(folder / "", 1000);
  EXPECT_TRUE(reader.read(proto));
  EXPECT_TRUE(reader.read(proto));
  const auto third = reader.read(proto);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::ModelTooLarge);
}

TEST(Hostile, AbsurdShapesOfInputsAndResultsAreRefused) {
  ProtoModel input;
  input.input("x", {2000000000, 2000000000, 2000000000}).output("y", {1});
  input.node("Identity", {"x"}, {"y"});
  expect_refusal(input.import(), Code::ModelTooLarge, {"input 'x'"});

  ProtoModel result;
  result.input("x", {1, 1}).output("y", {1, 1});
  result.integers("shape", {std::int64_t{1} << 30, std::int64_t{1} << 30});
  result.node("Expand", {"x", "shape"}, {"y"}).set_name("grow");
  expect_refusal(result.import(), Code::ModelTooLarge, {"node 'grow' (Expand)"});
}

TEST(Hostile, LongChainsOfConstantsDoNotExhaustTheStack) {
  ProtoModel model;
  model.input("x", {2, 3}).output("y", {3, 2});
  model.integers("c0", {3, 2});
  const int length = 20'000;
  for (int i = 0; i < length; ++i)
    model.node("Identity", {"c" + std::to_string(i)}, {"c" + std::to_string(i + 1)});
  model.node("Reshape", {"x", "c" + std::to_string(length)}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
}

TEST(Hostile, NodesWithThousandsOfInputsAreRefused) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Sum", std::vector<std::string>(5000, "x"), {"y"});
  expect_refusal(model.import(), Code::ModelTooLarge, {"5000 inputs"});
}

TEST(Hostile, FunctionsThatDoubleAtEveryLevelAreRefused) {
  ProtoModel model;
  model.input("x").output("y");
  for (int level = 0; level < 30; ++level) {
    auto& function = *model.model.add_functions();
    function.set_name("f" + std::to_string(level));
    function.set_domain("mine");
    function.add_input("a");
    function.add_output("c");
    function.add_opset_import()->set_domain("mine");
    function.mutable_opset_import(0)->set_version(1);
    function.add_opset_import()->set_version(13);
    const std::string inner = level == 29 ? "Relu" : "f" + std::to_string(level + 1);
    const std::string domain = level == 29 ? "" : "mine";
    ProtoModel::fill(*function.add_node(), inner, {"a"}, {"b"}).set_domain(domain);
    ProtoModel::fill(*function.add_node(), inner, {"b"}, {"c"}).set_domain(domain);
  }
  model.model.add_opset_import()->set_domain("mine");
  model.model.mutable_opset_import(1)->set_version(1);
  model.node("f0", {"x"}, {"y"}).set_domain("mine");
  expect_refusal(model.import(), Code::ModelTooLarge, {"nodes"});
}

}  // namespace
}  // namespace loopglass::onnx
