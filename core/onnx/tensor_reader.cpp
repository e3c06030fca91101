#include "core/onnx/tensor_reader.h"

#include "core/onnx/element_type.h"
#include "core/onnx/external_data.h"
#include "core/onnx/limits.h"
#include "core/onnx/refusals.h"
#include "core/support/ceil_div.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <bit>
#include <cstring>
#include <utility>

namespace loopglass::onnx {

namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw tensor data is little-endian");

// Puts the tensor's name in front of what went wrong.
template <class T>
Result<T> naming(const TensorProto& proto, Result<T> result) {
  if (!result && !proto.name().empty())
    result.error().what = fmt::format("tensor '{}': {}", proto.name(), result.error().what);
  return result;
}

Result<TensorType> type_of(const TensorProto& proto, DataType elements) {
  TensorType type{elements, {}};
  // Before a million extents are copied.
  if (static_cast<std::size_t>(proto.dims_size()) > maximum_rank)
    return fail(Code::ModelTooLarge, fmt::format("{} dimensions; at most {} are accepted",
                                                 proto.dims_size(), maximum_rank));
  type.shape.assign(proto.dims().begin(), proto.dims().end());
  TRY_VOID(check_type(type));
  return type;
}

// The typed field an element type is stored in, when not as raw bytes.
template <class T>
const auto& field_of(const TensorProto& proto) {
  if constexpr (std::is_same_v<T, float>) return proto.float_data();
  else if constexpr (std::is_same_v<T, double>) return proto.double_data();
  else if constexpr (std::is_same_v<T, std::int64_t>) return proto.int64_data();
  else if constexpr (std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::uint32_t>)
    return proto.uint64_data();
  else return proto.int32_data();
}

template <class T>
Result<void> read_field(const TensorProto& proto, Tensor& tensor) {
  const auto& field = field_of<T>(proto);
  const std::span<T> elements = tensor.as<T>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto value = field.Get(static_cast<int>(i));
    if constexpr (std::is_same_v<T, Float16>) {
      elements[i] = std::bit_cast<Float16>(static_cast<std::uint16_t>(value));
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!std::in_range<T>(value))
        return corrupt(fmt::format("value {} does not fit {}", value, name(tensor.data_type())));
      elements[i] = static_cast<T>(value);
    } else {
      elements[i] = static_cast<T>(value);
    }
  }
  return {};
}

// A bool is 0 or 1, whatever non-zero byte the file has.
void normalise_bools(Tensor& tensor) {
  if (tensor.data_type() != DataType::Bool) return;
  for (std::size_t i = 0; i < tensor.bytes(); ++i)
    tensor.data()[i] = std::byte{tensor.data()[i] != std::byte{0}};
}

}  // namespace

Result<Tensor> TensorReader::allocate(TensorType type) {
  TRY_VOID(check_type(type));
  if (type.bytes() > budget_)
    return fail(Code::ModelTooLarge,
                fmt::format("{} and the constants before it take too much memory", to_string(type)),
                {}, "a model's constants may take half of this machine's memory");
  budget_ -= type.bytes();
  return Tensor::allocate(std::move(type));
}

// Data and shape are compared before anything is allocated: a shape costs nothing to write.
Result<Tensor> TensorReader::read_inline(const TensorProto& proto, TensorType type) {
  const std::string& raw = proto.raw_data();
  return visit_type(type.type, [&](auto element) -> Result<Tensor> {
    using T = decltype(element);
    const auto values = static_cast<std::int64_t>(field_of<T>(proto).size());
    if (raw.empty() && values != element_count(type.shape))
      return corrupt(fmt::format("{} values for the {} elements of {}", values,
                                 element_count(type.shape), to_string(type)));
    if (!raw.empty() && std::ssize(raw) != type.bytes())
      return corrupt(fmt::format("{} bytes of data for {}, which takes {}", raw.size(),
                                 to_string(type), type.bytes()));
    Tensor tensor = TRY(allocate(std::move(type)));
    if (raw.empty()) TRY_VOID(read_field<T>(proto, tensor));
    else std::memcpy(tensor.data(), raw.data(), raw.size());
    return tensor;
  });
}

