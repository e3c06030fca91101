// loopglassc fold: a network's parts, with what each of them costs.
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

// Every part has what its parts have, or more.
void check(const nlohmann::json& part) {
  std::int64_t operators = 0, flops = 0;
  for (const auto& inside : part["parts"]) {
    operators += inside["operator_count"].get<std::int64_t>();
    flops += inside["flops"].get<std::int64_t>();
    check(inside);
  }
  EXPECT_LE(operators, part["operator_count"]);
  EXPECT_LE(flops, part["flops"]);
  if (part.value("repeats", 1) > 1 && !part["parts"].empty()) {
    EXPECT_EQ(part["parts"].size(), part["repeats"]);
    for (const auto& block : part["parts"])
      EXPECT_EQ(block["operator_count"], part["parts"][0]["operator_count"]);
  }
}

TEST_F(CommandLine, FoldTellsPartsAndWhatTheyCost) {
  const auto blocks = json("fold mobilenet_v1");
  check(blocks);
  int most = 0;
  for (const auto& part : blocks["parts"]) most = std::max(most, part["repeats"].get<int>());
  EXPECT_EQ(most, 5) << "the five layers of 512 channels";
  const auto kernels = json("fold mobilenet_v1 --by names --kernels --bench --threads 1");
  check(kernels);
  EXPECT_EQ(kernels["operator_count"], blocks["operator_count"]);
  EXPECT_GT(kernels["median_us"], 0);
  EXPECT_EQ(blocks["median_us"], nullptr);
}

}  // namespace
}  // namespace loopglass::app
