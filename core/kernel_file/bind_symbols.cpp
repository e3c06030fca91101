#include "core/kernel_file/bind_symbols.h"

#include "core/dependence/sound_nest.h"
#include "core/loop/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::kernel_file {

namespace {

std::unexpected<Diagnostic> misfit(std::string what, std::string where, std::string hint = {}) {
  return fail(Code::ShapeBindingInvalid, std::move(what), std::move(where), std::move(hint));
}

Result<void> set(ops::Extents& extents, const std::string& symbol, std::int64_t extent,
                 const std::string& where) {
  if (extent < 0) return misfit(fmt::format("'{}' would be {}", symbol, extent), where);
  if (extent > loop::greatest_extent)
    return misfit(fmt::format("'{}' would be {}", symbol, extent), where,
                  fmt::format("extents go to {}", loop::greatest_extent));
  if (const auto [known, fresh] = extents.emplace(symbol, extent);
      !fresh && known->second != extent)
    return misfit(fmt::format("'{}' would be both {} and {}", symbol, known->second, extent),
                  where);
  return {};
}

// A shape tells the symbols that are an extent by themselves.
Result<void> take_shape(const te::Tensor& input, const Shape& shape, ops::Extents& extents) {
  const std::string where = fmt::format("input '{}'", input.name);
  if (shape.size() != input.rank())
    return misfit(fmt::format("shape {} has {} dimensions, the kernel's has {}", to_string(shape),
                              shape.size(), input.rank()),
                  where);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (const auto* symbol = input.shape[d].as<expr::Variable>())
      TRY_VOID(set(extents, symbol->name, shape[d], where));
  return {};
}

}  // namespace

Result<ops::Extents> bind_symbols(const KernelText& kernel, const onnx::ImportOptions& options,
                                  std::vector<onnx::Note>& notes) {
  ops::Extents extents;
  for (const auto& [symbol, extent] : options.symbols) {
    if (std::ranges::find(kernel.symbols, symbol) == kernel.symbols.end())
      return misfit(fmt::format("the kernel has no symbol '{}'", symbol), "--set",
                    kernel.symbols.empty()
                        ? "all its extents are numbers"
                        : fmt::format("its symbols: {}", fmt::join(kernel.symbols, ", ")));
    if (extent < 0)
      return misfit(fmt::format("symbol '{}' cannot be {}", symbol, extent), "--set",
                    "an extent is 0 or more");
    TRY_VOID(set(extents, symbol, extent, "--set"));
  }
  std::vector<std::string> names;
  for (const te::Tensor& input : kernel.inputs) names.push_back(input.name);
  for (const auto& [name, shape] : options.shapes) {
    const auto input = std::ranges::find(kernel.inputs, name, &te::Tensor::name);
    if (input == kernel.inputs.end())
      return misfit(fmt::format("the kernel has no input '{}'", name), {},
                    fmt::format("its inputs: {}", fmt::join(names, ", ")));
    TRY_VOID(take_shape(*input, shape, extents));
  }
  for (const std::string& symbol : kernel.symbols)
    if (extents.emplace(symbol, kernel.defaults.at(symbol)).second)
      notes.push_back({fmt::format("symbol '{0}' stands for {1}; --set {0}=... says otherwise",
                                   symbol, extents.at(symbol))});
  for (const auto& [name, shape] : options.shapes) {
    const auto type =
        ops::bound_type(*std::ranges::find(kernel.inputs, name, &te::Tensor::name), extents);
    if (!type || type->shape != shape)
      return misfit(fmt::format("shape {} is given, and {} follows from the symbols",
                                to_string(shape), type ? to_string(type->shape) : "none"),
                    fmt::format("input '{}'", name));
  }
  return extents;
}

}  // namespace loopglass::kernel_file
