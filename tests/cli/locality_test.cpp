// How soon a kernel's lines are used again, as the command prints it.
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class LocalityCommand : public CommandLine {};

// A schedule is worth its lines: of the second matrix less is missed.
TEST_F(LocalityCommand, ShowsWhatAScheduleSaves) {
  const auto misses_of = [&](const std::string& options, const std::string& wanted) {
    const Json reuse = json("locality matmul" + options);
    EXPECT_EQ(reuse["line_bytes"], 64);
    EXPECT_FALSE(reuse["whole"]) << "too much to follow";
    for (const Json& buffer : reuse["buffers"])
      if (buffer["name"] == wanted)
        return buffer["misses"][0].get<double>() / buffer["accesses"].get<double>();
    ADD_FAILURE() << wanted;
    return 0.0;
  };
  EXPECT_LT(2 * misses_of("", "B"), misses_of(" --step 0", "B"));
}

TEST_F(LocalityCommand, ListsIterations) {
  EXPECT_THAT(run("locality matmul --step 0 --iterations 2").out,
              HasSubstr("     2  i0 = 0, i1 = 0, r0 = 1, i = 0, j = 0, k = 1  reads C[0, 0], "
                        "reads A[0, 1], reads B[1, 0], stores C[0, 0]"));
  const Json iterations = json("locality matmul --step 0 --iterations 2 --block C");
  EXPECT_EQ(iterations["iterations"].size(), 2u);
  EXPECT_EQ(iterations["iterations"][1]["values"], Json::parse("[0, 0, 1, 0, 0, 1]"));
  refused("locality matmul --block C", 2, "with --iterations N");
}

TEST_F(LocalityCommand, SaysHowMuchItFollowed) {
  EXPECT_THAT(run("locality matmul --step 0 --accesses 1000").out,
              HasSubstr("matmul before its schedule: the first 1000 accesses"));
  refused("locality matmul --step 99", 2, "there is no step 99");
}

}  // namespace
}  // namespace loopglass::app
