// The default schedule of operators in other layouts: right at every step, and tiled for registers
// as it is in NCHW.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/ops/registry.h"
#include "core/pass/runner.h"
#include "passes/pipeline.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/nests.h"

namespace loopglass::schedule {

namespace {

loop::Func operator_nest(const char* name, const std::vector<Shape>& shapes,
                         ops::Attributes attributes) {
  std::vector<TensorType> types;
  std::vector<const TensorType*> inputs;
  for (const Shape& shape : shapes) types.push_back({DataType::Float32, shape});
  for (const TensorType& type : types) inputs.push_back(&type);
  const ops::OpDef& op = *ops::find_operator(name);
  const auto outputs = ops::infer(op, inputs, attributes, 1);
  if (!outputs) throw std::invalid_argument(to_string(outputs.error()));
  return loop::lower(*ops::program_of(op, inputs, attributes, *outputs), "kernel", {"W", "B"});
}

loop::Func convolution_in(Shape x, Shape w, const char* in, const char* weights, const char* out,
                          std::int64_t filters, ops::Attributes attributes = {}) {
  attributes.set("layout", std::string(in));
  attributes.set("weights_layout", std::string(weights));
  attributes.set("result_layout", std::string(out));
  return operator_nest("LayoutConv", {std::move(x), std::move(w), {filters}},
                       std::move(attributes));
}

void expect_right(const loop::Func& func, const Machine& machine) {
  const auto trace = default_schedule(func, machine);
  ASSERT_TRUE(trace) << to_string(trace.error());
  const auto steps = replay(func, *trace);
  ASSERT_TRUE(steps) << to_string(steps.error()) << "\n" << to_script(*trace);
  loop::Func current = func;
  for (const ScheduleStep& step : *steps) {
    current = step.func;
    ASSERT_TRUE(loop::verify(current)) << to_script(step.instruction);
    ASSERT_TRUE(same_results(func, current, 1, 1e-5))
        << "after " << to_script(step.instruction) << " of\n"
        << to_script(*trace);
  }
  const auto history =
      pass::run(std::make_shared<const loop::Func>(current), passes::loop_passes());
  ASSERT_TRUE(history) << to_string(history.error());
  ASSERT_TRUE(same_results(func, history->last(), 1, 1e-5)) << to_script(*trace);
}

const std::vector<std::int64_t> around{1, 1, 1, 1};

TEST(LayoutSchedule, ConvolutionsStayRight) {
  for (const Machine& machine : {avx512, sse}) {
    expect_right(convolution_in({1, 7, 7, 8}, {40, 8, 1, 1}, "NHWC", "OIHW", "NHWC", 40), machine);
    expect_right(convolution_in({1, 3, 9, 9}, {2, 3, 3, 3, 16}, "NCHW", "OIHW16o", "NCHW16c", 32,
                                {{"pads", around}}),
                 machine);
    expect_right(
        convolution_in({1, 2, 6, 6, 16}, {2, 2, 3, 3, 16, 16}, "NCHW16c", "OIHW16i16o", "NCHW16c",
                       32, {{"pads", around}, {"strides", std::vector<std::int64_t>{2, 2}}}),
        machine);
    expect_right(
        convolution_in({2, 1, 5, 7, 16}, {10, 1, 1, 1, 16}, "NCHW16c", "OIHW16i", "NHWC", 10),
        machine);
    expect_right(convolution_in({1, 2, 6, 6, 16}, {2, 1, 3, 3, 16}, "NCHW16c", "OIHW16o", "NCHW16c",
                                32, {{"pads", around}, {"group", std::int64_t{32}}}),
                 machine);
    expect_right(operator_nest("LayoutMaxPool", {{1, 9, 9, 20}},
                               {{"layout", "NHWC"},
                                {"kernel_shape", std::vector<std::int64_t>{3, 3}},
                                {"pads", around}}),
                 machine);
    expect_right(
        operator_nest("LayoutGlobalAveragePool", {{1, 3, 7, 7, 16}}, {{"layout", "NCHW16c"}}),
        machine);
    expect_right(
        operator_nest("LayoutTransform", {{1, 32, 6, 6}}, {{"from", "NCHW"}, {"to", "NCHW16c"}}),
        machine);
  }
}

// A primitive that refuses leaves the plain nest: right, but fifty times slower. The second is a
// case in which tiles across rows cannot be shown to be independent, and tiles inside rows can.
TEST(LayoutSchedule, ConvolutionsAreTiledForRegisters) {
  for (const loop::Func& func :
       {convolution_in({1, 56, 56, 64}, {64, 64, 3, 3}, "NHWC", "OIHW", "NHWC", 64,
                       {{"pads", around}}),
        convolution_in({1, 9, 28, 28, 16}, {40, 9, 1, 1, 16}, "NCHW16c", "OIHW16i", "NHWC", 40),
        convolution_in({1, 8, 14, 14, 32}, {8, 8, 1, 1, 32, 32}, "NCHW32c", "OIHW32i32o", "NCHW32c",
                       256)}) {
    const auto trace = default_schedule(func, avx512);
    ASSERT_TRUE(trace) << to_string(trace.error());
    const std::string script = to_script(*trace);
    for (const char* part : {"\"register\"", "vectorize", "unroll", "parallel"})
      EXPECT_NE(script.find(part), std::string::npos) << part << " is missing in\n" << script;
  }
}

// Both ends of minimal filtering: in tiles that fill the image, and that stand out of it.
TEST(LayoutSchedule, TransformsOfTilesStayRightInRegisters) {
  for (const Machine& machine : {avx512, sse})
    for (const std::int64_t tile : {2, 4})
      for (const std::int64_t extent : {8, 7}) {
        const std::int64_t window = tile + 2, tiles = (extent + tile - 1) / tile;
        const ops::Attributes size{{"tile", tile},
                                   {"size", std::vector<std::int64_t>{extent, extent}}};
        for (const auto& [layout, image] :
             {std::pair<const char*, Shape>{"NHWC", {1, extent, extent, 32}},
              {"NCHW16c", {1, 2, extent, extent, 16}},
              {"NCHW32c", {1, 1, extent, extent, 32}}}) {
          ops::Attributes input{{"tile", tile}, {"pads", around}, {"image_layout", layout}},
              output = size;
          output.set("result_layout", std::string(layout));
          for (const loop::Func& func :
               {operator_nest("LayoutWinogradInput", {image}, input),
                operator_nest("LayoutWinogradOutput", {{window, window, 1, tiles, tiles, 32}, {32}},
                              output)}) {
            expect_right(func, machine);
            const std::string script = to_script(*default_schedule(func, machine));
            for (const char* part : {"compute_at", "vectorize", "unroll"})
              EXPECT_NE(script.find(part), std::string::npos) << part << " is missing in\n"
                                                              << script;
          }
        }
      }
}

// Many blocks of weights side by side would be fetched from beyond the first cache at every step;
// pixels are repeated instead.
TEST(LayoutSchedule, ConvolutionsInBlocksRepeatPixelsNotBlocksOfWeights) {
  const auto trace = default_schedule(convolution_in({1, 16, 14, 14, 16}, {64, 16, 1, 1, 16, 16},
                                                     "NCHW16c", "OIHW16i16o", "NCHW16c", 1024),
                                      avx512);
  ASSERT_TRUE(trace);
  const std::string script = to_script(*trace);
  EXPECT_NE(script.find("= split(oh_ow"), std::string::npos) << script;
  EXPECT_EQ(script.find("= split(n_oc"), std::string::npos) << script;
}

// A short row alone is no work for an iteration of a parallel loop.
TEST(LayoutSchedule, ShortRowsAreWalkedSeveralAtATime) {
  te::Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {1, 4, 56, 56, 32}});
  const te::Tensor y = builder.placeholder("Y", TensorType{DataType::Float32, {1, 4, 1, 1, 32}});
  const te::Tensor z = builder.compute("Z", x.shape, [&](const te::Builder::Indices& i) {
    return x(i) * y({i[0], i[1], 0, 0, i[4]});
  });
  const loop::Func func = loop::lower(std::move(builder).finish({z}), "scale");
  expect_right(func, avx512);
  const auto trace = default_schedule(func, avx512);
  ASSERT_TRUE(trace);
  EXPECT_NE(to_script(*trace).find("split(k_l, [-1, 224])"), std::string::npos)
      << to_script(*trace);
}

}  // namespace

}  // namespace loopglass::schedule
