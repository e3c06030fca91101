// Packing constants fast gives what loop::pack defines.
#include "core/runtime/packing.h"

#include "core/expr/parse.h"
#include "core/loop/interpreter.h"
#include "core/runtime/executor.h"

#include <gtest/gtest.h>

#include <chrono>

namespace loopglass::runtime {
namespace {

loop::Buffer packed(DataType type, const Shape& original, const Shape& shape,
                    const std::vector<std::string>& source) {
  loop::Buffer buffer{"W",
                      type,
                      te::extents(shape),
                      loop::Scope::Global,
                      loop::Role::Constant,
                      loop::Packing{original, {}}};
  for (const std::string& index : source)
    buffer.packing->source.push_back(expr::parse(index).value());
  return buffer;
}

void expect_packed(const loop::Buffer& buffer) {
  Tensor constant = random_tensor(TensorType{buffer.type, buffer.packing->original_shape}, 5);
  Tensor fast = pack_constant(buffer, constant), slow = loop::pack(buffer, constant);
  EXPECT_TRUE(fast.same_content(slow));
}

TEST(Packing, WithoutOneTheConstantIsShared) {
  Tensor constant = random_tensor(TensorType{DataType::Float32, {4, 4}}, 1);
  loop::Buffer buffer{
      "W", DataType::Float32, te::extents({4, 4}), loop::Scope::Global, loop::Role::Constant, {}};
  EXPECT_EQ(pack_constant(buffer, constant).data(), constant.data());
}

TEST(Packing, TilesOfEveryElementSize) {
  for (DataType type :
       {DataType::UInt8, DataType::Float16, DataType::Float32, DataType::Int64, DataType::Bool})
    expect_packed(packed(type, {8, 6, 3}, {2, 6, 3, 4}, {"d0 * 4 + d3", "d1", "d2"}));
}

TEST(Packing, BeyondTheOriginalIsZero) {
  expect_packed(packed(DataType::Float32, {7, 5}, {2, 6, 4}, {"d0 * 4 + d2", "d1"}));
  expect_packed(packed(DataType::Float32, {7, 5}, {9, 8}, {"d0 - 1", "d1 - 2"}));
}

TEST(Packing, IndicesMayRunBackwardsAndMeet) {
  expect_packed(packed(DataType::Float32, {9, 5}, {9, 5}, {"8 - d0", "4 - d1"}));
  expect_packed(packed(DataType::Float32, {9}, {5, 5}, {"d0 + d1"}));
}

TEST(Packing, IndexMapsThatAreNotAffine) {
  expect_packed(
      packed(DataType::Float32, {12, 5}, {4, 5, 3}, {"d0 * 3 + d2", "(d1 + d0) floormod 5"}));
  expect_packed(packed(DataType::Float32, {12, 5}, {60}, {"d0 floordiv 5", "d0 floormod 5"}));
}

}  // namespace
}  // namespace loopglass::runtime
