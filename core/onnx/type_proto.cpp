#include "core/onnx/type_proto.h"

#include "core/onnx/element_type.h"
#include "core/onnx/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ::onnx::TensorShapeProto;
using ::onnx::TypeProto;

std::optional<std::int64_t> extent(const TensorShapeProto::Dimension& dimension,
                                   const Symbols& symbols) {
  if (dimension.has_dim_value() && dimension.dim_value() >= 0) return dimension.dim_value();
  if (!dimension.has_dim_param()) return std::nullopt;
  const auto bound = symbols.find(dimension.dim_param());
  return bound == symbols.end() ? std::nullopt : std::optional(bound->second);
}

std::string element_name(int type) {
  if (const auto known = element_type(type)) return std::string(name(*known));
  std::string text = onnx_type_name(type);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <class Tensor>
std::string tensor_text(const Tensor& tensor, const Symbols& symbols) {
  if (tensor.elem_type() == ::onnx::TensorProto::UNDEFINED) return "unknown";
  if (!tensor.has_shape()) return element_name(tensor.elem_type()) + "[...]";
  std::vector<std::string> extents;
  for (const auto& dimension : tensor.shape().dim()) {
    if (extents.size() == maximum_rank) {
      extents.emplace_back("...");
      break;
    }
    const auto known = extent(dimension, symbols);
    extents.push_back(known                           ? fmt::format("{}", *known)
                      : dimension.dim_param().empty() ? "?"
                                                      : dimension.dim_param());
  }
  return fmt::format("{}[{}]", element_name(tensor.elem_type()), fmt::join(extents, "x"));
}

void complete_shape(TensorShapeProto& shape, const TensorShapeProto& other,
                    const Symbols& symbols) {
  if (shape.dim_size() != other.dim_size()) return;
  for (int axis = 0; axis < shape.dim_size(); ++axis)
    if (!extent(shape.dim(axis), symbols)) *shape.mutable_dim(axis) = other.dim(axis);
}

}  // namespace

std::string declared_text(const TypeProto& type, const Symbols& symbols) {
  switch (type.value_case()) {
    case TypeProto::kTensorType: return tensor_text(type.tensor_type(), symbols);
    case TypeProto::kSparseTensorType:
      return "sparse " + tensor_text(type.sparse_tensor_type(), symbols);
    case TypeProto::kSequenceType:
      return fmt::format("sequence({})", declared_text(type.sequence_type().elem_type(), symbols));
    case TypeProto::kOptionalType:
      return fmt::format("optional({})", declared_text(type.optional_type().elem_type(), symbols));
    case TypeProto::kMapType:
      return fmt::format("map({}, {})", element_name(type.map_type().key_type()),
                         declared_text(type.map_type().value_type(), symbols));
    default: return "unknown";
  }
}

std::string declared_text(const ::onnx::TensorProto& tensor) {
  TypeProto type;
  type.mutable_tensor_type()->set_elem_type(tensor.data_type());
  auto* shape = type.mutable_tensor_type()->mutable_shape();
  for (int i = 0; i < std::min(tensor.dims_size(), static_cast<int>(maximum_rank) + 1); ++i)
    shape->add_dim()->set_dim_value(tensor.dims(i));
  return declared_text(type, {});
}

TensorType tensor_type(const TypeProto& type, const Symbols& symbols) {
  const auto unknown = [&] { return TensorType::unknown(declared_text(type, symbols)); };
  if (type.value_case() != TypeProto::kTensorType || !type.tensor_type().has_shape())
    return unknown();
  const auto element = element_type(type.tensor_type().elem_type());
  if (!element) return unknown();
  TensorType known{*element, {}};
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    const auto found = extent(dimension, symbols);
    if (!found || known.shape.size() == maximum_rank) return unknown();
    known.shape.push_back(*found);
  }
  return check_type(known) ? known : unknown();
}

void fill_type(const TensorType& type, TypeProto& proto) {
  auto* tensor = proto.mutable_tensor_type();
  tensor->set_elem_type(onnx_element_type(type.type));
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : type.shape) shape->add_dim()->set_dim_value(extent);
}

void complete(TypeProto& type, const TypeProto& other, const Symbols& symbols) {
  const bool says_nothing = type.value_case() == TypeProto::VALUE_NOT_SET ||
                            (type.value_case() == TypeProto::kTensorType &&
                             type.tensor_type().elem_type() == ::onnx::TensorProto::UNDEFINED);
  if (says_nothing) {
    type = other;
  } else if (type.value_case() == TypeProto::kTensorType &&
             other.value_case() == TypeProto::kTensorType && other.tensor_type().has_shape()) {
    if (!type.tensor_type().has_shape())
      *type.mutable_tensor_type()->mutable_shape() = other.tensor_type().shape();
    else
      complete_shape(*type.mutable_tensor_type()->mutable_shape(), other.tensor_type().shape(),
                     symbols);
  }
}

}  // namespace loopglass::onnx
