#include "core/tensor/tensor.h"

#include "core/support/check.h"
#include "core/support/hash.h"
#include "core/support/machine_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstdlib>
#include <cstring>
#include <new>

namespace loopglass {

std::optional<std::int64_t> checked_element_count(const Shape& shape) {
  // A zero extent makes the product zero however absurd the others are.
  for (const std::int64_t extent : shape)
    if (extent == 0) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    if (count > (std::int64_t{1} << 62)) return std::nullopt;
  }
  return count;
}

std::int64_t element_count(const Shape& shape) {
  const auto count = checked_element_count(shape);
  CHECK(count.has_value(), "shape out of range: " + to_string(shape));
  return *count;
}

std::vector<std::int64_t> row_major_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string to_string(const TensorType& type) {
  if (!type.is_known()) return type.declared;
  return fmt::format("{}[{}]", name(type.type), fmt::join(type.shape, "x"));
}

namespace {
std::shared_ptr<std::byte> aligned_zeros(std::size_t bytes) {
  // Rounded up, with one alignment of slack to read past the end.
  const std::size_t size = (bytes / Tensor::alignment + 2) * Tensor::alignment;
  // The system hands out more than it has and kills whoever uses it; small sizes are not worth
  // asking.
  constexpr std::size_t worth_asking = 64 << 20;
  if (size >= worth_asking && static_cast<std::int64_t>(size) > machine_memory().available)
    throw std::bad_alloc();
  void* memory = std::aligned_alloc(Tensor::alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, size);
  return {static_cast<std::byte*>(memory), [](std::byte* bytes) { std::free(bytes); }};
}
}  // namespace

Tensor::Tensor(TensorType type) : type_(std::move(type)) {
  storage_ = aligned_zeros(static_cast<std::size_t>(type_.bytes()));
}

Result<Tensor> Tensor::allocate(TensorType type) {
  const auto count = checked_element_count(type.shape);
  if (!count || *count > maximum_bytes / static_cast<std::int64_t>(byte_size(type.type)))
    return fail(Code::ModelTooLarge,
                fmt::format("a tensor of shape {} is too large", to_string(type.shape)), {},
                "the limit for one tensor is 64 GiB");
  try {
    return Tensor(type);
  } catch (const std::bad_alloc&) {
    return fail(Code::OutOfMemory, fmt::format("no memory for {}", to_string(type)));
  }
}

double Tensor::double_at(std::int64_t index) const {
  return visit_type(type_.type, [&](auto element) {
    return static_cast<double>(reinterpret_cast<const decltype(element)*>(storage_.get())[index]);
  });
}

std::int64_t Tensor::integer_at(std::int64_t index) const {
  return visit_type(type_.type, [&](auto element) {
    return static_cast<std::int64_t>(
        reinterpret_cast<const decltype(element)*>(storage_.get())[index]);
  });
}

std::vector<std::int64_t> Tensor::to_integers() const {
  std::vector<std::int64_t> values(static_cast<std::size_t>(elements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = integer_at(static_cast<std::int64_t>(i));
  return values;
}

Tensor Tensor::reshaped(Shape shape) const {
  CHECK(element_count(shape) == elements());
  Tensor result = *this;
  result.type_.shape = std::move(shape);
  return result;
}

std::uint64_t Tensor::content_hash() const {
  Hasher hasher;
  hasher.value(type_.type);
  for (const auto extent : type_.shape) hasher.value(extent);
  return hasher.bytes({data(), bytes()}).digest();
}

bool Tensor::same_content(const Tensor& other) const {
  return type_ == other.type_ &&
         (storage_ == other.storage_ || std::memcmp(data(), other.data(), bytes()) == 0);
}

void check_element_type(DataType actual, DataType wanted) {
  CHECK(actual == wanted, fmt::format("tensor holds {}, asked for {}", name(actual), name(wanted)));
}

}  // namespace loopglass
