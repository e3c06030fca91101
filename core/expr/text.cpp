// Printing scalar expressions; parse.cpp is the inverse.
#include "core/expr/expr.h"
#include "core/expr/precedence.h"

#include <fmt/format.h>
#include <array>
#include <cmath>
#include <initializer_list>

namespace loopglass::expr {

namespace {

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

// Appends to one text, so that the time taken is in proportion to the text, however deep it nests.
class Printer {
 public:
  explicit Printer(std::string& out) : out_(out) {}

  // `outer`: how tightly what stands around binds.
  void print(const Expr& e, int outer = 0) {
    if (!e.defined()) return put("undefined");
    std::visit([&](const auto& value) { node(e.type(), outer, value); }, e.node().value);
  }

 private:
  void put(std::string_view text) { out_ += text; }

  void list(const std::vector<Expr>& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) put(", ");
      print(items[i]);
    }
  }
  void call(std::string_view name, std::initializer_list<Expr> arguments) {
    put(name);
    put("(");
    for (const Expr& argument : arguments) {
      if (&argument != arguments.begin()) put(", ");
      print(argument);
    }
    put(")");
  }
  template <class Inside>
  void parenthesised(bool wanted, Inside&& inside) {
    if (wanted) put("(");
    inside();
    if (wanted) put(")");
  }

  void node(DataType type, int, const IntConstant& v) { put(integer_text(type, v.value)); }
  void node(DataType type, int, const FloatConstant& v) { put(float_text(type, v.value)); }
  void node(DataType, int, const Variable& v) { put(v.name); }
  void node(DataType, int, const Load& v) {
    put(v.buffer);
    put("[");
    list(v.indices);
    put("]");
  }
  void node(DataType, int outer, const Unary& v) {
    const bool negation = v.op == UnaryOperator::Not;
    if (!negation && v.op != UnaryOperator::Negate && v.op != UnaryOperator::BitNot)
      return call(name(v.op), {v.operand});
    const int level = negation ? precedence::negation : precedence::prefix;
    parenthesised(level < outer, [&] {
      put(negation ? "not " : name(v.op));
      print(v.operand, negation ? level : level + 1);
    });
  }
  void node(DataType, int outer, const Binary& v) {
    const int level = precedence::of(v.op);
    if (level == precedence::call) return call(name(v.op), {v.left, v.right});
    parenthesised(level < outer, [&] {
      // Comparisons do not chain; everything else groups to the left.
      print(v.left, level == precedence::comparison ? level + 1 : level);
      put(" ");
      put(name(v.op));
      put(" ");
      print(v.right, level + 1);
    });
  }
  void node(DataType, int, const Select& v) {
    call("select", {v.condition, v.when_true, v.when_false});
  }
  void node(DataType type, int, const Cast& v) { call(loopglass::name(type), {v.operand}); }

  std::string& out_;
};

}  // namespace

std::string_view name(UnaryOperator op) {
  static constexpr std::array<std::string_view, 28> names{
      "-",     "not",        "~",    "abs",   "sign",       "exp",    "log",
      "sqrt",  "reciprocal", "erf",  "sin",   "cos",        "tan",    "asin",
      "acos",  "atan",       "sinh", "cosh",  "tanh",       "asinh",  "acosh",
      "atanh", "floor",      "ceil", "trunc", "round_even", "is_nan", "is_inf"};
  static_assert(names.size() == static_cast<std::size_t>(UnaryOperator::IsInf) + 1);
  return names[static_cast<std::size_t>(op)];
}

std::string_view name(BinaryOperator op) {
  static constexpr std::array<std::string_view, 25> names{
      "+",         "-",   "*",  "/", "%",  "floordiv", "floormod", "pow", "min",
      "max",       "and", "or", "&", "|",  "^",        "<<",       ">>",  "dot_pairs",
      "dot_quads", "==",  "!=", "<", "<=", ">",        ">="};
  static_assert(names.size() == static_cast<std::size_t>(BinaryOperator::GreaterEqual) + 1);
  return names[static_cast<std::size_t>(op)];
}

std::string to_string(const Expr& e) {
  std::string text;
  Printer(text).print(e);
  return text;
}

}  // namespace loopglass::expr
