// Scalar expressions.
#include "core/expr/parse.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

// A buffer of each element type, named by its first letter and size: f32, u8, b8.
static std::optional<DataType> buffer_type(std::string_view name) {
  for (const DataType type :
       {DataType::Float16, DataType::Float32, DataType::Float64, DataType::Int8, DataType::Int32,
        DataType::Int64, DataType::UInt8, DataType::UInt64, DataType::Bool})
    if (std::string(1, loopglass::name(type)[0]) + std::to_string(8 * byte_size(type)) == name)
      return type;
  return std::nullopt;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size),
      [](std::string_view text) { return expr::parse(text, buffer_type); },
      [](const expr::Expr& expression) { return to_string(expression); });
  return 0;
}
