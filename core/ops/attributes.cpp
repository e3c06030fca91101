#include "core/ops/attributes.h"

#include "core/support/check.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace loopglass::ops {

const AttributeValue* Attributes::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

void Attributes::set(std::string name, AttributeValue value) {
  values_.insert_or_assign(std::move(name), std::move(value));
}

namespace {
template <class T>
const T& held(const Attributes& attributes, const std::string& name) {
  const AttributeValue* value = attributes.find(name);
  CHECK(value != nullptr, fmt::format("there is no attribute '{}'", name));
  const T* typed = std::get_if<T>(value);
  CHECK(typed != nullptr, fmt::format("attribute '{}' is a {}", name, ops::name(kind(*value))));
  return *typed;
}
}  // namespace

std::int64_t Attributes::integer(const std::string& name) const {
  return held<std::int64_t>(*this, name);
}
double Attributes::real(const std::string& name) const { return held<double>(*this, name); }
const std::string& Attributes::string(const std::string& name) const {
  return held<std::string>(*this, name);
}
const std::vector<std::int64_t>& Attributes::integers(const std::string& name) const {
  return held<std::vector<std::int64_t>>(*this, name);
}
const std::vector<double>& Attributes::reals(const std::string& name) const {
  return held<std::vector<double>>(*this, name);
}
const Tensor& Attributes::tensor(const std::string& name) const {
  return held<Tensor>(*this, name);
}

namespace {
bool same_value(const AttributeValue& a, const AttributeValue& b) {
  return std::visit(
      [&]<class T>(const T& left) {
        const T* right = std::get_if<T>(&b);
        if (right == nullptr) return false;
        if constexpr (std::is_same_v<T, Tensor>) return left.same_content(*right);
        else return left == *right;
      },
      a);
}

// Tensors of more elements than this are abridged.
constexpr std::int64_t shown_elements = 16;

std::string text(std::int64_t value) { return fmt::format("{}", value); }
std::string text(double value) {
  std::string digits = fmt::format("{}", value);
  return digits.find_first_not_of("-0123456789") == std::string::npos ? digits + ".0" : digits;
}
std::string text(const std::string& value) { return quote(value); }
template <class T>
std::string text(const std::vector<T>& values) {
  std::vector<std::string> parts;
  for (const T& value : values) parts.push_back(text(value));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}
std::string text(const Tensor& tensor) {
  std::vector<std::string> parts;
  for (std::int64_t i = 0; i < std::min(tensor.elements(), shown_elements); ++i)
    parts.push_back(is_float(tensor.data_type()) ? fmt::format("{}", tensor.double_at(i))
                                                 : fmt::format("{}", tensor.integer_at(i)));
  if (tensor.elements() > shown_elements) parts.emplace_back("...");
  return fmt::format("tensor({}: {})", loopglass::to_string(tensor.type()), fmt::join(parts, ", "));
}
}  // namespace

bool operator==(const Attributes& a, const Attributes& b) {
  return a.all().size() == b.all().size() &&
         std::equal(a.all().begin(), a.all().end(), b.all().begin(),
                    [](const auto& left, const auto& right) {
                      return left.first == right.first && same_value(left.second, right.second);
                    });
}

std::string to_string(const AttributeValue& value) {
  return std::visit([](const auto& held) { return text(held); }, value);
}

std::string_view name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Int: return "int";
    case AttributeKind::Float: return "float";
    case AttributeKind::String: return "string";
    case AttributeKind::Ints: return "ints";
    case AttributeKind::Floats: return "floats";
    case AttributeKind::Strings: return "strings";
    case AttributeKind::Tensor: return "tensor";
  }
  throw InternalError("an attribute kind outside its enumeration");
}

}  // namespace loopglass::ops
