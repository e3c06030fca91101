// Attribute values of operators: a small, ordered map from name to value.
#pragma once

#include "core/tensor/tensor.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::ops {

// Which alternative an AttributeValue holds, in the variant's order.
enum class AttributeKind : std::uint8_t { Int, Float, String, Ints, Floats, Strings, Tensor };

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>, Tensor>;

inline AttributeKind kind(const AttributeValue& value) {
  return static_cast<AttributeKind>(value.index());
}

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, AttributeValue>> values)
      : values_(values) {}

  bool has(const std::string& name) const { return values_.contains(name); }
  const AttributeValue* find(const std::string& name) const;
  void set(std::string name, AttributeValue value);
  void erase(const std::string& name) { values_.erase(name); }
  const std::map<std::string, AttributeValue>& all() const { return values_; }

  // CHECK that the attribute is there with that type (defaults are filled in before `infer` runs).
  std::int64_t integer(const std::string& name) const;
  double real(const std::string& name) const;
  const std::string& string(const std::string& name) const;
  const std::vector<std::int64_t>& integers(const std::string& name) const;
  const std::vector<double>& reals(const std::string& name) const;
  const Tensor& tensor(const std::string& name) const;

 private:
  std::map<std::string, AttributeValue> values_;
};

bool operator==(const Attributes& a, const Attributes& b);  // tensors by content
// 3, 1.5, "same", [1, 2], tensor(float32[2]: 1, 2).
std::string to_string(const AttributeValue& value);
std::string_view name(AttributeKind kind);

}  // namespace loopglass::ops
