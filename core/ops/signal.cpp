// The discrete Fourier transform, by its definition, and what is built on it: STFT and the mel
// filters.
#include "core/ops/families.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace loopglass::ops {

namespace {

// --- the transform of one frame -----------------------------------------------------------------

// The sum over k of x[k] * e^(sign * 2 pi i k f / length), where x[k] is real, or complex with its
// two parts along the last axis.
struct Transform {
  std::int64_t length;
  bool inverse;
  DataType type;
  te::Tensor cosine, sine;  // of 2 pi k / length
};

Transform transform_of(te::Builder& builder, const std::string& name, std::int64_t length,
                       bool inverse, DataType type) {
  const auto table = [&](const char* suffix, expr::UnaryOperator function) {
    return builder.compute(name + suffix, {length}, [&](const Indices& i) {
      const double step = 2 * std::numbers::pi / static_cast<double>(length);
      // In float64, since the argument goes up to 2 pi and the values are used `length` times.
      const Expr angle =
          expr::cast(DataType::Float64, i[0]) * expr::constant(DataType::Float64, step);
      return expr::cast(type, expr::unary(function, angle));
    });
  };
  return {length, inverse, type, table("_cosine", expr::UnaryOperator::Cos),
          table("_sine", expr::UnaryOperator::Sin)};
}

// One term of the real part (part 0) or the imaginary part (part 1).
Expr term(const Transform& transform, const Expr& part, const Expr& k, const Expr& frequency,
          const Expr& real, const Expr& imaginary) {
  const Expr turn = expr::floor_mod(k * frequency, transform.length);
  const Expr cosine = transform.cosine({turn}),
             sine = transform.inverse ? transform.sine({turn}) : -transform.sine({turn});
  const Expr is_real = expr::equal(part, 0);
  if (!imaginary.defined()) return expr::select(is_real, real * cosine, real * sine);
  return expr::select(is_real, real * cosine - imaginary * sine, real * sine + imaginary * cosine);
}

std::int64_t spectrum_length(std::int64_t length, bool one_sided) {
  return one_sided ? length / 2 + 1 : length;
}

// Above this a transform by definition takes minutes.
constexpr std::int64_t longest_transform = 1 << 16;

Result<void> check_length(std::int64_t length) {
  if (length >= 1 && length <= longest_transform) return {};
  return unsupported_attribute(
      fmt::format("a transform of length {}; 1 to {} are supported", length, longest_transform));
}

// --- DFT ----------------------------------------------------------------------------------------

Result<std::size_t> signal_axis(const InferContext& context) {
  const Shape& shape = context.input(0).shape;
  if (shape.size() < 2 || (shape.back() != 1 && shape.back() != 2))
    return misused(
        fmt::format("signal {} does not end in 1 (real) or 2 (complex)", to_string(shape)));
  const auto axis = static_cast<std::size_t>(
      TRY(normalise_axis(context.attributes.integer("axis"), shape.size())));
  if (axis + 1 == shape.size())
    return misused("the transform cannot go along the axis of real and imaginary parts");
  return axis;
}

std::int64_t transform_length(const Attributes& attributes, std::int64_t extent) {
  return attributes.has("dft_length") ? attributes.integer("dft_length") : extent;
}

Result<Types> infer_dft(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  const std::size_t axis = TRY(signal_axis(context));
  const bool one_sided = context.attributes.integer("onesided") != 0;
  if (one_sided && context.attributes.integer("inverse") != 0)
    return unsupported_attribute("onesided of an inverse transform");
  if (one_sided && context.input(0).shape.back() == 2)
    return unsupported_attribute("onesided of a complex signal");
  Shape output = context.input(0).shape;
  const std::int64_t length = transform_length(context.attributes, output[axis]);
  TRY_VOID(check_length(length));
  output[axis] = spectrum_length(length, one_sided);
  output.back() = 2;
  return Types{{context.input(0).type, output}};
}

Result<Computed> compute_dft(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const std::size_t axis = axis_of(context.attributes, x.rank());
  const bool inverse = context.attributes.integer("inverse") != 0,
             is_complex = expr::as_integer(x.shape.back()) == 2;
  const std::int64_t extent = shape_of(x)[axis],
                     length = transform_length(context.attributes, extent);
  const Transform transform =
      transform_of(context.builder, context.name, length, inverse, accumulator_type(x.type));
  const DataType type = context.outputs[0].type;
  const te::Tensor sum = context.builder.reduce(
      inverse ? context.name + "_sum" : accumulating(context.name, type, "_sum"),
      te::extents(context.outputs[0].shape), {std::min(extent, length)}, te::Reducer::Sum,
      [&](const Indices& i, const Indices& r) {
        const Indices source = replaced(i, axis, r[0]);
        const auto part = [&](std::int64_t which) {
          return widened(x(replaced(source, x.rank() - 1, which)));
        };
        return term(transform, i.back(), r[0], i[axis], part(0), is_complex ? part(1) : Expr());
      });
  if (!inverse) return Computed{narrow(context.builder, sum, type, context.name)};
  return Computed{map(context.builder, context.name, sum, [&](Expr value) {
    return expr::cast(type, value / expr::constant(value.type(), static_cast<double>(length)));
  })};
}

// --- STFT ---------------------------------------------------------------------------------------

Result<std::int64_t> frame_length(const Attributes& attributes,
                                  const std::optional<Shape>& window) {
  if (!window && !attributes.has("frame_length"))
    return misused("neither a window nor a frame_length");
  if (window && window->size() != 1)
    return misused(fmt::format("a window of shape {}", to_string(*window)));
  const std::int64_t length =
      attributes.has("frame_length") ? attributes.integer("frame_length") : (*window)[0];
  if (window && (*window)[0] != length)
    return unsupported_attribute(
        fmt::format("a window of {} for frames of {}", (*window)[0], length));
  TRY_VOID(check_length(length));
  return length;
}

Result<Types> infer_stft(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_same_types(context));
  const Shape& signal = context.input(0).shape;
  // PyTorch's exporter leaves the last axis of a real signal out, and ONNX Runtime takes that.
  if (signal.size() != 2 && signal.size() != 3)
    return misused(
        fmt::format("signal {} is neither N x length nor N x length x 1 or 2", to_string(signal)));
  const bool is_complex = signal.size() == 3 && signal[2] == 2;
  const auto window = context.has(1) ? std::optional(context.input(1).shape) : std::nullopt;
  const std::int64_t length = TRY(frame_length(context.attributes, window)),
                     step = context.attributes.integer("frame_step");
  const bool one_sided = context.attributes.integer("onesided") != 0;
  if (signal.size() == 3 && signal[2] != 1 && signal[2] != 2)
    return misused(
        fmt::format("signal {} does not end in 1 (real) or 2 (complex)", to_string(signal)));
  if (one_sided && is_complex) return unsupported_attribute("onesided of a complex signal");
  if (step < 1 || signal[1] < length)
    return misused(fmt::format("frames of {} every {} in a signal of {}", length, step, signal[1]));
  return Types{
      {context.input(0).type,
       {signal[0], (signal[1] - length) / step + 1, spectrum_length(length, one_sided), 2}}};
}