Result<Tensor> TensorReader::read_external(const TensorProto& proto, TensorType type) {
  const ExternalData data = TRY(open_external_data(proto, folder_, type.bytes()));
  Tensor tensor = TRY(allocate(std::move(type)));
  TRY_VOID(data.file.read(data.offset, {tensor.data(), tensor.bytes()}));
  return tensor;
}

Result<Tensor> TensorReader::read(const TensorProto& proto) {
  const DataType elements = TRY(naming(proto, element_type(proto.data_type())));
  Tensor tensor = TRY(naming(proto, read_as(proto, TRY(naming(proto, type_of(proto, elements))))));
  normalise_bools(tensor);
  return tensor;
}

Result<Tensor> TensorReader::read_as(const TensorProto& proto, TensorType type) {
  if (proto.has_segment()) return corrupt("tensors stored in segments are not supported");
  return proto.data_location() == TensorProto::EXTERNAL ? read_external(proto, std::move(type))
                                                        : read_inline(proto, std::move(type));
}

Result<Tensor> TensorReader::read_few_bits(const TensorProto& proto) {
  const auto few = few_bit_type(proto.data_type());
  CHECK(few, "a type of few bits");
  const TensorType type = TRY(naming(proto, type_of(proto, few->held_as)));
  const std::int64_t elements = element_count(type.shape), of_byte = 8 / few->bits;
  const Tensor packed =
      TRY(naming(proto, read_as(proto, {DataType::UInt8, {ceil_div(elements, of_byte)}})));
  Tensor tensor = TRY(naming(proto, allocate(type)));
  const auto bytes = packed.as<std::uint8_t>();
  const bool is_signed = few->held_as == DataType::Int8;
  const int values = 1 << few->bits;
  for (std::int64_t i = 0; i < elements; ++i) {
    const int value =
        bytes[static_cast<std::size_t>(i / of_byte)] >> (i % of_byte * few->bits) & (values - 1);
    tensor.data()[i] =
        static_cast<std::byte>(is_signed && value >= values / 2 ? value - values : value);
  }
  return tensor;
}

// Values at indices: linear ones, or one row of coordinates each.
Result<Tensor> TensorReader::read(const ::onnx::SparseTensorProto& proto) {
  const Tensor values = TRY(read(proto.values()));
  const Tensor indices = TRY(read(proto.indices()));
  const auto refuse = [&](std::string what) {
    return naming<Tensor>(proto.values(), corrupt(std::move(what)));
  };
  if (static_cast<std::size_t>(proto.dims_size()) > maximum_rank)
    return refuse("a sparse tensor of too many dimensions");
  Tensor dense =
      TRY(naming(proto.values(),
                 allocate({values.data_type(), Shape(proto.dims().begin(), proto.dims().end())})));
  const bool linear = indices.shape().size() == 1;
  const auto rank = std::ssize(dense.shape());
  const std::int64_t count = values.elements();
  if (indices.data_type() != DataType::Int64 ||
      indices.shape() != (linear ? Shape{count} : Shape{count, rank}))
    return refuse(fmt::format("a sparse tensor of {} values with indices {}", count,
                              to_string(indices.type())));
  const std::vector<std::int64_t> strides = row_major_strides(dense.shape());
  const std::size_t size = byte_size(dense.data_type());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = linear ? indices.integer_at(i) : 0;
    for (std::int64_t axis = 0; !linear && axis < rank; ++axis) {
      const std::int64_t index = indices.integer_at(i * rank + axis);
      if (index < 0 || index >= dense.shape()[static_cast<std::size_t>(axis)])
        return refuse("a sparse tensor's index lies outside it");
      position += index * strides[static_cast<std::size_t>(axis)];
    }
    if (position < 0 || position >= dense.elements())
      return refuse("a sparse tensor's index lies outside it");
    std::memcpy(dense.data() + static_cast<std::size_t>(position) * size,
                values.data() + static_cast<std::size_t>(i) * size, size);
  }
  return dense;
}

}  // namespace loopglass::onnx
