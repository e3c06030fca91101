#include "passes/graph/fourier_products.h"

#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/expansion.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::ValueId;
using Integers = std::vector<std::int64_t>;

// Longer transforms are taken apart, where their length has divisors.
constexpr std::int64_t longest_whole = 96;
// Elements of a constant matrix.
constexpr std::int64_t largest_matrix = std::int64_t{1} << 22;

// e^(2 pi i turns / length), with a sign for the way back.
struct Wave {
  double cosine, sine;
};
Wave wave(std::int64_t turns, std::int64_t length, bool inverse) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(turns % length) / static_cast<double>(length);
  return {std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle)};
}

// What a complex number's part `from` adds to part `to` of its product by a wave.
double added(const Wave& wave, std::int64_t from, std::int64_t to) {
  if (from == to) return wave.cosine;
  return to == 0 ? -wave.sine : wave.sine;
}

Tensor filled(DataType type, const Shape& shape,
              const std::function<double(const Integers& index)>& value) {
  Tensor tensor({type, shape});
  Integers index(shape.size(), 0);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (type == DataType::Float64) tensor.as<double>()[at] = value(index);
    else tensor.as<float>()[at] = static_cast<float>(value(index));
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return tensor;
}

// The greatest that is at most the square root; 1 of primes.
std::int64_t middle_divisor(std::int64_t length) {
  std::int64_t found = 1;
  for (std::int64_t p = 2; p * p <= length; ++p)
    if (length % p == 0) found = p;
  return found;
}

// A DFT along the axis before that of real and imaginary parts, of `extent` places: the signal's,
// or as many as it is cut off or filled up to.
struct Transform {
  std::int64_t extent, length, frequencies, parts;
  bool inverse;
};
bool is_taken_apart(std::int64_t length) {
  return length > longest_whole && middle_divisor(length) >= 4;
}
Transform transform_of(const rules::Edits& edits, const Node& node) {
  const Shape &x = edits.type(node.inputs[0]).shape, &y = edits.type(node.outputs[0]).shape;
  const std::int64_t extent = x[x.size() - 2], length = node.attributes.has("dft_length")
                                                            ? node.attributes.integer("dft_length")
                                                            : extent;
  return {is_taken_apart(length) ? length : std::min(extent, length), length, y[y.size() - 2],
          x.back(), node.attributes.integer("inverse") != 0};
}

class FourierRewriting : public rules::Expansion {
 public:
  FourierRewriting(rules::Edits& edits, const Node& node)
      : Expansion(edits, node),
        type_(edits.type(node.outputs[0]).type),
        result_(edits.type(node.outputs[0]).shape) {}

  ValueId frames() {
    const Shape signal = edits_.type(node_.inputs[0]).shape;
    const Tensor window = edits_.constant(rules::Edits::input(node_, 1));
    const std::int64_t frequencies = result_[2],
                       length = node_.attributes.has("frame_length")
                                    ? node_.attributes.integer("frame_length")
                                    : window.elements();
    const Tensor waves = filled(type_, {2 * frequencies, 1, length}, [&](const Integers& at) {
      const double weight = window.defined() ? window.double_at(at[2]) : 1;
      return weight * added(wave(at[0] / 2 * at[2], length, false), 0, at[0] % 2);
    });
    const ValueId samples =
        add("_samples", ops::reshape_to({signal[0], 1, signal[1]}), {node_.inputs[0]});
    const ValueId sums =
        add("_waves",
            ops::operation_named("Conv",
                                 {{"strides", Integers{node_.attributes.integer("frame_step")}}}),
            {samples, constant("_waves", waves)});
    return add("_frames", ops::reshape_to(result_),
               {add("_turned", ops::transposition({0, 2, 1}), {sums})});
  }

  ValueId whole(const Transform& of) {
    const Tensor waves =
        filled(type_, {of.extent * of.parts, of.frequencies * 2}, [&](const Integers& at) {
          return scale(of) * added(wave(at[0] / of.parts * (at[1] / 2), of.length, of.inverse),
                                   at[0] % of.parts, at[1] % 2);
        });
    const ValueId rows =
        add("_rows", ops::reshape_to({rows_of(), of.extent * of.parts}), {signal(of)});
    return add("_spectrum", ops::reshape_to(result_), {product("_product", rows, waves)});
  }

