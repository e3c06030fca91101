// Layouts, and that an operator's form in any of them is the operator itself: what comes out of
// arranged operands is the arranged result.
#include "core/tensor/layout.h"
#include "core/ops/layout_forms.h"

#include "tests/ops/arrays.h"

#include <fmt/format.h>

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor arranged(const Tensor& plain, const std::string& layout) {
  auto result = Layout::of(layout).arranged(plain);
  if (result) return *result;
  ADD_FAILURE() << result.error().what;
  return plain;
}

// --- the value ----------------------------------------------------------------------------------

TEST(Layout, SaysInWhatOrderTheAxesLie) {
  const Layout blocked = Layout::of("NCHW16c");
  EXPECT_EQ(blocked.rank(), 4u);
  EXPECT_EQ(blocked.block(1), 16);
  EXPECT_EQ(*blocked.physical({2, 32, 5, 7}), (Shape{2, 2, 5, 7, 16}));
  EXPECT_EQ(*blocked.logical({2, 2, 5, 7, 16}), (Shape{2, 32, 5, 7}));
  EXPECT_EQ(*Layout::of("NHWC").physical({2, 3, 5, 7}), (Shape{2, 5, 7, 3}));
  EXPECT_EQ(*Layout::of("OIHW4i8o").physical({16, 4, 3, 3}), (Shape{2, 1, 3, 3, 4, 8}));
  EXPECT_EQ(*Layout::of("NCW").physical({2, 3, 5}), (Shape{2, 3, 5}));
  EXPECT_EQ(*Layout::of("NDHWC").physical({2, 3, 5, 7, 9}), (Shape{2, 5, 7, 9, 3}));
  EXPECT_TRUE(Layout::of("NCHW").is_plain());
  EXPECT_FALSE(Layout::of("NHWC").is_plain());
}

TEST(Layout, RefusesWhatIsNone) {
  for (const char* text :
       {"", "N", "HW", "NCHH", "NCXW", "NCHW0c", "NCHW1c", "NCHW8", "NCHWc", "NCHW8h4h", "NCW8h",
        "8cNCHW", "NCHW99999999999999999999c", "NCHW8C", "nchw"}) {
    const auto layout = Layout::parse(text);
    ASSERT_FALSE(layout) << text;
    EXPECT_EQ(layout.error().code, Code::UsageInvalid) << text;
  }
}

TEST(Layout, RefusesShapesItDoesNotFit) {
  EXPECT_THAT(Layout::of("NCHW8c").physical({1, 12, 4, 4}).error().what,
              HasSubstr("8 does not divide an extent of 12"));
  EXPECT_FALSE(Layout::of("NCHW").physical({1, 2, 3}));
  EXPECT_FALSE(Layout::of("NCHW8c").logical({1, 2, 3, 4, 4}));
  EXPECT_FALSE(Layout::of("NCHW8c").logical({1, 2, 3, 4}));
}

// Dimensions of one element have no place in the order, so a vector of channels is the same in all.
TEST(Layout, KnowsWhereOnlyTheExtentsDiffer) {
  const auto same = [](const char* a, const char* b, Shape shape) {
    return Layout::of(a).same_order(Layout::of(b), shape);
  };
  EXPECT_TRUE(same("NCHW", "NHWC", {2, 32, 1, 1}));
  EXPECT_TRUE(same("NCHW", "NCHW16c", {2, 32, 1, 1}));
  EXPECT_TRUE(same("NHWC", "NCHW16c", {1, 16, 5, 5}));
  EXPECT_TRUE(same("NCHW", "NHWC", {2, 1, 5, 7}));
  EXPECT_FALSE(same("NCHW", "NHWC", {1, 32, 1, 5}));
  EXPECT_FALSE(same("NCHW", "NCHW16c", {1, 16, 1, 5}));
  EXPECT_FALSE(same("NHWC", "NCHW16c", {1, 32, 5, 5}));
  EXPECT_FALSE(same("NCHW16c", "NCHW32c", {1, 32, 5, 5}));
}

// --- LayoutTransform ----------------------------------------------------------------------------

TEST(LayoutTransform, MovesChannelsInsideAndIntoBlocks) {
  const Tensor x = counting({1, 4, 1, 2});
  const auto moved = [&](const char* to) {
    return run("LayoutTransform", {x}, {{"from", "NCHW"}, {"to", to}});
  };
  expect_tensor(moved("NHWC"), {1, 1, 2, 4}, {0, 2, 4, 6, 1, 3, 5, 7});
  expect_tensor(moved("NCHW2c"), {1, 2, 1, 2, 2}, {0, 2, 1, 3, 4, 6, 5, 7});
}

