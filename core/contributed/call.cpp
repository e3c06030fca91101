#include "core/contributed/call.h"

#include "core/contributed/text.h"
#include "core/support/check.h"

#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::contributed {

namespace {

template <class T>
T held_or(const ops::Attributes& attributes, const std::string& name, T fallback) {
  const ops::AttributeValue* value = attributes.find(name);
  if (value == nullptr) return fallback;
  const T* held = std::get_if<T>(value);
  return held == nullptr ? fallback : *held;
}

}  // namespace

const Call::Operand* Call::find(std::string_view operand) const {
  const auto found = std::ranges::find(operands_, operand, &Operand::name);
  return found == operands_.end() || !found->type ? nullptr : &*found;
}

bool Call::has(std::string_view operand) const { return find(operand) != nullptr; }

std::string Call::or_none(std::string_view operand) const {
  return has(operand) ? std::string(operand) : "";
}

DataType Call::type(std::string_view operand) const {
  CHECK(has(operand), "an operand's type was asked for that is left out");
  return find(operand)->type->type;
}

const Shape& Call::shape(std::string_view operand) const {
  CHECK(has(operand), "an operand's shape was asked for that is left out");
  return find(operand)->type->shape;
}

std::int64_t Call::extent(std::string_view operand, int axis) const {
  const Shape& extents = shape(operand);
  const auto index = axis < 0 ? std::ssize(extents) + axis : axis;
  CHECK(index >= 0 && index < std::ssize(extents), "an operand has no such axis");
  return extents[static_cast<std::size_t>(index)];
}

std::optional<std::int64_t> Call::known(std::string_view operand) const {
  return has(operand) ? find(operand)->number : std::nullopt;
}

Result<void> Call::require_broadcasts(std::string_view operand, const Shape& to) const {
  const Shape& from = shape(operand);
  bool fits = from.size() <= to.size();
  for (std::size_t i = 1; fits && i <= from.size(); ++i) {
    const std::int64_t extent = from[from.size() - i];
    fits = extent == 1 || extent == to[to.size() - i];
  }
  if (fits) return {};
  return fail(Code::OperatorMisused, fmt::format("'{}' is {}, which is not repeated to {}", operand,
                                                 to_string(from), to_string(to)));
}

Result<void> Call::require_rank(std::string_view operand, std::size_t rank) const {
  if (shape(operand).size() == rank) return {};
  return fail(Code::OperatorUnsupported, fmt::format("'{}' of {} axes is not supported, only of {}",
                                                     operand, shape(operand).size(), rank));
}

std::int64_t Call::integer(const std::string& name, std::int64_t fallback) const {
  return held_or(attributes_, name, fallback);
}
double Call::real(const std::string& name, double fallback) const {
  return held_or(attributes_, name, fallback);
}
std::string Call::word(const std::string& name, std::string fallback) const {
  return held_or(attributes_, name, std::move(fallback));
}
std::vector<std::int64_t> Call::integers(const std::string& name) const {
  return held_or(attributes_, name, std::vector<std::int64_t>{});
}
std::vector<double> Call::reals(const std::string& name) const {
  return held_or(attributes_, name, std::vector<double>{});
}

std::string Call::passing_on(const std::vector<std::string>& names) const {
  std::vector<std::string> given;
  for (const std::string& name : names)
    if (has_attribute(name)) given.push_back(fmt::format("{0} = @{0}", name));
  return given.empty() ? "" : fmt::format("<{}>", fmt::join(given, ", "));
}

std::string Call::passing_on_window(std::vector<std::string> more) const {
  more.insert(more.end(), {"auto_pad", "kernel_shape", "pads", "strides"});
  return passing_on(more);
}

std::string Call::attribute_or(const std::string& name, double fallback) const {
  return has_attribute(name) ? "@" + name : number(fallback);
}

}  // namespace loopglass::contributed
