// Operators that give a whole tensor another shape or order: Reshape and its kin, Transpose,
// Expand, Tile, and the exchanges of depth and space.
#include "core/ops/movement.h"

#include "core/ops/families.h"
#include "core/ops/regroup.h"
#include "core/ops/support.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace loopglass::ops {

namespace {

Result<Computed> compute_regrouped(ComputeContext& c) {
  return Computed{c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
    return c.input(0)(regrouped(i, c.outputs[0].shape, shape_of(c.input(0))));
  })};
}

// -1 stands for what is left over, 0 for the input's own extent (unless allowzero).
Result<Shape> reshaped(const Shape& from, const Integers& wanted, bool allow_zero) {
  Shape shape;
  std::optional<std::size_t> free;
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    std::int64_t extent = wanted[d];
    if (extent < -1) return misused(fmt::format("extent {} in the wanted shape", extent));
    if (extent == 0 && !allow_zero) {
      if (d >= from.size())
        return misused(fmt::format("extent {} of the wanted shape is 0, but the input has rank {}",
                                   d, from.size()));
      extent = from[d];
    }
    if (extent == -1) {
      if (free) return misused("the wanted shape has -1 twice");
      free = d;
      extent = 1;
    }
    shape.push_back(extent);
  }
  const auto have = checked_element_count(from), want = checked_element_count(shape);
  if (free && have && want && *want != 0 && *have % *want == 0) shape[*free] = *have / *want;
  if (!have || !want || checked_element_count(shape) != have)
    return misused(
        fmt::format("{} does not reshape to [{}]", to_string(from), fmt::join(wanted, ", ")));
  return shape;
}

OpDef reshape() {
  return {
      .name = "Reshape",
      .family = Family::Movement,
      .doc = "The same elements in row-major order under another shape.",
      .inputs = {{"data"}},
      .outputs = {{"reshaped"}},
      .attributes = {required_attribute("shape", AttributeKind::Ints,
                                        "-1 once: what is left over; 0: the input's extent"),
                     attribute("allowzero", 0, "1: an extent of 0 means 0")},
      .infer = [](const InferContext& c) -> Result<Types> {
        return Types{
            {c.input(0).type, TRY(reshaped(c.input(0).shape, c.attributes.integers("shape"),
                                           c.attributes.integer("allowzero") != 0))}};
      },
      .compute = compute_regrouped,
      .onnx = {{"Reshape", 1, 4}, {.name = "Reshape", .since = 5, .bound = {{1, "shape"}}}},
      .relay_kind = PatternKind::Injective,
  };
}

OpDef flatten() {
  return {
      .name = "Flatten",
      .family = Family::Movement,
      .doc = "Two dimensions: those before the axis, and those from it on.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {attribute("axis", 1, "first dimension of the second group")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Shape& shape = c.input(0).shape;
        const auto rank = static_cast<std::int64_t>(shape.size());
        std::int64_t axis = c.attributes.integer("axis");
        if (axis < -rank || axis > rank)
          return misused(fmt::format("axis {} in a tensor of rank {}", axis, rank));
        if (axis < 0) axis += rank;
        const auto outer = checked_element_count(Shape(shape.begin(), shape.begin() + axis));
        const auto inner = checked_element_count(Shape(shape.begin() + axis, shape.end()));
        if (!outer || !inner)
          return fail(Code::ModelTooLarge,
                      fmt::format("{} is too large to flatten", to_string(shape)));
        return Types{{c.input(0).type, {*outer, *inner}}};
      },
      .compute = compute_regrouped,
      .onnx = {{"Flatten", 1}},
      .relay_kind = PatternKind::Injective,
  };
}

OpDef squeeze() {
  return {
      .name = "Squeeze",
      .family = Family::Movement,
      .doc = "Drops dimensions of extent 1.",
      .inputs = {{"data"}},
      .outputs = {{"squeezed"}},
      .attributes = {optional_attribute("axes", AttributeKind::Ints,
                                        "which; all of extent 1 when left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Shape& from = c.input(0).shape;
        if (!c.attributes.has("axes")) {
          Shape shape;
          std::copy_if(from.begin(), from.end(), std::back_inserter(shape),
                       [](std::int64_t extent) { return extent != 1; });
          return Types{{c.input(0).type, shape}};
        }
        const Integers axes = TRY(normalise_axes(c.attributes.integers("axes"), from.size()));
        Shape shape = from;
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
          if (shape[static_cast<std::size_t>(*axis)] != 1)
            return misused(fmt::format("dimension {} of {} is not 1", *axis, to_string(from)));
          shape.erase(shape.begin() + *axis);
        }
        return Types{{c.input(0).type, shape}};
      },
      .compute = compute_regrouped,
      .onnx = {{"Squeeze", 1, 12}, {.name = "Squeeze", .since = 13, .bound = {{1, "axes"}}}},
      .relay_kind = PatternKind::Injective,
  };
}

