#include "core/contributed/function.h"

#include <fmt/format.h>
#include <algorithm>
#include <iterator>

namespace loopglass::contributed {

namespace {

std::vector<Function> gather() {
  std::vector<Function> all;
  for (const auto family : {activations, attention, group_query_attention, images, matrix_products,
                            movement, non_max_suppressions, normalisations, quantised,
                            rotary_embeddings, selections, standard_attention, uniques})
    std::ranges::move(family(), std::back_inserter(all));
  std::ranges::sort(all, {}, [](const Function& f) { return std::pair(f.domain, f.name); });
  return all;
}

constexpr std::string_view optional = "?", any_number = "...";

Result<void> check_attributes(const Function& function, const ops::Attributes& attributes) {
  for (const auto& [name, value] : attributes.all()) {
    const auto known = std::ranges::find(function.attributes, name, &Function::Attribute::name);
    if (known == function.attributes.end())
      return fail(Code::AttributeUnsupported, fmt::format("attribute '{}' is not supported", name));
    if (ops::kind(value) != known->kind)
      return fail(Code::OperatorMisused,
                  fmt::format("attribute '{}' is {}, it must be {}", name,
                              ops::name(ops::kind(value)), ops::name(known->kind)));
  }
  return {};
}

}  // namespace

const std::vector<Function>& all_functions() {
  static const std::vector<Function> all = gather();
  return all;
}

Function of_onnx(int since, Function function) {
  function.domain = "";
  function.since = since;
  return function;
}

std::vector<Function::Attribute> of_a_window(std::vector<Function::Attribute> more) {
  using enum ops::AttributeKind;
  more.insert(more.end(),
              {{"auto_pad", String}, {"kernel_shape", Ints}, {"pads", Ints}, {"strides", Ints}});
  return more;
}

const Function* find(std::string_view domain, std::string_view name, int opset) {
  const std::vector<Function>& all = all_functions();
  const auto found = std::ranges::find_if(all, [&](const Function& function) {
    return function.domain == domain && function.name == name && opset >= function.since &&
           opset <= function.until;
  });
  return found == all.end() ? nullptr : &*found;
}

Result<Call> call_of(const Function& function, std::span<const TensorType* const> operands,
                     const ops::Attributes& attributes, std::size_t outputs) {
  TRY_VOID(check_attributes(function, attributes));
  std::vector<Call::Operand> named;
  const auto take = [&](std::string_view name) {
    const TensorType* type = named.size() < operands.size() ? operands[named.size()] : nullptr;
    named.push_back(
        {std::string(name), type == nullptr ? std::nullopt : std::optional<TensorType>(*type)});
    return type != nullptr;
  };
  for (std::string_view name : function.inputs) {
    if (name.ends_with(any_number)) {
      name.remove_suffix(any_number.size());
      for (std::size_t i = 0; named.size() < operands.size(); ++i)
        take(fmt::format("{}{}", name, i));
    } else if (name.ends_with(optional)) {
      name.remove_suffix(optional.size());
      take(name);
    } else if (!take(name)) {
      return fail(Code::OperatorMisused, fmt::format("'{}' is left out", name));
    }
  }
  return Call(std::move(named), attributes, outputs);
}

}  // namespace loopglass::contributed
