// The default schedule is made for a machine that it is given: other vectors, registers, caches and
// rates give other tiles.
#include "core/default_schedule/default_schedule.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <fmt/format.h>

namespace loopglass::schedule {
namespace {

const loop::Func nest = convolution({1, 64, 28, 28, 64, 3, 1, 1});

TEST(MachineTiles, FollowTheWidthAndTheNumberOfVectors) {
  const Machine wide = machine_with_vectors("wide", 64, 32);
  EXPECT_NE(default_script(nest, wide),
            default_script(nest, machine_with_vectors("narrow", 16, 32)));
  EXPECT_NE(default_script(nest, wide), default_script(nest, machine_with_vectors("few", 64, 16)));
}

TEST(MachineTiles, FollowTheCaches) {
  Machine small = reference_machine(), large = reference_machine();
  small.l1.bytes = 4 << 10;
  large.l1.bytes = 4 << 20;
  const loop::Func product = matrix_product(512, 512, 520);
  EXPECT_NE(default_script(product, small), default_script(product, large));
}

// A panel that does not stay in the first cache is taken from the second in each step.
TEST(MachineTiles, FollowWhatTheSecondCacheGives) {
  Machine slow = reference_machine();
  slow.l2.gigabytes_per_second = slow.l2.gigabytes_per_second / 16;
  const loop::Func product = matrix_product(384, 384, 384);
  EXPECT_NE(default_script(product, reference_machine()), default_script(product, slow));
}

// Rows that lie a page apart share the sets of the first cache; rows a line more apart do not.
TEST(MachineTiles, TakeNoMoreRowsOfOneSetThanItHasLines) {
  const auto rows = [](std::int64_t depth) {
    const std::string text = default_script(matrix_product(1024, 64, depth), reference_machine());
    const auto at = text.find("i_o, i_i = split(i, [-1, ");
    EXPECT_NE(at, std::string::npos) << text;
    return std::stoi(text.substr(at + 25));
  };
  EXPECT_LE(rows(1024), 9);
  EXPECT_GT(rows(1040), 9);
}

// What is multiplied by one instruction and added by another stands in a register between them.
TEST(MachineTiles, LeaveARegisterToProductsThatAreAddedApart) {
  const Machine machine = machine_with_vectors("x86-64, AVX2", 32, 16);
  const auto registers = [&](DataType type) {
    const std::string text = default_script(matrix_product(128, 768, 384, type), machine);
    const auto part_of = [&](const std::string& loop) {
      const auto at = text.find(fmt::format("split({}, [-1, ", loop));
      EXPECT_NE(at, std::string::npos) << text;
      return std::stoi(text.substr(at + loop.size() + 13));
    };
    const int vectors = part_of("j") / 8;
    return part_of("i") * vectors + vectors + 1;
  };
  EXPECT_EQ(registers(DataType::Float32), 16) << "all of them";
  EXPECT_LT(registers(DataType::Int32), 16);
}

// Where a figure comes from is for people to know.
TEST(MachineTiles, DoNotAskWhereAFigureComesFrom) {
  Machine measured = reference_machine();
  each_rate(measured, [](const char*, Figure<double>& rate) { rate.from = Provenance::Measured; });
  EXPECT_EQ(default_script(nest, reference_machine()), default_script(nest, measured));
}

}  // namespace
}  // namespace loopglass::schedule
