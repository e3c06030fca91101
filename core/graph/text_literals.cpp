#include "core/graph/text_literals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>

namespace loopglass::graph {

std::string value_name(const std::string& name) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
  };
  const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), plain) &&
                       !std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '.';
  return is_word ? "%" + name : "%" + quote(name);
}

Result<std::string> parse_value_name(TextCursor& cursor) {
  TRY_VOID(cursor.expect("%"));
  return cursor.peek() == '"' ? cursor.quoted() : cursor.identifier();
}

namespace {

template <class T>
std::string element_text(T element) {
  if constexpr (std::is_same_v<T, Float16>) return fmt::format("{}", static_cast<float>(element));
  else if constexpr (std::is_same_v<T, bool>) return element ? "1" : "0";
  else return fmt::format("{}", +element);
}

template <class T>
bool parse_element(const std::string& text, T& element) {
  const char* end = text.data() + text.size();
  if constexpr (std::is_same_v<T, bool>) {
    element = text == "1";
    return text == "0" || text == "1";
  } else if constexpr (std::is_same_v<T, Float16>) {
    float wide = 0;
    const bool fine = parse_element(text, wide);
    element = static_cast<Float16>(wide);
    return fine;
  } else {
    const auto [stop, status] = std::from_chars(text.data(), end, element);
    return stop == end && status == std::errc{};
  }
}

Result<Tensor> constant_by_hash(TextCursor& cursor, const TensorType& type, const Graph* known) {
  const std::uint64_t hash = TRY(cursor.hexadecimal());
  if (known != nullptr)
    for (const ValuePtr& value : known->values())
      if (value->is_constant() && value->type == type && value->constant.content_hash() == hash)
        return value->constant;
  return cursor.error("the data of this constant is not in the text and not in the graph given");
}

template <class T, class Print>
std::string list(const std::vector<T>& values, Print print) {
  std::vector<std::string> items;
  for (const T& value : values) items.push_back(print(value));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

template <class T, class Parse>
Result<std::vector<T>> parse_list(TextCursor& cursor, Parse parse) {
  TRY_VOID(cursor.expect("["));
  std::vector<T> values;
  while (!cursor.accept("]")) {
    if (!values.empty()) TRY_VOID(cursor.expect(","));
    values.push_back(TRY(parse()));
  }
  return values;
}

}  // namespace

std::string tensor_elements(const Tensor& tensor, std::int64_t limit) {
  if (limit >= 0 && tensor.elements() > limit)
    return fmt::format("hash 0x{:016x}", tensor.content_hash());
  return visit_type(tensor.data_type(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::string> items;
    for (const T element : tensor.as<T>()) items.push_back(element_text(element));
    return fmt::format("[{}]", fmt::join(items, ", "));
  });
}

Result<Tensor> parse_elements(TextCursor& cursor, const TensorType& type, const Graph* known) {
  if (cursor.accept("hash")) return constant_by_hash(cursor, type, known);
  const auto items = TRY(parse_list<std::string>(cursor, [&] { return cursor.number(); }));
  // Before memory is taken for what a short text only claims to have.
  if (checked_element_count(type.shape) != static_cast<std::int64_t>(items.size()))
    return cursor.error(fmt::format("{} elements for {}", items.size(), to_string(type)));
  Tensor tensor = TRY(Tensor::allocate(type));
  const bool fine = visit_type(type.type, [&](auto zero) {
    using T = decltype(zero);
    const auto elements = tensor.as<T>();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (!parse_element(items[i], elements[i])) return false;
    return true;
  });
  if (!fine) return cursor.error(fmt::format("an element is not a {}", name(type.type)));
  return tensor;
}

std::string attribute_literal(const ops::AttributeValue& value, std::int64_t limit) {
  const auto number = [](auto n) { return fmt::format("{}", n); };
  return std::visit(
      [&]<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, std::string>) return quote(held);
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          return list(held, [](const auto& s) { return quote(s); });
        else if constexpr (std::is_same_v<T, Tensor>)
          return fmt::format("{} {}", to_string(held.type()), tensor_elements(held, limit));
        else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
          return number(held);
        else return list(held, number);
      },
      value);
}

Result<ops::AttributeValue> parse_attribute(TextCursor& cursor, ops::AttributeKind kind,
                                            const Graph* known) {
  const auto real = [&]() -> Result<double> {
    const std::string text = TRY(cursor.number());
    double value = 0;
    if (!parse_element(text, value)) return cursor.error("expected a number");
    return value;
  };
  switch (kind) {
    case ops::AttributeKind::Int: return TRY(cursor.integer());
    case ops::AttributeKind::Float: return TRY(real());
    case ops::AttributeKind::String: return TRY(cursor.quoted());
    case ops::AttributeKind::Ints:
      return TRY(parse_list<std::int64_t>(cursor, [&] { return cursor.integer(); }));
    case ops::AttributeKind::Floats: return TRY(parse_list<double>(cursor, real));
    case ops::AttributeKind::Strings:
      return TRY(parse_list<std::string>(cursor, [&] { return cursor.quoted(); }));
    case ops::AttributeKind::Tensor: {
      const TensorType type = TRY(parse_type(cursor));
      return TRY(parse_elements(cursor, type, known));
    }
  }
  __builtin_unreachable();
}

}  // namespace loopglass::graph