Result<Computed> compute_stft(ComputeContext& context) {
  const te::Tensor& x = context.input(0);
  const auto window = context.has(1) ? std::optional(shape_of(context.input(1))) : std::nullopt;
  const std::int64_t length = TRY(frame_length(context.attributes, window)),
                     step = context.attributes.integer("frame_step");
  const DataType type = context.outputs[0].type;
  const Transform transform =
      transform_of(context.builder, context.name, length, false, accumulator_type(x.type));
  const te::Tensor sum = context.builder.reduce(
      accumulating(context.name, type, "_sum"), te::extents(context.outputs[0].shape), {length},
      te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        const auto part = [&](std::int64_t which) {
          Indices at{i[0], i[1] * step + r[0]};
          if (x.rank() == 3) at.emplace_back(which);
          const Expr sample = widened(x(at));
          return window ? sample * widened(context.input(1)({r[0]})) : sample;
        };
        return term(transform, i[3], r[0], i[2], part(0),
                    x.rank() == 3 && expr::as_integer(x.shape[2]) == 2 ? part(1) : Expr());
      });
  return Computed{narrow(context.builder, sum, type, context.name)};
}

// --- MelWeightMatrix ----------------------------------------------------------------------------

double to_mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double to_hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

// The spectrogram bins where the triangular filters begin, peak and end: filter m goes from
// edges[m] over edges[m + 1] to edges[m + 2].
std::vector<double> filter_edges(const Attributes& attributes) {
  const std::int64_t filters = attributes.integer("num_mel_bins");
  const double low = to_mel(attributes.real("lower_edge_hertz")),
               high = to_mel(attributes.real("upper_edge_hertz"));
  const double step = (high - low) / static_cast<double>(filters + 2);
  std::vector<double> edges;
  for (std::int64_t k = 0; k < filters + 2; ++k) {
    const double hertz = to_hertz(low + step * static_cast<double>(k));
    edges.push_back(std::floor(static_cast<double>(attributes.integer("dft_length") + 1) * hertz /
                               static_cast<double>(attributes.integer("sample_rate"))));
  }
  return edges;
}