  // Of length p * q: place q * a + b, and frequency f + p * g.
  ValueId in_two(const Transform& of) {
    const std::int64_t p = middle_divisor(of.length), q = of.length / p, rows = rows_of();
    // Over a, for each b.
    const Tensor first = filled(type_, {p * of.parts, p * 2}, [&](const Integers& at) {
      return added(wave(at[0] / of.parts * (at[1] / 2), p, of.inverse), at[0] % of.parts,
                   at[1] % 2);
    });
    const ValueId strided =
        add("_strided", ops::transposition({0, 2, 1, 3}),
            {add("_places", ops::reshape_to({rows, p, q, of.parts}), {signal(of)})});
    const ValueId sums = add(
        "_sums", ops::reshape_to({rows, q, p, 2}),
        {product("_first", add("_columns", ops::reshape_to({rows * q, p * of.parts}), {strided}),
                 first)});
    const ValueId turned = turns(sums, of, p, q);
    // Over b, for each f.
    const Tensor second = filled(type_, {q * 2, q * 2}, [&](const Integers& at) {
      return scale(of) * added(wave(at[0] / 2 * (at[1] / 2), q, of.inverse), at[0] % 2, at[1] % 2);
    });
    const ValueId by_frequency = add("_by_frequency", ops::transposition({0, 2, 1, 3}), {turned});
    const ValueId spectra =
        add("_spectra", ops::reshape_to({rows, p, q, 2}),
            {product("_second", add("_lines", ops::reshape_to({rows * p, q * 2}), {by_frequency}),
                     second)});
    ValueId all = add("_all", ops::reshape_to({rows, of.length, 2}),
                      {add("_in_order", ops::transposition({0, 2, 1, 3}), {spectra})});
    if (of.frequencies < of.length) all = add("_half", ops::slice_of(1, 0, of.frequencies), {all});
    return add("_spectrum", ops::reshape_to(result_), {all});
  }

 private:
  // Times e^(2 pi i b f / length): of each part what it takes from itself, and from the other one.
  ValueId turns(ValueId sums, const Transform& of, std::int64_t p, std::int64_t q) {
    const auto weights = [&](bool of_other) {
      return filled(type_, {q, p, 2}, [&](const Integers& at) {
        return added(wave(at[0] * at[1], of.length, of.inverse), of_other ? 1 - at[2] : at[2],
                     at[2]);
      });
    };
    const ValueId other = add("_other",
                              ops::operation_named("Slice", {{"starts", Integers{1}},
                                                             {"ends", Integers{-3}},
                                                             {"axes", Integers{3}},
                                                             {"steps", Integers{-1}}}),
                              {sums});
    const auto times = [&](const char* suffix, ValueId value, bool of_other) {
      return add(suffix, ops::operation_named("Mul", {}),
                 {value, constant(suffix, weights(of_other))});
    };
    return add("_turns", ops::addition(),
               {times("_own_turns", sums, false), times("_other_turns", other, true)});
  }

  double scale(const Transform& of) const {
    return of.inverse ? 1 / static_cast<double>(of.length) : 1;
  }
  std::int64_t rows_of() const {
    const Shape& x = edits_.type(node_.inputs[0]).shape;
    return element_count(x) / (x[x.size() - 2] * x.back());
  }
  // What is transformed of it, with zeros behind where it is shorter.
  ValueId signal(const Transform& of) {
    const Shape& x = edits_.type(node_.inputs[0]).shape;
    const std::size_t axis = x.size() - 2;
    if (x[axis] > of.extent)
      return add("_beginning", ops::slice_of(axis, 0, of.extent), {node_.inputs[0]});
    if (x[axis] == of.extent) return node_.inputs[0];
    Integers pads(2 * x.size(), 0);
    pads[x.size() + axis] = of.extent - x[axis];
    return add("_filled", ops::operation_named("Pad", {{"pads", std::move(pads)}}),
               {node_.inputs[0]});
  }
  ValueId product(const char* suffix, ValueId rows, Tensor matrix) {
    return add(suffix, ops::matrix_multiplication(), {rows, constant(suffix, std::move(matrix))});
  }
  ValueId constant(const char* suffix, Tensor value) {
    return edits_.add_constant(node_.name + suffix + "_weights", std::move(value));
  }

  const DataType type_;
  const Shape result_;
};

bool is_named(const Node& node, std::string_view name) { return node.op->name == name; }

