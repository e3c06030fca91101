// Turns the nodes of an ONNX graph into nodes of ours, one at a time, in the file's order: looks up
// each operator's mapping, binds constants to attributes, expands functions.
#pragma once

#include "core/onnx/constant_values.h"
#include "core/onnx/tensor_reader.h"
#include "core/ops/registry.h"

#include <set>
#include <unordered_set>

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace loopglass::onnx {

using OpsetVersions = std::map<std::string, int>;  // by domain; "" is ai.onnx
// As the model or a function body imports them. ModelCorrupt for versions that are none.
Result<OpsetVersions> opset_versions(const ::onnx::ModelProto& model);
Result<OpsetVersions> opset_versions(const ::onnx::FunctionProto& function);

class Converter {
 public:
  // `reader` by value: each conversion has the same budget.
  Converter(const ::onnx::ModelProto& model, const ImportOptions& options, TensorReader reader);

  // Names what the graph starts from; ModelCorrupt for a name given twice.
  Result<void> define_input(const std::string& name, TensorType type);
  Result<void> define_constant(const std::string& name, Tensor value);
  Result<void> convert_nodes();
  Result<graph::Graph> finish(const std::vector<Signature>& outputs);

  // Graph inputs with a value in options.bound_inputs whose data turned out to decide a shape; the
  // conversion failed because of it and can be begun again with them as constants.
  const std::set<std::string>& inputs_to_bind() const { return inputs_to_bind_; }
  std::vector<Note> notes;

 private:
  // A name space: the graph's, or that of one expanded function.
  struct Scope {
    std::unordered_map<std::string, graph::ValueId> values;
    const OpsetVersions* opsets;
    std::string prefix;  // of everything made inside
    std::unordered_map<std::string, std::string>
        public_names;          // a function's outputs, as its caller calls them
    std::uint32_t source = 0;  // index of the ONNX node
    int depth = 0;
  };

  Result<void> convert(const ::onnx::NodeProto& node, Scope& scope);
  Result<void> convert_operator(const ::onnx::NodeProto& node, const ops::OnnxMatch& match,
                                const std::vector<graph::ValueId>& inputs, Scope& scope);
  Result<void> convert_constant(const ::onnx::NodeProto& node, Scope& scope);
  Result<void> convert_constant_of_shape(const ::onnx::NodeProto& node,
                                         const std::vector<graph::ValueId>& inputs, Scope& scope);
  Result<void> expand(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function,
                      const std::vector<graph::ValueId>& inputs, Scope& scope);

  Result<std::vector<graph::ValueId>> resolve_inputs(const ::onnx::NodeProto& node,
                                                     const Scope& scope) const;
  Result<Tensor> constant_input(std::size_t index, std::string_view role,
                                const std::vector<graph::ValueId>& inputs);
  Result<void> define(const std::string& name, graph::ValueId id, Scope& scope);
  std::string value_name(const std::string& name, const Scope& scope) const;
  std::string unused_name(const std::string& name) const;
  std::vector<const TensorType*> types_of(const std::vector<graph::ValueId>& values) const;

  const ::onnx::ModelProto& model_;
  const ImportOptions& options_;
  TensorReader reader_;
  graph::GraphBuilder builder_;
  ConstantValues constants_;
  OpsetVersions opsets_;
  Scope top_;
  std::unordered_set<std::string> model_names_;  // taken by the model's own values
  std::unordered_map<std::string, const ::onnx::FunctionProto*> functions_;  // by "domain name"
  std::set<std::string> inputs_to_bind_;
  std::size_t nodes_made_ = 0;
};

// "'conv1' (Conv)" or "3 (Conv)" for a node without a name.
std::string node_label(const ::onnx::NodeProto& node, std::size_t index);

}  // namespace loopglass::onnx
