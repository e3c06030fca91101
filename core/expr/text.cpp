// Printing scalar expressions; parse.cpp is the inverse.
#include "core/expr/expr.h"
#include "core/expr/precedence.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::expr {

namespace {

std::string to_text(const Expr& e, int outer);

std::string float_text(DataType type, double value) {
  const std::string_view suffix = type == DataType::Float32   ? "f"
                                  : type == DataType::Float16 ? "h"
                                                              : "";
  if (!std::isfinite(value)) {
    // 'inff' would read as a name, so a narrow infinity is a converted one.
    const std::string_view word = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return suffix.empty() ? std::string(word) : fmt::format("{}({})", name(type), word);
  }
  std::string digits = type == DataType::Float64 ? fmt::format("{}", value)
                                                 : fmt::format("{}", static_cast<float>(value));
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + std::string(suffix);
}

std::string integer_text(DataType type, std::int64_t value) {
  if (type == DataType::Bool) return value ? "true" : "false";
  if (type == DataType::Int64) return fmt::format("{}", value);
  const std::string_view letter = is_signed_integer(type) ? "i" : "u";
  const std::string digits = type == DataType::UInt64
                                 ? fmt::format("{}", static_cast<std::uint64_t>(value))
                                 : fmt::format("{}", value);
  return fmt::format("{}{}{}", digits, letter, byte_size(type) * 8);
}

std::string list(const std::vector<Expr>& items) {
  std::vector<std::string> texts;
  for (const Expr& item : items) texts.push_back(to_text(item, 0));
  return fmt::format("{}", fmt::join(texts, ", "));
}

struct Printer {
  DataType type;
  int outer;

  std::string wrap(int level, std::string text) const {
    return level < outer ? '(' + text + ')' : text;
  }

  std::string operator()(const IntConstant& v) const { return integer_text(type, v.value); }
  std::string operator()(const FloatConstant& v) const { return float_text(type, v.value); }
  std::string operator()(const Variable& v) const { return v.name; }
  std::string operator()(const Load& v) const {
    return fmt::format("{}[{}]", v.buffer, list(v.indices));
  }
  std::string operator()(const Unary& v) const {
    switch (v.op) {
      case UnaryOperator::Not:
        return wrap(precedence::negation, "not " + to_text(v.operand, precedence::negation));
      case UnaryOperator::Negate:
      case UnaryOperator::BitNot:
        return wrap(precedence::prefix,
                    fmt::format("{}{}", name(v.op), to_text(v.operand, precedence::prefix + 1)));
      default: return fmt::format("{}({})", name(v.op), to_text(v.operand, 0));
    }
  }
  std::string operator()(const Binary& v) const {
    const int level = precedence::of(v.op);
    if (level == precedence::call)
      return fmt::format("{}({}, {})", name(v.op), to_text(v.left, 0), to_text(v.right, 0));
    // Comparisons do not chain; everything else groups to the left.
    const int left = level == precedence::comparison ? level + 1 : level;
    return wrap(level, fmt::format("{} {} {}", to_text(v.left, left), name(v.op),
                                   to_text(v.right, level + 1)));
  }
  std::string operator()(const Select& v) const {
    return fmt::format("select({}, {}, {})", to_text(v.condition, 0), to_text(v.when_true, 0),
                       to_text(v.when_false, 0));
  }
  std::string operator()(const Cast& v) const {
    return fmt::format("{}({})", loopglass::name(type), to_text(v.operand, 0));
  }
};

std::string to_text(const Expr& e, int outer) {
  return e.defined() ? std::visit(Printer{e.type(), outer}, e.node().value) : "undefined";
}

}  // namespace

std::string_view name(UnaryOperator op) {
  static constexpr std::array<std::string_view, 28> names{
      "-",     "not",        "~",    "abs",   "sign",       "exp",    "log",
      "sqrt",  "reciprocal", "erf",  "sin",   "cos",        "tan",    "asin",
      "acos",  "atan",       "sinh", "cosh",  "tanh",       "asinh",  "acosh",
      "atanh", "floor",      "ceil", "trunc", "round_even", "is_nan", "is_inf"};
  return names[static_cast<std::size_t>(op)];
}

std::string_view name(BinaryOperator op) {
  static constexpr std::array<std::string_view, 23> names{
      "+", "-", "*", "/",  "%",  "floordiv", "floormod", "pow", "min", "max", "and", "or",
      "&", "|", "^", "<<", ">>", "==",       "!=",       "<",   "<=",  ">",   ">="};
  return names[static_cast<std::size_t>(op)];
}

std::string to_string(const Expr& e) { return to_text(e, 0); }

}  // namespace loopglass::expr
