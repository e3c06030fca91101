// Operators that take tensors apart and put them together: Concat, Split, Slice, Trilu,
// ReverseSequence, Compress.
#include "core/ops/concatenation.h"
#include "core/ops/families.h"
#include "core/ops/movement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace loopglass::ops {

namespace {

// --- Concat and Split --------------------------------------------------------------------------

using Tensors = std::vector<te::Tensor>;

// The element at `i` of the tensors [first, last) laid end to end; each begins at its place in
// `begins`.
Expr concatenated(const Tensors& tensors, const Indices& i, std::size_t axis,
                  const Integers& begins, std::size_t first, std::size_t last) {
  if (last - first == 1) return tensors[first](replaced(i, axis, i[axis] - begins[first]));
  const std::size_t middle = first + (last - first) / 2;
  return expr::select(i[axis] < begins[middle],
                      concatenated(tensors, i, axis, begins, first, middle),
                      concatenated(tensors, i, axis, begins, middle, last));
}

te::Tensor end_to_end(te::Builder& builder, const std::string& name, const Tensors& tensors,
                      std::size_t axis) {
  Integers begins{0};
  for (const te::Tensor& tensor : tensors) begins.push_back(begins.back() + shape_of(tensor)[axis]);
  std::vector<Expr> shape = tensors.front().shape;
  shape[axis] = begins.back();
  return builder.compute(name, shape, [&](const Indices& i) {
    return concatenated(tensors, i, axis, begins, 0, tensors.size());
  });
}

// Every element asks for each operand whether it lies there. Of more than so many, parts are laid
// end to end first, and the parts then: a loop nest each, of bounded size.
constexpr std::size_t most_at_once = 32;

te::Tensor concatenation(te::Builder& builder, const std::string& name, Tensors tensors,
                         std::size_t axis) {
  while (tensors.size() > most_at_once) {
    Tensors parts;
    for (std::size_t first = 0; first < tensors.size(); first += most_at_once) {
      const auto begin = tensors.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = std::min(most_at_once, tensors.size() - first);
      const Tensors part(begin, begin + static_cast<std::ptrdiff_t>(count));
      parts.push_back(count == 1 ? part.front() : end_to_end(builder, name + "_part", part, axis));
    }
    tensors = std::move(parts);
  }
  return end_to_end(builder, name, tensors, axis);
}

OpDef concat() {
  return {
      .name = "Concat",
      .family = Family::Movement,
      .doc = "The inputs end to end along one axis.",
      .inputs = {{"inputs", Arity::Variadic}},
      .outputs = {{"concat_result"}},
      .attributes = {required_attribute("axis", AttributeKind::Int, "along which")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_same_types(c));
        TensorType result = c.input(0);
        const auto axis = static_cast<std::size_t>(
            TRY(normalise_axis(c.attributes.integer("axis"), result.shape.size())));
        for (std::size_t k = 1; k < c.inputs.size(); ++k) {
          Shape shape = c.input(k).shape;
          if (shape.size() != result.shape.size() ||
              __builtin_add_overflow(result.shape[axis], shape[axis], &result.shape[axis]))
            return misused(fmt::format("input {} is {}, the first is {}", k, to_string(c.input(k)),
                                       to_string(c.input(0))));
          shape[axis] = result.shape[axis];
          if (shape != result.shape)
            return misused(
                fmt::format("input {} is {}, which differs from the first, {}, beyond axis {}", k,
                            to_string(c.input(k)), to_string(c.input(0)), axis));
        }
        return Types{result};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.outputs[0].shape.size());
        return Computed{concatenation(c.builder, c.name, {c.inputs.begin(), c.inputs.end()}, axis)};
      },
      .onnx = {{"Concat", 4}},
      .relay_kind = PatternKind::Injective,
  };
}

