#include "core/expr/parse.h"

#include "core/expr/arithmetic.h"
#include "core/expr/precedence.h"

#include <fmt/format.h>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace loopglass::expr {

namespace {

// Deeper nesting than any expression of ours, and shallow enough for any stack.
constexpr int maximum_depth = 500;
// A sum of as many terms is as deep.
constexpr int maximum_operators = 10'000;

// Longer spellings before their prefixes.
constexpr std::array infix{
    BinaryOperator::ShiftLeft,    BinaryOperator::ShiftRight, BinaryOperator::LessEqual,
    BinaryOperator::GreaterEqual, BinaryOperator::Equal,      BinaryOperator::NotEqual,
    BinaryOperator::Less,         BinaryOperator::Greater,    BinaryOperator::Add,
    BinaryOperator::Sub,          BinaryOperator::Mul,        BinaryOperator::Div,
    BinaryOperator::Mod,          BinaryOperator::FloorDiv,   BinaryOperator::FloorMod,
    BinaryOperator::And,          BinaryOperator::Or,         BinaryOperator::BitAnd,
    BinaryOperator::BitOr,        BinaryOperator::BitXor};
constexpr std::array named_binary{BinaryOperator::Pow, BinaryOperator::Min, BinaryOperator::Max,
                                  BinaryOperator::DotPairs, BinaryOperator::DotQuads};

class Parser {
 public:
  Parser(TextCursor& cursor, const BufferTypes& buffers) : cursor_(cursor), buffers_(buffers) {}

  Result<Expr> expression(int level = precedence::disjunction) {
    if (++depth_ > maximum_depth) return cursor_.error("the expression is nested too deeply");
    auto result = infix_chain(level);
    --depth_;
    return result;
  }

 private:
  Result<Expr> infix_chain(int level) {
    Expr left = TRY(prefixed());
    while (true) {
      cursor_.peek();  // the operator, behind blanks
      const std::size_t before = cursor_.position();
      const auto op = accept_infix();
      if (!op) return left;
      const int binding = precedence::of(*op);
      if (binding < level) {
        cursor_.rewind(before);
        return left;
      }
      const Expr right = TRY(expression(binding + 1));
      left = TRY(combined(*op, left, right, before));
    }
  }

  std::optional<BinaryOperator> accept_infix() {
    for (const BinaryOperator op : infix)
      if (cursor_.accept(name(op))) return op;
    return std::nullopt;
  }

  std::unexpected<Diagnostic> error_at(std::size_t position, std::string what) {
    cursor_.rewind(position);
    return cursor_.error(std::move(what));
  }

  Result<Expr> combined(BinaryOperator op, Expr left, Expr right, std::size_t at) {
    if (++operators_ > maximum_operators)
      return error_at(at,
                      fmt::format("more than {} operators in one expression", maximum_operators));
    unify(left, right);
    if (left.type() != right.type())
      return error_at(at, fmt::format("'{}' of {} and {}", name(op), loopglass::name(left.type()),
                                      loopglass::name(right.type())));
    if (!accepts(op, left.type()))
      return error_at(at, fmt::format("'{}' of {}", name(op), loopglass::name(left.type())));
    return binary(op, left, right);
  }

  static void unify(Expr& left, Expr& right) {
    if (left.type() == right.type()) return;
    if (const auto number = number_as(right, left.type())) right = *number;
    else if (const auto other = number_as(left, right.type())) left = *other;
  }

  Result<Expr> applied(UnaryOperator op, const Expr& operand, std::size_t at) {
    if (!accepts(op, operand.type()))
      return error_at(at, fmt::format("'{}' of {}", name(op), loopglass::name(operand.type())));
    return unary(op, operand);
  }