OpDef unsqueeze() {
  return {
      .name = "Unsqueeze",
      .family = Family::Movement,
      .doc = "Puts in dimensions of extent 1.",
      .inputs = {{"data"}},
      .outputs = {{"expanded"}},
      .attributes = {required_attribute("axes", AttributeKind::Ints,
                                        "where, counted in the result")},
      .infer = [](const InferContext& c) -> Result<Types> {
        Shape shape = c.input(0).shape;
        const Integers& wanted = c.attributes.integers("axes");
        for (const std::int64_t axis : TRY(normalise_axes(wanted, shape.size() + wanted.size())))
          shape.insert(shape.begin() + axis, 1);
        return Types{{c.input(0).type, shape}};
      },
      .compute = compute_regrouped,
      .onnx = {{"Unsqueeze", 1, 12}, {.name = "Unsqueeze", .since = 13, .bound = {{1, "axes"}}}},
  };
}

OpDef identity() {
  return {
      .name = "Identity",
      .family = Family::Movement,
      .doc = "The input itself.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {},
      .infer = same_as_first(any_type),
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{map(c.builder, c.name, c.input(0), [](Expr x) { return x; })};
      },
      .onnx = {{"Identity", 1}},
  };
}

OpDef dropout() {
  return {
      .name = "Dropout",
      .family = Family::Movement,
      .doc = "At inference, the input itself and a mask that drops nothing.",
      .inputs = {{"data"}},
      .outputs = {{"output"}, {"mask", Arity::Optional, "true: kept"}},
      .attributes = {attribute("ratio", 0.5, "share of elements that training would drop"),
                     attribute("training_mode", 0, "1 is refused unless the ratio is 0"),
                     optional_attribute("seed", AttributeKind::Int,
                                        "of the random numbers of training")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, float_types));
        if (c.attributes.integer("training_mode") != 0 && c.attributes.real("ratio") != 0)
          return unsupported_attribute("training mode is not supported: it draws random numbers");
        Types types{c.input(0)};
        if (c.output_count > 1) types.push_back({DataType::Bool, c.input(0).shape});
        return types;
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        Computed computed{map(c.builder, c.name, c.input(0), [](Expr x) { return x; })};
        if (c.outputs.size() > 1)
          computed.push_back(c.builder.compute("mask", c.input(0).shape,
                                               [](const Indices&) { return expr::boolean(true); }));
        return computed;
      },
      .onnx = {{"Dropout", 7, 11},
               {.name = "Dropout", .since = 12, .bound = {{1, "ratio"}, {2, "training_mode"}}}},
  };
}

OpDef transpose() {
  return {
      .name = "Transpose",
      .family = Family::Movement,
      .doc = "Permutes the dimensions.",
      .inputs = {{"data"}},
      .outputs = {{"transposed"}},
      .attributes = {optional_attribute("perm", AttributeKind::Ints,
                                        "source dimension of each; reversed when left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Shape& from = c.input(0).shape;
        const Integers perm = permutation(c.attributes, from.size());
        Integers sorted = perm, all(from.size());
        std::sort(sorted.begin(), sorted.end());
        std::iota(all.begin(), all.end(), 0);
        if (sorted != all)
          return misused(
              fmt::format("perm is not a permutation of the {} dimensions", from.size()));
        Shape shape;
        for (const std::int64_t axis : perm) shape.push_back(from[static_cast<std::size_t>(axis)]);
        return Types{{c.input(0).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Integers perm = permutation(c.attributes, c.input(0).rank());
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              Indices source(i.size());
              for (std::size_t d = 0; d < i.size(); ++d)
                source[static_cast<std::size_t>(perm[d])] = i[d];
              return c.input(0)(source);
            })};
      },
      .onnx = {{"Transpose", 1}},
      .relay_kind = PatternKind::Injective,
  };
}

OpDef expand() {
  return {
      .name = "Expand",
      .family = Family::Movement,
      .doc = "Broadcasts the input with a shape.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("shape", AttributeKind::Ints,
                                        "an extent of 1 keeps the input's")},
      .infer = [](const InferContext& c) -> Result<Types> {
        return Types{
            {c.input(0).type, TRY(broadcast(c.input(0).shape, c.attributes.integers("shape")))}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape),
                              [&](const Indices& i) { return broadcast_read(c.input(0), i); })};
      },
      .onnx = {{.name = "Expand", .since = 8, .bound = {{1, "shape"}}}},
  };
}

