// The command line of the window: sizes and shapes are read exactly or not at all.
#include "app/window/options.h"

#include <gtest/gtest.h>

namespace loopglass::app {
namespace {

TEST(WindowOptions, SizesReadAsWidthByHeight) {
  EXPECT_EQ(parse_size("1920x1080"), QSize(1920, 1080));
  for (const char* wrong : {"", "1920", "1920x", "x1080", "1920x1080x1", "axb", "1x1", "99999x99999", "-5x600"})
    EXPECT_FALSE(parse_size(wrong)) << wrong;
}

TEST(WindowOptions, ShapesReadAsNameAndExtents) {
  std::map<std::string, Shape> shapes;
  EXPECT_TRUE(parse_shape("data=1x3x224x224", shapes));
  EXPECT_TRUE(parse_shape("a=b=7", shapes)) << "a name may hold an equals sign";
  EXPECT_EQ(shapes.at("data"), (Shape{1, 3, 224, 224}));
  EXPECT_EQ(shapes.at("a=b"), (Shape{7}));
  for (const char* wrong : {"", "data", "data=", "=1x2", "data=1x", "data=1xtwo", "data=-1x2", "data=99999999999999999999"})
    EXPECT_FALSE(parse_shape(wrong, shapes)) << wrong;
}

}  // namespace
}  // namespace loopglass::app