  Result<Expr> prefixed() {
    cursor_.peek();  // the position behind blanks
    const std::size_t at = cursor_.position();
    if (cursor_.accept(name(UnaryOperator::Not)))
      return applied(UnaryOperator::Not, TRY(expression(precedence::negation)), at);
    if (cursor_.accept(name(UnaryOperator::BitNot)))
      return applied(UnaryOperator::BitNot, TRY(expression(precedence::prefix)), at);
    if (cursor_.accept("-")) {
      if (starts_number()) return number(true);
      return applied(UnaryOperator::Negate, TRY(expression(precedence::prefix)), at);
    }
    if (starts_number()) return number(false);
    if (cursor_.accept("(")) {
      Expr inner = TRY(expression());
      TRY_VOID(cursor_.expect(")"));
      return inner;
    }
    if (const auto word = cursor_.accept_identifier()) return named(*word, at);
    return cursor_.error("expected an expression");
  }

  bool starts_number() {
    const char next = cursor_.peek();
    if (next >= '0' && next <= '9') return true;
    const std::size_t at = cursor_.position();
    const bool word = cursor_.accept("inf") || cursor_.accept("nan");
    cursor_.rewind(at);
    return word;
  }

  Result<Expr> number(bool negative) {
    const std::size_t at = cursor_.position();
    const std::string digits = (negative ? "-" : "") + TRY(cursor_.number());
    const bool real = digits.find_first_of(".einf") != std::string::npos;
    if (cursor_.accept("f"))
      return floating(DataType::Float32, static_cast<double>(std::strtof(digits.c_str(), nullptr)));
    if (cursor_.accept("h"))
      return floating(DataType::Float16, static_cast<double>(std::strtof(digits.c_str(), nullptr)));
    if (real) return floating(DataType::Float64, std::strtod(digits.c_str(), nullptr));
    for (const DataType type : {DataType::Int8, DataType::Int16, DataType::Int32, DataType::UInt8,
                                DataType::UInt16, DataType::UInt32, DataType::UInt64})
      if (cursor_.accept(
              fmt::format("{}{}", is_signed_integer(type) ? 'i' : 'u', byte_size(type) * 8)))
        return whole(type, digits, at);
    return whole(DataType::Int64, digits, at);
  }

  Result<Expr> whole(DataType type, const std::string& digits, std::size_t at) {
    return visit_type(type, [&](auto element) -> Result<Expr> {
      using T = decltype(element);
      if constexpr (is_float_type<T> || std::is_same_v<T, bool>)
        return cursor_.error("expected an integer");
      else {
        T value{};
        const auto [end, status] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status != std::errc{})
          return error_at(at, fmt::format("{} does not fit {}", digits, loopglass::name(type)));
        return integer(type, static_cast<std::int64_t>(value));
      }
    });
  }

  Result<Expr> named(const std::string& word, std::size_t at) {
    if (word == "true" || word == "false") return boolean(word == "true");
    if (cursor_.accept("[")) return loaded(word, at);
    if (cursor_.accept("(")) return call(word, at);
    if (!is_name(word)) return error_at(at, fmt::format("'{}' cannot name a variable", word));
    return variable(word);
  }

  Result<std::vector<Expr>> list(std::string_view close) {
    std::vector<Expr> items;
    if (cursor_.accept(close)) return items;
    do items.push_back(TRY(expression()));
    while (cursor_.accept(","));
    TRY_VOID(cursor_.expect(close));
    return items;
  }

  Result<Expr> loaded(const std::string& buffer, std::size_t at) {
    const auto type = buffers_ ? buffers_(buffer) : std::nullopt;
    if (!type) return error_at(at, fmt::format("there is no buffer '{}' here", buffer));
    std::vector<Expr> indices = TRY(list("]"));
    for (const Expr& index : indices)
      if (index.type() != DataType::Int64)
        return error_at(at, fmt::format("index {} of '{}' is {}, not int64", to_string(index),
                                        buffer, loopglass::name(index.type())));
    return load(*type, buffer, std::move(indices));
  }

