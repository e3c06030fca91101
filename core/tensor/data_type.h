// Element types of tensors and scalar expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace loopglass {

// IEEE 754 binary16; arithmetic rounds to nearest even after every operation.
using Float16 = _Float16;

enum class DataType : std::uint8_t {
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Bool,  // one byte, 0 or 1
};

std::size_t byte_size(DataType type);
std::string_view name(DataType type);  // "float32", "int8", "bool", ...
std::optional<DataType> data_type_named(std::string_view name);

bool is_float(DataType type);
bool is_signed_integer(DataType type);
bool is_unsigned_integer(DataType type);  // Bool is neither
inline bool is_integer(DataType type) {
  return is_signed_integer(type) || is_unsigned_integer(type);
}

template <class T>
constexpr DataType data_type_of() {
  if constexpr (std::is_same_v<T, Float16>) return DataType::Float16;
  else if constexpr (std::is_same_v<T, float>) return DataType::Float32;
  else if constexpr (std::is_same_v<T, double>) return DataType::Float64;
  else if constexpr (std::is_same_v<T, std::int8_t>) return DataType::Int8;
  else if constexpr (std::is_same_v<T, std::int16_t>) return DataType::Int16;
  else if constexpr (std::is_same_v<T, std::int32_t>) return DataType::Int32;
  else if constexpr (std::is_same_v<T, std::int64_t>) return DataType::Int64;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return DataType::UInt8;
  else if constexpr (std::is_same_v<T, std::uint16_t>) return DataType::UInt16;
  else if constexpr (std::is_same_v<T, std::uint32_t>) return DataType::UInt32;
  else if constexpr (std::is_same_v<T, std::uint64_t>) return DataType::UInt64;
  else if constexpr (std::is_same_v<T, bool>) return DataType::Bool;
  else static_assert(!sizeof(T), "not an element type");
}

// Calls `visit(T{})` with the C++ type that stores an element.
template <class Visitor>
decltype(auto) visit_type(DataType type, Visitor&& visit) {
  switch (type) {
    case DataType::Float16: return visit(Float16{});
    case DataType::Float32: return visit(float{});
    case DataType::Float64: return visit(double{});
    case DataType::Int8: return visit(std::int8_t{});
    case DataType::Int16: return visit(std::int16_t{});
    case DataType::Int32: return visit(std::int32_t{});
    case DataType::Int64: return visit(std::int64_t{});
    case DataType::UInt8: return visit(std::uint8_t{});
    case DataType::UInt16: return visit(std::uint16_t{});
    case DataType::UInt32: return visit(std::uint32_t{});
    case DataType::UInt64: return visit(std::uint64_t{});
    case DataType::Bool: return visit(bool{});
  }
  __builtin_unreachable();
}

}  // namespace loopglass