Result<Integers> split_extents(const InferContext& c, std::int64_t extent) {
  const auto count = static_cast<std::int64_t>(c.output_count);
  if (c.attributes.has("num_outputs") && c.attributes.integer("num_outputs") != count)
    return misused(fmt::format("num_outputs is {}, but there are {} outputs",
                               c.attributes.integer("num_outputs"), count));
  if (!c.attributes.has("split")) {
    const std::int64_t part = (extent + count - 1) / count;
    // Uneven parts came with num_outputs; the last one is smaller.
    if (extent % count != 0 && (!c.attributes.has("num_outputs") || part * (count - 1) > extent))
      return misused(
          fmt::format("an extent of {} does not split into {} equal parts", extent, count));
    Integers parts(c.output_count, part);
    parts.back() = extent - part * (count - 1);
    return parts;
  }
  Integers parts = c.attributes.integers("split");
  std::int64_t total = 0;
  for (const std::int64_t part : parts)
    if (part < 0 || __builtin_add_overflow(total, part, &total))
      return misused(fmt::format("a part of {} elements", part));
  if (parts.size() != c.output_count || total != extent)
    return misused(fmt::format("parts [{}] of an extent of {} for {} outputs",
                               fmt::join(parts, ", "), extent, count));
  return parts;
}

OpDef split() {
  return {
      .name = "Split",
      .family = Family::Movement,
      .doc = "Consecutive parts along one axis.",
      .inputs = {{"input"}},
      .outputs = {{"outputs", Arity::Variadic}},
      .attributes = {attribute("axis", 0, "along which"),
                     optional_attribute("split", AttributeKind::Ints,
                                        "extent of each part; equal when left out"),
                     optional_attribute("num_outputs", AttributeKind::Int,
                                        "how many parts; the last may be smaller")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TensorType part = c.input(0);
        const auto axis = static_cast<std::size_t>(
            TRY(normalise_axis(c.attributes.integer("axis"), part.shape.size())));
        Types types;
        for (const std::int64_t extent : TRY(split_extents(c, part.shape[axis]))) {
          part.shape[axis] = extent;
          types.push_back(part);
        }
        return types;
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const std::size_t axis = axis_of(c.attributes, c.input(0).rank());
        Computed parts;
        std::int64_t begin = 0;
        for (const TensorType& type : c.outputs) {
          parts.push_back(c.builder.compute(c.name, te::extents(type.shape), [&](const Indices& i) {
            return c.input(0)(replaced(i, axis, i[axis] + begin));
          }));
          begin += type.shape[axis];
        }
        return parts;
      },
      .onnx = {{"Split", 2, 12}, {.name = "Split", .since = 13, .bound = {{1, "split"}}}},
      .relay_kind = PatternKind::Injective,
  };
}

// --- Slice -------------------------------------------------------------------------------------

// As numpy reads start:end:step, with ends beyond the tensor cut off; but backwards a start before
// the first element is the first element (ONNX: "for negative stepping it is clamped to
// [0, dims[axes[i]]-1]"), where numpy takes none.
Stride stride_of(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (start < 0) start += extent;
  if (end < 0) end += extent;
  if (step > 0) {
    start = std::clamp<std::int64_t>(start, 0, extent);
    end = std::clamp<std::int64_t>(end, 0, extent);
    return {start, step, end > start ? (end - start - 1) / step + 1 : 0};
  }
  if (extent == 0) return {0, step, 0};
  start = std::clamp<std::int64_t>(start, 0, extent - 1);
  end = std::clamp<std::int64_t>(end, -1, extent - 1);
  return {start, step, start > end ? (start - end - 1) / -step + 1 : 0};
}

