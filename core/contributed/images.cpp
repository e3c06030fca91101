// Operators of ONNX on images whose extents are operands.
#include "core/contributed/function.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::contributed {

using enum ops::AttributeKind;

namespace {

// --- grids --------------------------------------------------------------------------------------

// `name`_line: the positions of an axis whose extent is element `at` of size, from -1 to 1: those
// of the outer elements, or of their outer edges.
std::string line(std::string_view name, std::int64_t at, bool is_to_centres) {
  const std::string steps = slice(fmt::format("{}_extent", name), "size", at, at + 1, 0) +
                            vector(fmt::format("{}_axes", name), {0}) +
                            fmt::format(
                                "{0}_count = Squeeze({0}_extent, {0}_axes)\n"
                                "{0}_steps = Range(first, {0}_count, step)\n"
                                "{0}_numbers = CastLike({0}_steps, theta)\n"
                                "{0}_number = CastLike({0}_count, theta)\n",
                                name);
  // The only position of an axis of one element is 1, as ONNX Runtime has it.
  if (is_to_centres)
    return steps + fmt::format(
                       "{0}_gaps = Sub({0}_number, one)\n{0}_parts = Max({0}_gaps, one)\n"
                       "{0}_twice = Mul({0}_numbers, two)\n{0}_ways = Div({0}_twice, {0}_parts)\n"
                       "{0}_is_alone = Equal({0}_number, one)\n"
                       "{0}_begin = Where({0}_is_alone, one, minus_one)\n"
                       "{0}_line = Add({0}_ways, {0}_begin)\n",
                       name);
  return steps + fmt::format(
                     "{0}_twice = Mul({0}_numbers, two)\n{0}_middles = Add({0}_twice, one)\n"
                     "{0}_ways = Div({0}_middles, {0}_number)\n{0}_line = Sub({0}_ways, one)\n",
                     name);
}

Result<std::string> affine_grid(const Call& call) {
  TRY_VOID(call.require_rank("theta", 3));
  TRY_VOID(call.require_rank("size", 1));
  const std::int64_t axes = call.extent("size", 0) - 2, batch = call.extent("theta", 0);
  if ((axes != 2 && axes != 3) || call.extent("theta", 1) != axes ||
      call.extent("theta", 2) != axes + 1)
    return fail(Code::OperatorMisused,
                fmt::format("theta is {} for a size of {} extents", to_string(call.shape("theta")),
                            call.extent("size", 0)));
  std::string text = "first = Constant <value_int = 0> ()\nstep = Constant <value_int = 1> ()\n" +
                     scalar("one", 1, "theta") + scalar("two", 2, "theta") +
                     "minus_one = Neg(one)\n" + slice("extents", "size", 2, axes + 2, 0) +
                     vector("last", {axes});
  // The last axis of a grid names positions from the last axis of the image on.
  std::string columns;
  for (std::int64_t axis = axes - 1; axis >= 0; --axis) {
    const std::string name = fmt::format("axis{}", axis);
    std::vector<std::int64_t> along(static_cast<std::size_t>(axes), 1);
    along[static_cast<std::size_t>(axis)] = -1;
    text += line(name, axis + 2, call.integer("align_corners", 0) != 0) +
            vector(name + "_shape", along) +
            fmt::format(
                "{0}_there = Reshape({0}_line, {0}_shape)\n{0}_all = Expand({0}_there, extents)\n"
                "{0}_column = Unsqueeze({0}_all, last)\n",
                name);
    columns += name + "_column, ";
  }
  text += "ones = Expand(one, extents)\nones_column = Unsqueeze(ones, last)\n" +
          fmt::format("positions = Concat <axis = {}> ({}ones_column)\n", axes, columns) +
          vector("rows_shape", {-1, axes + 1}) + "rows = Reshape(positions, rows_shape)\n" +
          transpose("turned_theta", "theta", {0, 2, 1}) + "moved = MatMul(rows, turned_theta)\n" +
          vector("batch", {batch}) + vector("coordinates", {axes}) +
          "grid_shape = Concat <axis = 0> (batch, extents, coordinates)\n"
          "grid = Reshape(moved, grid_shape)\n";
  return text;
}

// --- columns ------------------------------------------------------------------------------------

// Columns of blocks as images: a transposed convolution whose filters each have a 1 where their
// column's element lies.
Result<std::string> image_of_columns(const Call& call) {
  TRY_VOID(call.require_rank("input", 3));
  TRY_VOID(call.require_rank("image_shape", 1));
  TRY_VOID(call.require_rank("block_shape", 1));
  const std::int64_t axes = call.extent("image_shape", 0);
  const auto given = [&](const std::string& name, std::int64_t count, std::int64_t usual) {
    std::vector<std::int64_t> values = call.integers(name);
    if (values.empty()) values.assign(static_cast<std::size_t>(count), usual);
    return values;
  };
  const auto strides = given("strides", axes, 1), dilations = given("dilations", axes, 1);
  const auto pads = given("pads", 2 * axes, 0);
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(axes, 0));
  if (axes < 1 || call.extent("block_shape", 0) != axes || strides.size() != count ||
      dilations.size() != count || pads.size() != 2 * count ||
      std::ranges::any_of(strides, [](std::int64_t stride) { return stride <= 0; }) ||
      std::ranges::any_of(dilations, [](std::int64_t dilation) { return dilation <= 0; }))
    return fail(Code::OperatorMisused,
                fmt::format("strides {}, dilations {} and pads {} for {} axes", integers(strides),
                            integers(dilations), integers(pads), axes));
  const std::vector<std::int64_t> before(pads.begin(), pads.begin() + axes);
  const std::vector<std::int64_t> behind(pads.begin() + axes, pads.end());
  // How far the last element of a block is from its first, and how many blocks there are.
  std::string text = vector("ones", std::vector<std::int64_t>(count, 1)) +
                     vector("strides", strides) + vector("dilations", dilations) +
                     vector("before", before) + vector("behind", behind) +
                     "block_gaps = Sub(block_shape, ones)\nreach = Mul(block_gaps, dilations)\n"
                     "pads = Add(before, behind)\npadded = Add(image_shape, pads)\n"
                     "past_reach = Sub(padded, reach)\nroom = Sub(past_reach, ones)\n"
                     "gaps = Div(room, strides)\nblocks = Add(gaps, ones)\n";
  // [images, elements of a block, blocks...], of which every image is a channel.
  text += vector("first_axis", {0}) + vector("any", {-1}) + vector("one", {1}) +
          "block_size = ReduceProd(block_shape, first_axis)\n"
          "by_image = Concat <axis = 0> (any, block_size, blocks)\n"
          "columns = Reshape(input, by_image)\n";
  text +=
      "square = Concat <axis = 0> (block_size, block_size)\n"
      "filter_base = ConstantOfShape(square)\nfilter_rows = EyeLike(filter_base)\n"
      "filter_shape = Concat <axis = 0> (block_size, one, block_shape)\n"
      "filters_float32 = Reshape(filter_rows, filter_shape)\n"
      "filters = CastLike(filters_float32, input)\n" +
      fmt::format("placed = ConvTranspose <strides = {}, dilations = {}> (columns, filters)\n",
                  integers(strides), integers(dilations));
  // What the blocks reach, with the pads; the image begins behind those in front.
  return text +
         "last_block = Mul(gaps, strides)\nlast_place = Add(last_block, reach)\n"
         "reached = Add(last_place, ones)\nrest = Sub(image_shape, reached)\n"
         "end_margin = Add(rest, before)\nno_margin = Sub(ones, ones)\n"
         "begin_margin = Sub(no_margin, before)\n" +
         vector("no_pair", {0, 0}) +
         "margins = Concat <axis = 0> (no_pair, begin_margin, no_pair, end_margin)\n"
         "images = Pad(placed, margins)\n" +
         vector("batch", {call.extent("input", 0)}) +
         "output_shape = Concat <axis = 0> (batch, any, image_shape)\n"
         "output = Reshape(images, output_shape)\n";
}

}  // namespace

std::vector<Function> images() {
  return {of_onnx(20, {"AffineGrid",
                       "A grid of sampling positions, turned and moved by a matrix for each image.",
                       {"theta", "size"},
                       {"grid"},
                       {{"align_corners"}},
                       affine_grid}),
          of_onnx(18, {"Col2Im",
                       "Images of which blocks are given as columns; where blocks overlap, sums.",
                       {"input", "image_shape", "block_shape"},
                       {"output"},
                       {{"dilations", Ints}, {"pads", Ints}, {"strides", Ints}},
                       image_of_columns})};
}

}  // namespace loopglass::contributed
