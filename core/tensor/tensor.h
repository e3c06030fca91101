// Tensors: a type (element type and shape, row-major) and aligned storage. Tensor is a value with
// shared, immutable-by-convention storage: copies are cheap; write only to a tensor you just made.
#pragma once

#include "core/support/result.h"
#include "core/tensor/data_type.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace loopglass {

// Extents, outermost first; all >= 0. Rank 0 is a scalar. Symbolic extents are bound at import, so
// the graph is static; loop nests may still carry symbols (see core/loop).
using Shape = std::vector<std::int64_t>;

// Product of the extents; 1 for a scalar. Fails (nullopt) when it does not fit 62 bits.
std::optional<std::int64_t> checked_element_count(const Shape& shape);
std::int64_t element_count(const Shape& shape);                   // CHECKs instead
std::vector<std::int64_t> row_major_strides(const Shape& shape);  // in elements
std::string to_string(const Shape& shape);                        // "1x3x224x224", "scalar"

struct TensorType {
  DataType type = DataType::Float32;
  Shape shape;
  // Set for what cannot be computed with here, as the model declares it: "sequence(float32)",
  // "string[2]", "float32[?x4]" with an extent that is not known, or just "unknown". Operators that
  // are not known may make and read it. The type and shape are then those of nothing: uint8[0].
  std::string declared = {};

  static TensorType unknown(std::string declared) {
    return {DataType::UInt8, {0}, std::move(declared)};
  }
  bool is_known() const { return declared.empty(); }

  std::int64_t bytes() const {
    return element_count(shape) * static_cast<std::int64_t>(byte_size(type));
  }
  friend bool operator==(const TensorType&, const TensorType&) = default;
};
// "float32[1x3x224x224]", "int64[]", or what is declared.
std::string to_string(const TensorType& type);

class Tensor {
 public:
  // Storage is aligned to this many bytes and padded by as many, so a full vector may be read at
  // the last element.
  static constexpr std::size_t alignment = 64;
  // More than this in one tensor is refused as absurd (64 GiB).
  static constexpr std::int64_t maximum_bytes = std::int64_t{1} << 36;

  Tensor() = default;
  // Zero-filled. Throws std::bad_alloc; use `allocate` for sizes a person decides.
  explicit Tensor(TensorType type);
  static Result<Tensor> allocate(TensorType type);
  template <class T>
  static Tensor of(Shape shape, std::span<const T> values);
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }

  bool defined() const { return storage_ != nullptr; }
  const TensorType& type() const { return type_; }
  DataType data_type() const { return type_.type; }
  const Shape& shape() const { return type_.shape; }
  std::int64_t elements() const { return element_count(type_.shape); }
  std::size_t bytes() const { return static_cast<std::size_t>(type_.bytes()); }

  std::byte* data() { return storage_.get(); }
  const std::byte* data() const { return storage_.get(); }
  // CHECKs that T is the element type.
  template <class T>
  std::span<T> as();
  template <class T>
  std::span<const T> as() const;

  // Any element as a double or an integer, whatever the element type.
  double double_at(std::int64_t index) const;
  std::int64_t integer_at(std::int64_t index) const;
  std::vector<std::int64_t> to_integers() const;

  // The same storage under another shape of as many elements.
  Tensor reshaped(Shape shape) const;
  std::uint64_t content_hash() const;  // type and bytes
  bool same_content(const Tensor& other) const;

 private:
  TensorType type_;
  std::shared_ptr<std::byte> storage_;
};

void check_element_type(DataType actual, DataType wanted);

template <class T>
std::span<T> Tensor::as() {
  check_element_type(type_.type, data_type_of<T>());
  return {reinterpret_cast<T*>(storage_.get()), static_cast<std::size_t>(elements())};
}
template <class T>
std::span<const T> Tensor::as() const {
  check_element_type(type_.type, data_type_of<T>());
  return {reinterpret_cast<const T*>(storage_.get()), static_cast<std::size_t>(elements())};
}
template <class T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
  Tensor tensor(TensorType{data_type_of<T>(), std::move(shape)});
  std::copy(values.begin(), values.end(), tensor.as<T>().begin());
  return tensor;
}

}  // namespace loopglass