OpDef slice() {
  return {
      .name = "Slice",
      .family = Family::Movement,
      .doc = "Every step-th element from start up to, not including, end, along some axes.",
      .inputs = {{"data"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("starts", AttributeKind::Ints,
                                        "negative: counted from the end"),
                     required_attribute("ends", AttributeKind::Ints,
                                        "negative: counted from the end; cut off at the extent"),
                     optional_attribute("axes", AttributeKind::Ints,
                                        "the leading ones when left out"),
                     optional_attribute("steps", AttributeKind::Ints,
                                        "1 when left out; negative: backwards")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TensorType type = c.input(0);
        const auto strides = TRY(strides_of(c.attributes, type.shape));
        for (std::size_t d = 0; d < strides.size(); ++d) type.shape[d] = strides[d].count;
        return Types{type};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const auto strides = TRY(strides_of(c.attributes, shape_of(c.input(0))));
        return Computed{c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](Indices i) {
          for (std::size_t d = 0; d < i.size(); ++d)
            i[d] = i[d] * strides[d].step + strides[d].start;
          return c.input(0)(i);
        })};
      },
      .onnx = {{"Slice", 1, 9},
               {.name = "Slice",
                .since = 10,
                .bound = {{1, "starts"}, {2, "ends"}, {3, "axes"}, {4, "steps"}}}},
      .relay_kind = PatternKind::Injective,
  };
}

// --- Trilu, ReverseSequence, Compress ----------------------------------------------------------

OpDef trilu() {
  return {
      .name = "Trilu",
      .family = Family::Movement,
      .doc = "The upper or lower triangle of matrices; the rest is 0.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {attribute("upper", 1, "0: the lower triangle"),
                     attribute("k", 0,
                               "the diagonal it ends at, counted upwards from the main one")},
      .infer = [](const InferContext& c) -> Result<Types> {
        if (c.input(0).shape.size() < 2)
          return misused(fmt::format("{} is not a matrix", to_string(c.input(0))));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        // Diagonals beyond the corners are all alike; this keeps row + k from overflowing.
        const Shape& shape = c.outputs[0].shape;
        const std::size_t row = shape.size() - 2, column = row + 1;
        const std::int64_t k =
            std::clamp(c.attributes.integer("k"), -shape[row] - 1, shape[column] + 1);
        const bool upper = c.attributes.integer("upper") != 0;
        return Computed{c.builder.compute(c.name, te::extents(shape), [&](const Indices& i) {
          const Expr element = c.input(0)(i), diagonal = i[row] + k;
          return expr::select(upper ? i[column] >= diagonal : i[column] <= diagonal, element,
                              expr::constant(element.type(), 0));
        })};
      },
      .onnx = {{.name = "Trilu", .since = 14, .bound = {{1, "k"}}}},
  };
}

OpDef reverse_sequence() {
  return {
      .name = "ReverseSequence",
      .family = Family::Movement,
      .doc = "Reverses the first few time steps of each sequence of a batch.",
      .inputs = {{"input"}, {"sequence_lens", Arity::Required, "how many steps, one a sequence"}},
      .outputs = {{"Y"}},
      .attributes = {attribute("batch_axis", 1, "0 or 1"),
                     attribute("time_axis", 0, "the other one")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Shape& shape = c.input(0).shape;
        const std::int64_t batch = c.attributes.integer("batch_axis"),
                           time = c.attributes.integer("time_axis");
        const bool are_first_two = (batch == 0 && time == 1) || (batch == 1 && time == 0);
        if (!are_first_two || shape.size() < 2)
          return misused(fmt::format("batch axis {} and time axis {} in {}", batch, time,
                                     to_string(c.input(0))));
        TRY_VOID(
            require_type(c, 1, {"int64", [](DataType type) { return type == DataType::Int64; }}));
        if (c.input(1).shape != Shape{shape[static_cast<std::size_t>(batch)]})
          return misused(fmt::format("lengths {} for the batch of {}", to_string(c.input(1)),
                                     to_string(c.input(0))));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const auto batch = static_cast<std::size_t>(c.attributes.integer("batch_axis"));
        const std::size_t time = 1 - batch;
        const std::int64_t steps = c.outputs[0].shape[time];
        return Computed{c.builder.compute(c.name, c.input(0).shape, [&](const Indices& i) {
          const Expr length = c.input(1)({i[batch]});
          const Expr source =
              expr::select(i[time] < length, clamp_index(length - 1 - i[time], steps), i[time]);
          return c.input(0)(replaced(i, time, source));
        })};
      },
      .onnx = {{"ReverseSequence", 10}},
  };
}

