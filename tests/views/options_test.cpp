// The command line of the window: sizes and shapes are read exactly or not at all.
#include "app/window/options.h"

#include "views/fusion/fusion_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::app {
namespace {

TEST(WindowOptions, SizesReadAsWidthByHeight) {
  EXPECT_EQ(parse_size("1920x1080"), QSize(1920, 1080));
  for (const char* wrong :
       {"", "1920", "1920x", "x1080", "1920x1080x1", "axb", "1x1", "99999x99999", "-5x600"})
    EXPECT_FALSE(parse_size(wrong)) << wrong;
}

ParsedOptions parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "loopglass");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return parse_options(static_cast<int>(pointers.size()), pointers.data());
}

TEST(WindowOptions, AFullCommandLine) {
  const ParsedOptions parsed = parse({"lenet",
                                      "--screenshot",
                                      "out.png",
                                      "--size",
                                      "800x600",
                                      "--step",
                                      "0",
                                      "--select",
                                      "conv1",
                                      "--theme",
                                      "light",
                                      "--workspace",
                                      "lowering",
                                      "--strategy",
                                      "dp",
                                      "--tab",
                                      "near-misses",
                                      "--shape",
                                      "image=1x1x28x28",
                                      "--set",
                                      "rate=-3"});
  ASSERT_FALSE(parsed.exit_code);
  const WindowOptions& options = parsed.options;
  EXPECT_EQ(options.model, "lenet");
  EXPECT_EQ(options.screenshot, "out.png");
  EXPECT_EQ(options.size, QSize(800, 600));
  EXPECT_EQ(options.step, "0");
  EXPECT_EQ(options.select, "conv1");
  EXPECT_EQ(options.tone, views::Tone::Light);
  EXPECT_EQ(options.workspace, "lowering");
  EXPECT_EQ(options.strategy, "dp");
  EXPECT_EQ(options.tab, "near-misses");
  EXPECT_EQ(options.inputs.shapes.at("image"), (Shape{1, 1, 28, 28}));
  EXPECT_EQ(options.inputs.symbols.at("rate"), -3);
}

TEST(WindowOptions, WhatDoesNotReadEndsWithTheUsageCode) {
  EXPECT_EQ(parse({"--size", "huge"}).exit_code, 2);
  EXPECT_FALSE(parse({"lenet"}).options.size);
  EXPECT_EQ(parse({"--shape", "image"}).exit_code, 2);
  EXPECT_EQ(parse({"--set", "rate=fast"}).exit_code, 2);
  EXPECT_EQ(parse({"--theme", "sepia"}).exit_code, 2);
  for (const char* option : {"--workspace", "--strategy", "--tab"})
    EXPECT_EQ(parse({option, "nonsense"}).exit_code, 2) << option;
  EXPECT_EQ(parse({"--no-such-option"}).exit_code, 2);
  EXPECT_EQ(parse({"--help"}).exit_code, 0);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(parse({"lenet", "--bench"}).exit_code, 2);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("loopglass has no option --bench\n  hint: did you mean "
                                   "'--benchmark'?"));
}

TEST(WindowOptions, EveryPageOfTheFusionPaneHasAName) {
  EXPECT_EQ(views::FusionView::tab_names().size(), views::FusionView::Codes + 1);
}

}  // namespace
}  // namespace loopglass::app
