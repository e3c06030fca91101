#include "core/onnx/signature.h"

#include "core/onnx/element_type.h"
#include "core/onnx/input_settings.h"
#include "core/onnx/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <set>

namespace loopglass::onnx {

namespace {

std::unexpected<Diagnostic> misfit(std::string what, const Signature& input) {
  return fail(Code::ShapeBindingInvalid, std::move(what), fmt::format("input '{}'", input.name));
}

// Takes the shape a person gave for an input, and with it the values of the input's symbols.
Result<void> take_shape(const Signature& input, const Shape& shape, Symbols& symbols) {
  if (input.ranked && shape.size() != input.shape.size())
    return misfit(fmt::format("shape {} has {} dimensions, the model declares {}", to_string(shape),
                              shape.size(), input.shape.size()),
                  input);
  if (!input.opaque.empty())
    return misfit(fmt::format("it is {}, and takes no shape", input.opaque), input);
  TRY_VOID(check_type({input.type, shape}));
  for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
    const Dimension& dimension = input.shape[axis];
    if (dimension.symbol.empty()) {
      if (dimension.extent != shape[axis])
        return misfit(fmt::format("shape {} has extent {} at axis {}, the model declares {}",
                                  to_string(shape), shape[axis], axis, dimension.extent),
                      input);
    } else if (const auto [known, fresh] = symbols.emplace(dimension.symbol, shape[axis]);
               !fresh && known->second != shape[axis]) {
      return misfit(fmt::format("dimension '{}' would be both {} and {}", dimension.symbol,
                                known->second, shape[axis]),
                    input);
    }
  }
  return {};
}

// What --set says, of symbols that there are.
Result<Symbols> known_symbols(const std::vector<Signature>& inputs, const Symbols& extents) {
  std::set<std::string> symbols;
  for (const Signature& input : inputs)
    for (const Dimension& dimension : input.shape)
      if (!dimension.symbol.empty()) symbols.insert(dimension.symbol);
  for (const auto& [symbol, extent] : extents) {
    if (symbols.contains(symbol) && extent < 0)
      return fail(Code::ShapeBindingInvalid,
                  fmt::format("dimension '{}' cannot be {}", symbol, extent), "--set",
                  "an extent is 0 or more");
    if (symbols.contains(symbol)) continue;
    std::string hint = symbols.empty() ? "all its dimensions are numbers"
                                       : fmt::format("its symbols: {}", fmt::join(symbols, ", "));
    if (const std::vector<std::string> settings = settings_among(inputs); !settings.empty())
      hint += fmt::format("; inputs that are one whole number: {}", fmt::join(settings, ", "));
    return fail(Code::ShapeBindingInvalid,
                fmt::format("no input of the model has a dimension '{}'", symbol), "--set", hint);
  }
  return extents;
}

}  // namespace

bool has_open_shape(const Signature& input) {
  if (!input.opaque.empty()) return false;
  return !input.ranked || std::any_of(input.shape.begin(), input.shape.end(),
                                      [](const Dimension& axis) { return !axis.symbol.empty(); });
}

std::int64_t default_extent(const Signature& input, std::size_t axis) {
  if (axis < input.shape.size() && input.shape[axis].extent >= 0) return input.shape[axis].extent;
  if (axis == 0) return 1;
  if (input.shape.size() != 4) return 128;
  return axis == 1 ? 3 : 224;
}

std::map<std::string, Shape> open_shapes(const std::vector<Signature>& inputs,
                                         const std::map<std::string, std::int64_t>& extents) {
  std::map<std::string, Shape> shapes;
  for (const Signature& input : inputs) {
    Shape shape;
    bool open = false;
    for (const Dimension& dimension : input.shape) {
      open = open || !dimension.symbol.empty();
      shape.push_back(dimension.symbol.empty() ? dimension.extent : extents.at(dimension.symbol));
    }
    if (open) shapes[input.name] = std::move(shape);
  }
  return shapes;
}