OpDef tile() {
  return {
      .name = "Tile",
      .family = Family::Movement,
      .doc = "Repeats the whole input along each dimension.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("repeats", AttributeKind::Ints,
                                        "how often, one a dimension")},
      .infer = [](const InferContext& c) -> Result<Types> {
        Shape shape = c.input(0).shape;
        const Integers& repeats = c.attributes.integers("repeats");
        if (repeats.size() != shape.size())
          return misused(
              fmt::format("{} repeats for a tensor of rank {}", repeats.size(), shape.size()));
        for (std::size_t d = 0; d < shape.size(); ++d) {
          if (repeats[d] < 0)
            return misused(fmt::format("{} repeats of dimension {}", repeats[d], d));
          if (__builtin_mul_overflow(shape[d], repeats[d], &shape[d]))
            return fail(Code::ModelTooLarge, fmt::format("dimension {} repeats too often", d));
        }
        return Types{{c.input(0).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape from = shape_of(c.input(0));
        return Computed{c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](Indices i) {
          for (std::size_t d = 0; d < i.size(); ++d)
            if (from[d] != c.outputs[0].shape[d])
              i[d] = from[d] == 1 ? Expr(0) : expr::floor_mod(i[d], from[d]);
          return c.input(0)(i);
        })};
      },
      .onnx = {{.name = "Tile", .since = 6, .bound = {{1, "repeats"}}}},
      .relay_kind = PatternKind::Broadcast,
  };
}

Result<std::int64_t> block_size(const InferContext& c) {
  TRY_VOID(require_rank(c, 0, 4));
  const std::int64_t block = c.attributes.integer("blocksize");
  // The bound keeps its square far from overflow.
  if (block < 1 || block > (1 << 20)) return misused(fmt::format("a block size of {}", block));
  return block;
}

OpDef depth_to_space() {
  return {
      .name = "DepthToSpace",
      .family = Family::Movement,
      .doc = "Moves groups of channels into blocks of pixels.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("blocksize", AttributeKind::Int,
                                        "height and width of a block"),
                     attribute("mode", "DCR",
                               "DCR: a pixel's channels lie far apart; CRD: side by side")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_choice(c.attributes, "mode", {"DCR", "CRD"}));
        const std::int64_t block = TRY(block_size(c));
        const Shape& from = c.input(0).shape;
        if (from[1] % (block * block) != 0)
          return misused(
              fmt::format("{} channels do not divide into blocks of {}x{}", from[1], block, block));
        return Types{{c.input(0).type,
                      {from[0], from[1] / (block * block), from[2] * block, from[3] * block}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::int64_t block = c.attributes.integer("blocksize"),
                           channels = c.outputs[0].shape[1];
        const bool far = c.attributes.string("mode") == "DCR";
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const Expr within =
                  expr::floor_mod(i[2], block) * block + expr::floor_mod(i[3], block);
              const Expr channel = far ? within * channels + i[1] : i[1] * (block * block) + within;
              return c.input(0)(
                  {i[0], channel, expr::floor_div(i[2], block), expr::floor_div(i[3], block)});
            })};
      },
      .onnx = {{"DepthToSpace", 1}},
      .relay_kind = PatternKind::Injective,
  };
}

OpDef space_to_depth() {
  return {
      .name = "SpaceToDepth",
      .family = Family::Movement,
      .doc = "Moves blocks of pixels into groups of channels.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("blocksize", AttributeKind::Int,
                                        "height and width of a block")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const std::int64_t block = TRY(block_size(c));
        const Shape& from = c.input(0).shape;
        if (from[2] % block != 0 || from[3] % block != 0)
          return misused(fmt::format("{} does not divide into blocks of {}x{}", to_string(from),
                                     block, block));
        return Types{{c.input(0).type,
                      {from[0], from[1] * block * block, from[2] / block, from[3] / block}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::int64_t block = c.attributes.integer("blocksize"),
                           channels = shape_of(c.input(0))[1];
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const Expr within = expr::floor_div(i[1], channels);
              return c.input(0)({i[0], expr::floor_mod(i[1], channels),
                                 i[2] * block + expr::floor_div(within, block),
                                 i[3] * block + expr::floor_mod(within, block)});
            })};
      },
      .onnx = {{"SpaceToDepth", 1}},
      .relay_kind = PatternKind::Injective,
  };
}

}  // namespace

bool is_transpose(const OpDef& op) { return op.name == "Transpose"; }

Integers permutation(const Attributes& attributes, std::size_t rank) {
  if (attributes.has("perm")) return attributes.integers("perm");
  Integers reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

std::vector<OpDef> movement() {
  return {reshape(),   flatten(), squeeze(), unsqueeze(),      identity(),      dropout(),
          transpose(), expand(),  tile(),    depth_to_space(), space_to_depth()};
}

}  // namespace loopglass::ops