TEST(LayoutTransform, ArrangesAsTheCompilerArrangesConstantsAndBackAgain) {
  const std::vector<std::pair<std::string, Shape>> cases{
      {"NHWC", {2, 3, 4, 5}},    {"NCHW4c", {2, 8, 3, 5}}, {"OIHW2i4o", {8, 4, 3, 2}},
      {"OIHW4o", {8, 1, 3, 3}},  {"NCHW4c", {0, 8, 3, 5}}, {"NCW2c", {2, 4, 5}},
      {"NDHWC", {1, 3, 2, 3, 4}}};
  for (const auto& [layout, shape] : cases) {
    const Tensor x = counting(shape);
    const char* plain = layout[0] == 'O'    ? "OIHW"
                        : shape.size() == 3 ? "NCW"
                        : shape.size() == 5 ? "NCDHW"
                                            : "NCHW";
    const Tensor there = run("LayoutTransform", {x}, {{"from", plain}, {"to", layout}});
    EXPECT_TRUE(there.same_content(arranged(x, layout))) << layout;
    EXPECT_TRUE(Layout::of(layout).restored(there)->same_content(x)) << layout;
    EXPECT_TRUE(run("LayoutTransform", {there}, {{"from", layout}, {"to", plain}}).same_content(x))
        << layout;
  }
}

TEST(LayoutTransform, GoesFromBlocksToOtherBlocks) {
  const Tensor x = random_floats({2, 24, 3, 3}, 1);
  EXPECT_TRUE(
      run("LayoutTransform", {arranged(x, "NCHW4c")}, {{"from", "NCHW4c"}, {"to", "NCHW6c"}})
          .same_content(arranged(x, "NCHW6c")));
}

TEST(LayoutTransform, SaysWhyItCannot) {
  const TensorType x{DataType::Float32, {1, 6, 4, 4}};
  const auto why = [&](const char* from, const char* to) {
    return refusal("LayoutTransform", {x}, {{"from", from}, {"to", to}});
  };
  EXPECT_THAT(why("NCHW", "NCHW4c"), HasSubstr("4 does not divide an extent of 6"));
  EXPECT_THAT(why("NCHW", "somehow"), HasSubstr("'somehow' is no layout"));
  EXPECT_THAT(why("NCHW", "NCW"), HasSubstr("have not the same axes"));
  EXPECT_THAT(why("NCW", "NWC"), HasSubstr("has not the dimensions of NCW"));
  EXPECT_THAT(why("NCHW4c", "NCHW"), HasSubstr("has not the dimensions of NCHW4c"));
}

// --- Conv ---------------------------------------------------------------------------------------

struct Convolved {
  std::string name;
  Shape x, w;
  Attributes attributes;
};
void PrintTo(const Convolved& c, std::ostream* out) { *out << c.name; }

const std::vector<Convolved>& convolutions() {
  static const std::vector<Convolved> cases{
      {"Pointwise", {1, 8, 5, 5}, {16, 8, 1, 1}, {}},
      {"Padded", {2, 8, 6, 7}, {8, 8, 3, 3}, {{"pads", Integers{1, 1, 1, 1}}}},
      {"UnevenPads", {1, 8, 6, 7}, {8, 8, 3, 2}, {{"pads", Integers{2, 0, 1, 1}}}},
      {"Strided",
       {1, 8, 9, 8},
       {8, 8, 3, 3},
       {{"strides", Integers{2, 3}}, {"pads", Integers{1, 1, 1, 1}}}},
      {"Dilated", {1, 8, 9, 9}, {8, 8, 3, 3}, {{"dilations", Integers{2, 3}}}},
      {"SameUpper",
       {1, 8, 8, 7},
       {8, 8, 3, 3},
       {{"auto_pad", "SAME_UPPER"}, {"strides", Integers{2, 2}}}},
      {"SameLower", {1, 8, 8, 7}, {8, 8, 4, 4}, {{"auto_pad", "SAME_LOWER"}}},
      {"Groups",
       {2, 16, 5, 5},
       {16, 8, 3, 3},
       {{"group", std::int64_t{2}}, {"pads", Integers{1, 1, 1, 1}}}},
      {"GroupsAcrossBlocks", {1, 16, 5, 5}, {16, 2, 3, 3}, {{"group", std::int64_t{8}}}},
      {"Depthwise",
       {2, 16, 6, 6},
       {16, 1, 3, 3},
       {{"group", std::int64_t{16}}, {"pads", Integers{1, 0, 1, 0}}}},
      {"DepthwiseMultiplied",
       {1, 8, 6, 6},
       {16, 1, 3, 3},
       {{"group", std::int64_t{8}}, {"strides", Integers{2, 2}}}},
  };
  return cases;
}