std::optional<MissedRewrite> refusal_of(const rules::Edits& edits, const Node& node) {
  const TensorType &x = edits.type(node.inputs[0]), &y = edits.type(node.outputs[0]);
  if (x.type != DataType::Float32 && x.type != DataType::Float64)
    return MissedRewrite{"NARROW_NUMBERS", "its numbers are narrower than those it sums in"};
  if (element_count(x.shape) == 0 || element_count(y.shape) == 0)
    return MissedRewrite{"NO_ELEMENTS", "there is nothing to compute"};
  std::int64_t matrix = 0;
  if (is_named(node, "STFT")) {
    if (x.shape.size() == 3 && x.shape[2] == 2)
      return MissedRewrite{"COMPLEX_SIGNAL", "its signal is complex"};
    const ValueId window = rules::Edits::input(node, 1);
    if (window && !edits.constant(window).defined())
      return MissedRewrite{"WINDOW_NOT_CONSTANT", "its window is known only when it runs"};
    matrix = y.shape[2] * 2 *
             (window ? edits.type(window).shape[0] : node.attributes.integer("frame_length"));
  } else {
    if (ops::axis_of(node.attributes, x.shape.size()) + 2 != x.shape.size())
      return MissedRewrite{"INNER_AXIS", "it goes along an axis with others behind"};
    const Transform of = transform_of(edits, node);
    const std::int64_t q = of.length / middle_divisor(of.length);
    matrix = is_taken_apart(of.length) ? 4 * q * q : of.extent * of.parts * of.frequencies * 2;
  }
  if (matrix > largest_matrix)
    return MissedRewrite{"LARGE_MATRIX",
                         fmt::format("its matrix would have {} elements", matrix),
                         {{"elements", static_cast<double>(matrix)}}};
  return std::nullopt;
}

void rewrite(rules::Edits& edits, const Node& node, pass::Report& report) {
  FourierRewriting rewriting(edits, node);
  std::string as;
  ValueId result;
  if (is_named(node, "STFT")) {
    result = rewriting.frames();
    as = "a convolution by waves";
  } else if (const Transform of = transform_of(edits, node); is_taken_apart(of.length)) {
    const std::int64_t p = middle_divisor(of.length);
    as = fmt::format("transforms of {} and {} places", p, of.length / p);
    result = rewriting.in_two(of);
  } else {
    result = rewriting.whole(of);
    as = "a product by waves";
  }
  edits.put_in_place(node, result);
  report.remark({pass::RemarkKind::Applied,
                 "WAVES",
                 node.name,
                 {},
                 fmt::format("{} is {}, which are constants.", node.name, as)});
  report.rewrite({"fourier-products",
                  {node.id.value},
                  std::move(rewriting).made(),
                  fmt::format("{} is {}", node.name, as)});
}

}  // namespace

Result<graph::Graph> fourier_products(const graph::Graph& graph, pass::Report& report) {
  rules::Edits edits(graph);
  for (const graph::NodePtr& each : graph.nodes()) {
    if (!report.may_rewrite()) break;
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "the search for Fourier transforms was cancelled");
    if (!is_named(*each, "STFT") && !is_named(*each, "DFT")) continue;
    const Node node = edits.graph().node(each->id);
    if (const auto refusal = refusal_of(edits, node))
      report.remark({pass::RemarkKind::Missed, refusal->code, node.name, refusal->numbers,
                     fmt::format("{} stays as it is: {}.", node.name, refusal->text)});
    else rewrite(edits, node, report);
  }
  return std::move(edits).finish();
}

pass::Words fourier_products_words() {
  return {{pass::Word::Kind::Remark, "WAVES",
           "The transform is a product by constants, or a convolution by them, or two shorter "
           "transforms."},
          {pass::Word::Kind::Remark, "NARROW_NUMBERS",
           "The transform stays: numbers are float16, and are summed in float32."},
          {pass::Word::Kind::Remark, "NO_ELEMENTS", "The operator stays: it computes nothing."},
          {pass::Word::Kind::Remark, "COMPLEX_SIGNAL",
           "The transform stays: frames of complex signals are rare."},
          {pass::Word::Kind::Remark, "WINDOW_NOT_CONSTANT",
           "The transform stays: its window would have to be multiplied in every run."},
          {pass::Word::Kind::Remark, "INNER_AXIS",
           "The transform stays: what it sums does not lie in rows."},
          {pass::Word::Kind::Remark, "LARGE_MATRIX",
           "The transform stays: its length has no divisors that would keep matrices small."}};
}

}  // namespace loopglass::passes