Result<Signature> declared(const ::onnx::ValueInfoProto& value) {
  const auto where = [&] { return fmt::format("value '{}'", value.name()); };
  const auto opaque = [&] {
    return Signature{.name = value.name(), .opaque = declared_text(value.type(), {})};
  };
  if (value.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
    return fail(Code::ModelCorrupt, "a graph input or output has no type", where());
  if (value.type().value_case() != ::onnx::TypeProto::kTensorType) return opaque();
  const auto& tensor = value.type().tensor_type();
  auto type = element_type(tensor.elem_type());
  if (!type && is_unsupported(type.error().code)) return opaque();
  if (!type) {
    type.error().where = where();
    return std::unexpected(type.error());
  }
  Signature signature{value.name(), *type, {}, tensor.has_shape(), {}};
  if (static_cast<std::size_t>(tensor.shape().dim_size()) > maximum_rank)
    return fail(Code::ModelTooLarge,
                fmt::format("{} dimensions; at most {} are accepted", tensor.shape().dim_size(),
                            maximum_rank),
                where());
  for (const auto& proto : tensor.shape().dim()) {
    Dimension dimension;
    // Exporters write 0 or -1 for "any" in places; only a 0 can also be meant.
    if (proto.has_dim_value() && proto.dim_value() >= 0) dimension.extent = proto.dim_value();
    else if (proto.has_dim_value() && proto.dim_value() != -1)
      return fail(Code::ModelCorrupt, fmt::format("the negative extent {}", proto.dim_value()),
                  where());
    else if (proto.has_dim_param() && !proto.dim_param().empty())
      dimension.symbol = proto.dim_param();
    else dimension.symbol = fmt::format("{}.{}", value.name(), signature.shape.size());
    signature.shape.push_back(std::move(dimension));
  }
  return signature;
}

Result<BoundShapes> bind_shapes(const std::vector<Signature>& inputs,
                                const std::map<std::string, Shape>& shapes, const Symbols& extents,
                                std::vector<Note>& notes) {
  std::vector<std::string> names;
  for (const Signature& input : inputs) names.push_back(input.name);
  for (const auto& [name, shape] : shapes)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail(Code::ShapeBindingInvalid, fmt::format("the model has no input '{}'", name), {},
                  fmt::format("its inputs are: {}", fmt::join(names, ", ")));
  BoundShapes bound;
  bound.symbols = TRY(known_symbols(inputs, extents));
  for (const Signature& input : inputs)
    if (const auto given = shapes.find(input.name); given != shapes.end())
      TRY_VOID(take_shape(input, given->second, bound.symbols));

  for (const Signature& input : inputs) {
    if (!input.opaque.empty()) {
      bound.types.push_back(TensorType::unknown(input.opaque));
      continue;
    }
    TensorType type{input.type, {}};
    if (const auto given = shapes.find(input.name); given != shapes.end()) {
      type.shape = given->second;
    } else if (!input.ranked) {
      return fail(Code::DimensionUnbound,
                  fmt::format("input '{}' has no declared shape", input.name), {},
                  fmt::format("give it one: --shape {}=1x3x224x224", input.name));
    } else {
      for (std::size_t axis = 0; axis < input.shape.size(); ++axis) {
        const Dimension& dimension = input.shape[axis];
        if (dimension.symbol.empty()) {
          type.shape.push_back(dimension.extent);
          continue;
        }
        const auto [known, fresh] =
            bound.symbols.emplace(dimension.symbol, default_extent(input, axis));
        if (fresh) bound.defaults.insert(dimension.symbol);
        if (fresh)
          notes.push_back({fmt::format("dimension '{}' of input '{}' is symbolic; bound to {}",
                                       dimension.symbol, input.name, known->second)});
        type.shape.push_back(known->second);
      }
    }
    auto fits = check_type(type);
    if (!fits) {
      fits.error().where = fmt::format("input '{}'", input.name);
      return std::unexpected(fits.error());
    }
    bound.types.push_back(std::move(type));
  }
  return bound;
}

}  // namespace loopglass::onnx