OpDef compress() {
  return {
      .name = "Compress",
      .family = Family::Movement,
      .doc =
          "The slices along an axis, or the elements of the flattened input, where a condition "
          "holds.",
      .inputs = {{"input"}},
      .outputs = {{"output"}},
      .attributes = {required_attribute("condition", AttributeKind::Ints,
                                        "0: leave out; may be shorter than the axis"),
                     optional_attribute("axis", AttributeKind::Int,
                                        "the input is flattened when left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        Shape shape = c.input(0).shape;
        if (!c.attributes.has("axis")) shape = {element_count(shape)};
        const auto axis = c.attributes.has("axis")
                              ? static_cast<std::size_t>(
                                    TRY(normalise_axis(c.attributes.integer("axis"), shape.size())))
                              : std::size_t{0};
        const Integers kept = kept_positions(c.attributes);
        if (!kept.empty() && kept.back() >= shape[axis])
          return misused(
              fmt::format("the condition picks element {} of {}", kept.back(), shape[axis]));
        shape[axis] = static_cast<std::int64_t>(kept.size());
        return Types{{c.input(0).type, shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Integers kept = kept_positions(c.attributes);
        const Tensor positions =
            Tensor::of<std::int64_t>({static_cast<std::int64_t>(kept.size())}, kept);
        const bool flat = !c.attributes.has("axis");
        const std::size_t axis = flat ? 0 : axis_of(c.attributes, c.input(0).rank());
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const Expr source = lookup(positions, i[axis]);
              return c.input(0)(flat ? indices_at(source, shape_of(c.input(0)))
                                     : replaced(i, axis, source));
            })};
      },
      .onnx = {{.name = "Compress", .since = 9, .bound = {{1, "condition"}}}},
  };
}

}  // namespace

Result<std::vector<Stride>> strides_of(const Attributes& attributes, const Shape& shape) {
  std::vector<Stride> strides;
  for (const std::int64_t extent : shape) strides.push_back({0, 1, extent});
  const Integers& starts = attributes.integers("starts");
  const Integers& ends = attributes.integers("ends");
  Integers axes(starts.size()), steps(starts.size(), 1);
  std::iota(axes.begin(), axes.end(), 0);
  if (attributes.has("axes")) axes = attributes.integers("axes");
  if (attributes.has("steps")) steps = attributes.integers("steps");
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return misused(fmt::format("{} starts, {} ends, {} axes and {} steps", starts.size(),
                               ends.size(), axes.size(), steps.size()));
  TRY(normalise_axes(axes, shape.size()));  // none twice
  constexpr std::int64_t longest = std::int64_t{1} << 62;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto axis = static_cast<std::size_t>(TRY(normalise_axis(axes[k], shape.size())));
    if (steps[k] == 0) return misused(fmt::format("a step of 0 along axis {}", axis));
    strides[axis] =
        stride_of(shape[axis], starts[k], ends[k], std::clamp(steps[k], -longest, longest));
  }
  return strides;
}

Integers kept_positions(const Attributes& attributes) {
  const Integers& condition = attributes.integers("condition");
  Integers kept;
  for (std::size_t k = 0; k < condition.size(); ++k)
    if (condition[k] != 0) kept.push_back(static_cast<std::int64_t>(k));
  return kept;
}

std::optional<std::size_t> concatenation_axis(const OpDef& op, const Attributes& attributes,
                                              std::size_t rank) {
  if (op.name != "Concat") return std::nullopt;
  return axis_of(attributes, rank);
}

Attributes along_axis(std::size_t axis) { return {{"axis", static_cast<std::int64_t>(axis)}}; }

std::vector<OpDef> slicing() {
  return {concat(), split(), slice(), trilu(), reverse_sequence(), compress()};
}

}  // namespace loopglass::ops