Tensor converted(const Tensor& x, DataType type) {
  return type == DataType::Float32 ? x : run("Cast", {x}, {{"to", std::string(name(type))}});
}

class ConvolutionForms : public testing::TestWithParam<Convolved> {};

// Every pair of layouts to read and to write in, with the weights in blocks where they can be.
TEST_P(ConvolutionForms, ComputeWhatTheConvolutionComputes) {
  const Convolved& c = GetParam();
  for (const DataType type : {DataType::Float32, DataType::Float64, DataType::Float16}) {
    const Tensor x = converted(random_floats(c.x, 1), type),
                 w = converted(random_floats(c.w, 2), type),
                 b = converted(random_floats({c.w[0]}, 3), type);
    const Tensor expected = run("Conv", {x, w, b}, c.attributes);
    const double tolerance = type == DataType::Float16 ? 2e-2 : 1e-5;
    for (const std::string in : {"NCHW", "NHWC", "NCHW4c", "NCHW8c"})
      for (const std::string out : {"NCHW", "NHWC", "NCHW4c", "NCHW8c"}) {
        std::string weights = "OIHW";
        if (const auto block = Layout::of(in).block(1); block > 1 && c.w[1] % block == 0)
          weights += fmt::format("{}i", block);
        if (const auto block = Layout::of(out).block(1); block > 1)
          weights += fmt::format("{}o", block);
        Attributes attributes = c.attributes;
        attributes.set("layout", in);
        attributes.set("result_layout", out);
        attributes.set("weights_layout", weights);
        const Tensor actual =
            run("LayoutConv", {arranged(x, in), arranged(w, weights), b}, attributes);
        const Tensor wanted = arranged(expected, out);
        ASSERT_EQ(actual.shape(), wanted.shape()) << in << " to " << out;
        EXPECT_THAT(elements(actual), Near(elements(wanted), tolerance))
            << in << " to " << out << ", " << name(type);
      }
  }
}
INSTANTIATE_TEST_SUITE_P(All, ConvolutionForms, testing::ValuesIn(convolutions()),
                         [](const auto& test) { return test.param.name; });

TEST(ConvolutionForms, WorkOnLinesAndVolumesToo) {
  const Tensor line = random_floats({2, 4, 9}, 1), taps = random_floats({8, 4, 3}, 2);
  Attributes attributes{{"layout", "NWC"}, {"result_layout", "NCW4c"}, {"weights_layout", "OIW4o"}};
  EXPECT_THAT(
      elements(run("LayoutConv", {arranged(line, "NWC"), arranged(taps, "OIW4o")}, attributes)),
      Near(elements(arranged(run("Conv", {line, taps}), "NCW4c"))));
  const Tensor volume = random_floats({1, 4, 4, 5, 4}, 3), cube = random_floats({4, 4, 2, 2, 2}, 4);
  attributes = {{"layout", "NDHWC"}, {"result_layout", "NDHWC"}, {"weights_layout", "OIDHW"}};
  EXPECT_THAT(elements(run("LayoutConv", {arranged(volume, "NDHWC"), cube}, attributes)),
              Near(elements(arranged(run("Conv", {volume, cube}), "NDHWC"))));
}

TEST(ConvolutionForms, RefuseWhatDoesNotFitTheirLayouts) {
  const Attributes blocked{{"layout", "NCHW"}, {"result_layout", "NCHW8c"}};
  const auto why = [](Shape x, Shape w, Attributes attributes) {
    return refusal("LayoutConv",
                   {{DataType::Float32, std::move(x)}, {DataType::Float32, std::move(w)}},
                   std::move(attributes));
  };
  EXPECT_THAT(why({1, 3, 8, 8}, {12, 3, 1, 1}, blocked),
              HasSubstr("8 does not divide an extent of 12"));
  EXPECT_THAT(why({1, 3, 8, 8}, {16, 4, 1, 1}, blocked), HasSubstr("3 channels in 1 groups"));
  EXPECT_THAT(why({1, 8, 8, 16}, {16, 4, 1, 1}, {{"layout", "NHWC"}, {"result_layout", "NHWC"}}),
              HasSubstr("16 channels"));
  EXPECT_THAT(
      why({1, 3, 8, 8}, {12, 3, 1, 1}, {{"layout", "NCHW"}, {"result_layout", "upside down"}}),
      HasSubstr("is no layout"));
  EXPECT_THAT(why({1, 3, 8, 8}, {12, 3, 1, 1}, {{"layout", "NCHW"}}),
              HasSubstr("needs its attribute 'result_layout'"));
}

