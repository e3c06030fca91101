#include "core/tensor/data_type.h"

#include <array>
#include <utility>

namespace loopglass {

namespace {
constexpr std::array<std::pair<DataType, std::string_view>, 12> names{{
    {DataType::Float16, "float16"},
    {DataType::Float32, "float32"},
    {DataType::Float64, "float64"},
    {DataType::Int8, "int8"},
    {DataType::Int16, "int16"},
    {DataType::Int32, "int32"},
    {DataType::Int64, "int64"},
    {DataType::UInt8, "uint8"},
    {DataType::UInt16, "uint16"},
    {DataType::UInt32, "uint32"},
    {DataType::UInt64, "uint64"},
    {DataType::Bool, "bool"},
}};
}  // namespace

std::size_t byte_size(DataType type) {
  return visit_type(type, [](auto element) { return sizeof(element); });
}

std::string_view name(DataType type) { return names[static_cast<std::size_t>(type)].second; }

std::optional<DataType> data_type_named(std::string_view wanted) {
  for (const auto& [type, text] : names)
    if (text == wanted) return type;
  return std::nullopt;
}

bool is_float(DataType type) {
  return type == DataType::Float16 || type == DataType::Float32 || type == DataType::Float64;
}

bool is_signed_integer(DataType type) {
  return visit_type(type, [](auto element) {
    return std::is_integral_v<decltype(element)> && std::is_signed_v<decltype(element)>;
  });
}

bool is_unsigned_integer(DataType type) {
  return visit_type(type, [](auto element) {
    return std::is_unsigned_v<decltype(element)> && !std::is_same_v<decltype(element), bool>;
  });
}

}  // namespace loopglass
