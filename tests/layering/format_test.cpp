// The sources are as .clang-format says, so that nobody's editor changes what they did not touch.
#include <gtest/gtest.h>
#include <array>
#include <cstdio>
#include <string>

namespace {

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "the shell cannot be started";
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

// Versions differ in what they make of the same style; Debian 12's is the one that counts.
TEST(Format, TheTreeFollowsItsClangFormat) {
  const std::string formatter = "clang-format-14";
  if (output_of("command -v " + formatter).empty())
    GTEST_SKIP() << formatter << " is not installed; ./check installs it";
  const std::string sources =
      "cd '" LOOPGLASS_SOURCE_DIR
      "' && find app core passes samples tests views -name '*.h' -o -name '*.cpp'";
  EXPECT_GT(output_of(sources).size(), 10'000u);
  EXPECT_EQ(output_of(sources + " | xargs -n 100 " + formatter +
                      " --dry-run -Werror --ferror-limit=1 2>&1 | head -n 40"),
            "")
      << "clang-format -i FILE mends it";
}

}  // namespace