// --- pooling and batch normalisation ------------------------------------------------------------

struct Mapped {
  std::string op;
  Attributes attributes;
};

// What recurrent layers call their layout is a number: 1 where the batch comes first.
TEST(LayoutForms, AreNotWhateverHasALayout) {
  for (const char* op : {"RNN", "GRU", "LSTM"})
    EXPECT_FALSE(result_layout_of(*find_operator(op), {{"layout", std::int64_t{0}}})) << op;
  EXPECT_TRUE(result_layout_of(*layout_form_of(*find_operator("MaxPool")), {{"layout", "NHWC"}}));
}

TEST(LayoutForms, OfPoolingPoolAlike) {
  const Attributes window{{"kernel_shape", Integers{3, 2}},
                          {"strides", Integers{2, 1}},
                          {"pads", Integers{1, 0, 1, 1}}};
  Attributes counted = window, rounded = window, same = window;
  counted.set("count_include_pad", std::int64_t{1});
  rounded.set("ceil_mode", std::int64_t{1});
  same.erase("pads");
  same.set("auto_pad", "SAME_UPPER");
  for (const Mapped& c : std::vector<Mapped>{{"MaxPool", window},
                                             {"MaxPool", rounded},
                                             {"MaxPool", same},
                                             {"AveragePool", window},
                                             {"AveragePool", counted},
                                             {"AveragePool", rounded},
                                             {"GlobalMaxPool", {}},
                                             {"GlobalAveragePool", {}}})
    for (const DataType type : {DataType::Float32, DataType::Float64, DataType::Float16}) {
      const Tensor x = converted(random_floats({2, 8, 7, 6}, 4), type);
      const Tensor expected = run(c.op, {x}, c.attributes);
      for (const std::string layout : {"NCHW", "NHWC", "NCHW4c"}) {
        Attributes attributes = c.attributes;
        attributes.set("layout", layout);
        const Tensor actual = run("Layout" + c.op, {arranged(x, layout)}, attributes);
        const Tensor wanted = arranged(expected, layout);
        ASSERT_EQ(actual.shape(), wanted.shape()) << c.op << " in " << layout;
        EXPECT_THAT(elements(actual),
                    Near(elements(wanted), type == DataType::Float16 ? 1e-2 : 1e-5))
            << c.op << " in " << layout;
      }
    }
}

// Padding must stay less than everything, and NaN must stay NaN.
TEST(LayoutForms, OfMaxPoolKeepNumbersThatAreNone) {
  Tensor x = random_floats({1, 4, 3, 3}, 5);
  x.as<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  x.as<float>()[20] = -std::numeric_limits<float>::infinity();
  Attributes attributes{{"kernel_shape", Integers{2, 2}}, {"pads", Integers{1, 1, 0, 0}}};
  const Tensor expected = run("MaxPool", {x}, attributes);
  attributes.set("layout", "NHWC");
  EXPECT_THAT(elements(run("LayoutMaxPool", {arranged(x, "NHWC")}, attributes)),
              Near(elements(arranged(expected, "NHWC"))));
}

TEST(LayoutForms, OfBatchNormalisationNormaliseTheirChannels) {
  const Tensor x = random_floats({2, 8, 3, 4}, 1), scale = random_floats({8}, 2),
               shift = random_floats({8}, 3), mean = random_floats({8}, 4);
  Tensor variance = random_floats({8}, 5);
  for (float& value : variance.as<float>()) value += 2;
  const Tensor expected = run("BatchNormalization", {x, scale, shift, mean, variance});
  for (const std::string layout : {"NCHW", "NHWC", "NCHW4c"})
    EXPECT_THAT(
        elements(run("LayoutBatchNormalization",
                     {arranged(x, layout), scale, shift, mean, variance}, {{"layout", layout}})),
        Near(elements(arranged(expected, layout))))
        << layout;
}

}  // namespace
}  // namespace loopglass::ops
