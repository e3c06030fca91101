// Models written down as protobuf, well-formed or not, and a folder of their own on disk.
#pragma once

#include "core/loop/interpreter.h"
#include "core/onnx/import.h"

#include <onnx/onnx_pb.h>

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

namespace loopglass::onnx {

class Folder {
 public:
  Folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "loopglass-onnx-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path save(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// dimension("N") is symbolic, dimension(3) is not.
struct ProtoDimension {
  ProtoDimension(int extent) : extent(extent) {}
  ProtoDimension(const char* symbol) : symbol(symbol) {}
  std::int64_t extent = 0;
  std::string symbol;
};

class ProtoModel {
 public:
  explicit ProtoModel(int opset = 13) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
  }

  ::onnx::GraphProto& graph() { return *model.mutable_graph(); }

  ProtoModel& input(const std::string& name, std::vector<ProtoDimension> shape = {2, 3},
                    int type = ::onnx::TensorProto::FLOAT) {
    describe(*graph().add_input(), name, std::move(shape), type);
    return *this;
  }
  ProtoModel& output(const std::string& name, std::vector<ProtoDimension> shape = {2, 3},
                     int type = ::onnx::TensorProto::FLOAT) {
    describe(*graph().add_output(), name, std::move(shape), type);
    return *this;
  }
  ::onnx::NodeProto& node(const std::string& op, std::vector<std::string> inputs,
                          std::vector<std::string> outputs) {
    return fill(*graph().add_node(), op, std::move(inputs), std::move(outputs));
  }
  static ::onnx::NodeProto& fill(::onnx::NodeProto& node, const std::string& op,
                                 std::vector<std::string> inputs,
                                 std::vector<std::string> outputs) {
    node.set_op_type(op);
    for (const std::string& name : inputs) node.add_input(name);
    for (const std::string& name : outputs) node.add_output(name);
    return node;
  }
  ::onnx::TensorProto& initializer(const std::string& name, std::vector<std::int64_t> shape,
                                   std::vector<float> values) {
    ::onnx::TensorProto& proto = *graph().add_initializer();
    proto.set_name(name);
    proto.set_data_type(::onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : shape) proto.add_dims(extent);
    for (const float value : values) proto.add_float_data(value);
    return proto;
  }
  ::onnx::TensorProto& integers(const std::string& name, std::vector<std::int64_t> values) {
    ::onnx::TensorProto& proto = *graph().add_initializer();
    proto.set_name(name);
    proto.set_data_type(::onnx::TensorProto::INT64);
    proto.add_dims(std::ssize(values));
    for (const std::int64_t value : values) proto.add_int64_data(value);
    return proto;
  }

  std::string bytes() const { return model.SerializeAsString(); }
  Result<Model> import(ImportOptions options = {}) const {
    const Folder folder;
    if (!options.evaluate) options.evaluate = loop::evaluate;
    return onnx::import(folder.save("model.onnx", bytes()), options);
  }

  ::onnx::ModelProto model;

 private:
  static void describe(::onnx::ValueInfoProto& value, const std::string& name,
                       std::vector<ProtoDimension> shape, int type) {
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    value.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const ProtoDimension& dimension : shape) {
      auto* proto = value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
      if (dimension.symbol.empty()) proto->set_dim_value(dimension.extent);
      else proto->set_dim_param(dimension.symbol);
    }
  }
};

inline void set(::onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(::onnx::AttributeProto::INT);
  attribute->set_i(value);
}

// What a refusal must say to be of use.
inline void expect_refusal(const Result<Model>& model, Code code,
                           std::initializer_list<std::string> words) {
  ASSERT_FALSE(model);
  const std::string text = to_string(model.error());
  EXPECT_EQ(model.error().code, code) << text;
  for (const std::string& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' in: " << text;
}

}  // namespace loopglass::onnx
