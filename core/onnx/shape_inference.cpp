#include "core/onnx/shape_inference.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>
#include <exception>

namespace loopglass::onnx {

namespace {

// The library (1.12) gets shapes of elements wrong: a sequence of two 2x3 would be one of 2x3x2x3.
void forget_element_shapes(::onnx::TypeProto& type) {
  ::onnx::TypeProto* element = nullptr;
  if (type.has_sequence_type()) element = type.mutable_sequence_type()->mutable_elem_type();
  if (type.has_optional_type()) element = type.mutable_optional_type()->mutable_elem_type();
  if (element == nullptr) return;
  if (element->has_tensor_type()) element->mutable_tensor_type()->clear_shape();
  forget_element_shapes(*element);
}

}  // namespace

std::vector<::onnx::TypeProto> inferred_types(const ::onnx::NodeProto& node,
                                              const std::string& domain, int opset,
                                              KnownValues known) {
  std::vector<::onnx::TypeProto> nothing(static_cast<std::size_t>(node.output_size()));
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(node.op_type(), opset, domain);
  if (schema == nullptr || !schema->has_type_and_shape_inference_function()) return nothing;
  std::unordered_map<std::string, ::onnx::TypeProto*> types;
  for (auto& [name, type] : known.types) types.emplace(name, &type);
  std::unordered_map<std::string, const ::onnx::TensorProto*> constants;
  for (const auto& [name, constant] : known.constants) constants.emplace(name, &constant);
  // Inference writes into the node's graphs.
  ::onnx::NodeProto copy = node;
  // It throws what it thinks of the model, in several types, and leaves its answer half made.
  try {
    // The library refers to these, past the call that they are given to.
    const ::onnx::shape_inference::ModelLocalFunctionsMap no_functions;
    const std::unordered_map<std::string, const ::onnx::SparseTensorProto*> no_sparse_constants;
    ::onnx::shape_inference::GraphInferenceContext around(types, {{domain, opset}}, nullptr,
                                                          no_functions);
    ::onnx::shape_inference::InferenceContextImpl context(copy, types, constants,
                                                          no_sparse_constants, nullptr, &around);
    schema->GetTypeAndShapeInferenceFunction()(context);
    for (::onnx::TypeProto& type : context.allOutputTypes_) forget_element_shapes(type);
    return context.allOutputTypes_;
  } catch (const std::exception&) {
    return nothing;
  }
}

}  // namespace loopglass::onnx