Result<Types> infer_mel_weights(const InferContext& context) {
  const Attributes& attributes = context.attributes;
  const std::int64_t filters = attributes.integer("num_mel_bins"),
                     length = attributes.integer("dft_length");
  const double low = attributes.real("lower_edge_hertz"),
               high = attributes.real("upper_edge_hertz");
  if (filters < 1 || filters > 4096 || length < 1 || length > (1 << 24) ||
      attributes.integer("sample_rate") < 1 || !(low >= 0) || !(high > low) || !(high < 1e9))
    return misused("no mel filters with these parameters");
  if (attributes.integer("output_datatype") != 1)
    return fail(Code::TypeUnsupported,
                fmt::format("output_datatype {}; only float32 (1) is supported",
                            attributes.integer("output_datatype")));
  if (const auto edges = filter_edges(attributes);
      edges.back() > static_cast<double>(length / 2 + 1))
    return misused("a filter reaches beyond the spectrum");
  return Types{{DataType::Float32, {length / 2 + 1, filters}}};
}

Result<Computed> compute_mel_weights(ComputeContext& context) {
  const std::vector<double> edges = filter_edges(context.attributes);
  const Tensor table = Tensor::of<double>({std::ssize(edges)}, edges);
  return Computed{context.builder.compute(
      context.name, te::extents(context.outputs[0].shape), [&](const Indices& i) {
        const auto number = [](double value) { return expr::constant(DataType::Float64, value); };
        const Expr bin = expr::cast(DataType::Float64, i[0]);
        const Expr begin = lookup(table, i[1]), peak = lookup(table, i[1] + 1),
                   end = lookup(table, i[1] + 2);
        const Expr rising = expr::select(bin >= begin && bin <= peak && begin < peak,
                                         (bin - begin) / (peak - begin), number(0));
        const Expr falling =
            expr::select(bin >= peak && bin < end, (end - bin) / (end - peak), rising);
        // A filter narrower than a bin is that bin, unless it has a falling side, which begins
        // at 1.
        const Expr weight =
            expr::select(expr::equal(begin, peak) && expr::equal(bin, peak), number(1), falling);
        return expr::cast(DataType::Float32, weight);
      })};
}

}  // namespace

std::vector<OpDef> signal() {
  return {
      {.name = "DFT",
       .family = Family::MatrixProduct,
       .doc = "The discrete Fourier transform along one axis.",
       .inputs = {{"input", Arity::Required, "... x 1 (real) or 2 (complex)"}},
       .outputs = {{"output", Arity::Required, "... x 2"}},
       .attributes = {attribute("axis", std::int64_t{1}, "along which"),
                      attribute("inverse", std::int64_t{0}, "1: back to the signal"),
                      attribute("onesided", std::int64_t{0},
                                "1: without the frequencies that mirror others"),
                      optional_attribute("dft_length", AttributeKind::Int,
                                         "the signal is cut or padded with zeros to it")},
       .infer = infer_dft,
       .compute = compute_dft,
       .onnx = {{.name = "DFT", .since = 17, .until = 19, .bound = {{1, "dft_length"}}}},
       .relay_kind = PatternKind::Opaque},
      {.name = "STFT",
       .family = Family::MatrixProduct,
       .doc = "Fourier transforms of overlapping frames of a signal.",
       .inputs = {{"signal", Arity::Required,
                   "N x length (real), or with 1 (real) or 2 (complex) behind"},
                  {"window", Arity::Optional, "a weight for each sample of a frame"}},
       .outputs = {{"output", Arity::Required, "N x frames x frequencies x 2"}},
       .attributes = {attribute("onesided", std::int64_t{1},
                                "1: without the frequencies that mirror others"),
                      required_attribute("frame_step", AttributeKind::Int,
                                         "samples from one frame to the next"),
                      optional_attribute("frame_length", AttributeKind::Int,
                                         "the window's by default")},
       .infer = infer_stft,
       .compute = compute_stft,
       .onnx = {{.name = "STFT", .since = 17, .bound = {{1, "frame_step"}, {3, "frame_length"}}}},
       .relay_kind = PatternKind::Opaque},
      {.name = "MelWeightMatrix",
       .family = Family::Generator,
       .doc =
           "Triangular filters, evenly apart on the mel scale, that take spectra to mel spectra.",
       .inputs = {},
       .outputs = {{"output", Arity::Required, "dft_length / 2 + 1 x num_mel_bins"}},
       .attributes = {required_attribute("num_mel_bins", AttributeKind::Int, "how many filters"),
                      required_attribute("dft_length", AttributeKind::Int, "of the spectra"),
                      required_attribute("sample_rate", AttributeKind::Int, "samples a second"),
                      required_attribute("lower_edge_hertz", AttributeKind::Float,
                                         "where the first filter begins"),
                      required_attribute("upper_edge_hertz", AttributeKind::Float,
                                         "where the last filter ends"),
                      attribute("output_datatype", std::int64_t{1},
                                "ONNX's number of the element type")},
       .infer = infer_mel_weights,
       .compute = compute_mel_weights,
       .onnx = {{.name = "MelWeightMatrix",
                 .since = 17,
                 .bound = {{0, "num_mel_bins"},
                           {1, "dft_length"},
                           {2, "sample_rate"},
                           {3, "lower_edge_hertz"},
                           {4, "upper_edge_hertz"}}}}},
  };
}

}  // namespace loopglass::ops