  Result<Expr> call(const std::string& function, std::size_t at) {
    const std::vector<Expr> arguments = TRY(list(")"));
    const auto takes = [&](std::size_t count) { return arguments.size() == count; };
    if (const auto type = data_type_named(function); type && takes(1))
      return cast(*type, arguments[0]);
    if (function == "select" && takes(3)) return selected(arguments, at);
    for (const BinaryOperator op : named_binary)
      if (function == name(op) && takes(2)) return combined(op, arguments[0], arguments[1], at);
    for (auto op = UnaryOperator::Negate; op <= UnaryOperator::IsInf;
         op = static_cast<UnaryOperator>(static_cast<int>(op) + 1))
      if (function == name(op) && takes(1)) return applied(op, arguments[0], at);
    return error_at(
        at, fmt::format("there is no function '{}' of {} operands", function, arguments.size()));
  }

  Result<Expr> selected(std::vector<Expr> arguments, std::size_t at) {
    unify(arguments[1], arguments[2]);
    if (arguments[0].type() != DataType::Bool)
      return error_at(at, "the condition of a select is not bool");
    if (arguments[1].type() != arguments[2].type())
      return error_at(at,
                      fmt::format("select between {} and {}", loopglass::name(arguments[1].type()),
                                  loopglass::name(arguments[2].type())));
    return select(arguments[0], arguments[1], arguments[2]);
  }

  TextCursor& cursor_;
  const BufferTypes& buffers_;
  int depth_ = 0, operators_ = 0;
};

}  // namespace

namespace {

// Whether an operation on whole numbers gives the same in any type that holds all of them.
bool is_as_of_whole_numbers(BinaryOperator op, DataType type) {
  switch (op) {
    case BinaryOperator::Add:
    case BinaryOperator::Mul:
    case BinaryOperator::Min:
    case BinaryOperator::Max: return true;
    case BinaryOperator::Sub: return !is_unsigned_integer(type);
    default: return false;
  }
}

}  // namespace

std::optional<Expr> number_as(const Expr& number, DataType type) {
  if (number.type() == type) return number;
  if (const auto* choice = number.as<Select>()) {
    const auto first = number_as(choice->when_true, type),
               second = number_as(choice->when_false, type);
    return first && second ? std::optional(select(choice->condition, *first, *second))
                           : std::nullopt;
  }
  const bool is_real = number.type() == DataType::Float64;
  if (const auto* node = number.as<Binary>(); node && node->left.type() == number.type()) {
    if (!is_real && !is_as_of_whole_numbers(node->op, type)) return std::nullopt;
    const auto left = number_as(node->left, type), right = number_as(node->right, type);
    return left && right && accepts(node->op, type) ? std::optional(binary(node->op, *left, *right))
                                                    : std::nullopt;
  }
  if (const auto* node = number.as<Unary>();
      node && node->op == UnaryOperator::Negate && !is_unsigned_integer(type)) {
    const auto operand = number_as(node->operand, type);
    return operand ? std::optional(-*operand) : std::nullopt;
  }
  const auto* whole = number.as<IntConstant>();
  const auto* real = number.as<FloatConstant>();
  if (whole && number.type() == DataType::Int64 && type != DataType::Bool &&
      (whole->value >= 0 || !is_integer(type) || is_signed_integer(type))) {
    const Expr cast = is_integer(type) ? integer(type, whole->value)
                                       : floating(type, static_cast<double>(whole->value));
    const auto* kept = cast.as<IntConstant>();
    const auto* rounded = cast.as<FloatConstant>();
    const bool fits = kept ? kept->value == whole->value
                           : rounded && rounded->value == static_cast<double>(whole->value);
    return fits ? std::optional(cast) : std::nullopt;
  }
  if (real && number.type() == DataType::Float64 && !is_integer(type) && type != DataType::Bool)
    return floating(type, real->value);
  return std::nullopt;
}

Result<Expr> parse(TextCursor& cursor, const BufferTypes& buffers) {
  return Parser(cursor, buffers).expression();
}

Result<Expr> parse(std::string_view text, const BufferTypes& buffers) {
  TextCursor cursor(text);
  Expr result = TRY(parse(cursor, buffers));
  if (!cursor.at_end()) return cursor.error("expected the end of the expression");
  return result;
}

}  // namespace loopglass::expr
