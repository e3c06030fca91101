#include "core/loop/reference_interpreter.h"

#include "core/expr/arithmetic.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstring>
#include <optional>

namespace loopglass::loop {

namespace {

using Scalar =
    std::variant<Float16, float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                 std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool>;

struct Memory {
  std::uint64_t number;
  Tensor tensor;
};

class PlainInterpreter {
 public:
  PlainInterpreter(const Variables& symbols, const AccessWatch& watch)
      : variables_(symbols), watch_(watch) {}

  TensorType type_of(const Buffer& buffer) {
    TensorType type{buffer.type, {}};
    for (const Expr& extent : buffer.shape) type.shape.push_back(integer(extent));
    return type;
  }

  void bind(const Buffer& buffer, Tensor tensor) {
    CHECK(tensor.defined() && tensor.type() == type_of(buffer),
          fmt::format("argument '{}' should be {}", buffer.name, to_string(type_of(buffer))));
    memory_.insert_or_assign(buffer.name, Memory{memories_++, std::move(tensor)});
  }

  void run(const Stmt& stmt) {
    if (!stmt) return;
    const StmtNode* outer = std::exchange(statement_, stmt.get());
    std::visit([&](const auto& s) { execute(s); }, stmt->value);
    statement_ = outer;
  }

 private:
  // Statements.

  void execute(const For& s) {
    const std::int64_t extent = integer(s.extent);
    const Meaning outside = meaning_of(s.variable);
    for (std::int64_t value = 0; value < extent; ++value) {
      variables_[s.variable] = value;
      run(s.body);
    }
    restore(s.variable, outside);
  }

  // What a name means around a statement that gives it to a variable of its own.
  using Meaning = std::optional<std::int64_t>;
  Meaning meaning_of(const std::string& name) const {
    const auto known = variables_.find(name);
    return known == variables_.end() ? Meaning() : known->second;
  }
  void restore(const std::string& name, Meaning outside) {
    if (outside) variables_[name] = *outside;
    else variables_.erase(name);
  }

  void execute(const Block& s) {
    const std::string_view outer_place = std::exchange(place_, s.name);
    std::vector<std::int64_t> values;  // bindings speak of what is outside
    std::vector<Meaning> outside;
    bool first_term = true;
    for (const IterVar& iter : s.iters) {
      values.push_back(integer(iter.binding));
      outside.push_back(meaning_of(iter.name));
      first_term &= !iter.reduction || values.back() == 0;
    }
    for (std::size_t k = 0; k < values.size(); ++k) variables_[s.iters[k].name] = values[k];
    if (!s.predicate.defined() || truth(s.predicate)) {
      if (first_term) run(s.init);
      run(s.body);
    }
    for (std::size_t k = 0; k < values.size(); ++k) restore(s.iters[k].name, outside[k]);
    place_ = outer_place;
  }

  void execute(const Store& s) {
    const std::vector<std::int64_t> indices = integers(s.indices);
    const Scalar result = value(s.value);
    const std::size_t element = access(s.buffer, indices, true);
    Tensor& tensor = memory_.at(s.buffer).tensor;
    visit_type(tensor.data_type(), [&](auto type) {
      using T = decltype(type);
      tensor.as<T>()[element] = std::get<T>(result);
    });
  }

  void execute(const If& s) { run(truth(s.condition) ? s.then_body : s.else_body); }

  // A buffer begins with values that show in a result: NaN, -1, or true.
  void execute(const Alloc& s) {
    Tensor tensor(type_of(s.buffer));
    std::memset(tensor.data(), s.buffer.type == DataType::Bool ? 1 : 0xff, tensor.bytes());
    bind(s.buffer, std::move(tensor));
    run(s.body);
    memory_.erase(s.buffer.name);
  }

  void execute(const Prefetch&) {}

  void execute(const Seq& s) {
    for (const Stmt& stmt : s.statements) run(stmt);
  }

  // Expressions.

  Scalar value(const Expr& e) {
    return std::visit([&](const auto& node) { return evaluate(e.type(), node); }, e.node().value);
  }
  std::int64_t integer(const Expr& e) { return std::get<std::int64_t>(value(e)); }
  bool truth(const Expr& e) { return std::get<bool>(value(e)); }
  std::vector<std::int64_t> integers(const std::vector<Expr>& list) {
    std::vector<std::int64_t> result;
    for (const Expr& e : list) result.push_back(integer(e));
    return result;
  }

  Scalar evaluate(DataType type, const expr::IntConstant& e) {
    return visit_type(type, [&](auto t) -> Scalar { return static_cast<decltype(t)>(e.value); });
  }
  Scalar evaluate(DataType type, const expr::FloatConstant& e) {
    return visit_type(type, [&](auto t) -> Scalar { return static_cast<decltype(t)>(e.value); });
  }
  Scalar evaluate(DataType, const expr::Variable& e) {
    const auto known = variables_.find(e.name);
    CHECK(known != variables_.end(),
          fmt::format("variable '{}' has no value in '{}'", e.name, place_));
    return known->second;
  }
  Scalar evaluate(DataType type, const expr::Load& e) {
    const std::size_t element = access(e.buffer, integers(e.indices), false);
    const Tensor& tensor = memory_.at(e.buffer).tensor;
    return visit_type(type, [&](auto t) -> Scalar { return tensor.as<decltype(t)>()[element]; });
  }
  Scalar evaluate(DataType, const expr::Unary& e) {
    const Scalar operand = value(e.operand);
    return visit_type(e.operand.type(), [&](auto type) {
      using T = decltype(type);
      return expr::with_operator(e.op, [&](auto op) -> Scalar {
        if constexpr (expr::accepts<T>(op.value))
          return expr::apply<op.value>(std::get<T>(operand));
        else throw InternalError("an operator on a type that it is not for");
      });
    });
  }
  Scalar evaluate(DataType, const expr::Binary& e) {
    const Scalar left = value(e.left), right = value(e.right);
    return visit_type(e.left.type(), [&](auto type) {
      using T = decltype(type);
      return expr::with_operator(e.op, [&](auto op) -> Scalar {
        if constexpr (expr::accepts<T>(op.value))
          return expr::apply<op.value>(std::get<T>(left), std::get<T>(right));
        else throw InternalError("an operator on a type that it is not for");
      });
    });
  }
  Scalar evaluate(DataType, const expr::Select& e) {
    return value(truth(e.condition) ? e.when_true : e.when_false);
  }
  Scalar evaluate(DataType type, const expr::Cast& e) {
    const Scalar operand = value(e.operand);
    return visit_type(type, [&](auto to) {
      return std::visit([&](auto from) -> Scalar { return expr::convert<decltype(to)>(from); },
                        operand);
    });
  }

  // The element's place, which must be inside the buffer in every dimension.
  std::size_t access(const std::string& buffer, const std::vector<std::int64_t>& indices,
                     bool is_store) {
    const auto found = memory_.find(buffer);
    CHECK(found != memory_.end(), fmt::format("no buffer '{}' in '{}'", buffer, place_));
    const Shape& shape = found->second.tensor.shape();
    CHECK(indices.size() == shape.size(),
          fmt::format("{} indices into '{}' in '{}'", indices.size(), buffer, place_));
    std::int64_t element = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (indices[d] < 0 || indices[d] >= shape[d])
        throw InternalError(fmt::format("{} {}[{}], outside its shape [{}], in '{}'",
                                        is_store ? "a store to" : "a load of", buffer,
                                        fmt::join(indices, ", "), fmt::join(shape, ", "),
                                        place_.empty() ? std::string_view(buffer) : place_));
      element = element * shape[d] + indices[d];
    }
    if (watch_)
      watch_({found->first, element, is_store, found->second.number, statement_, variables_});
    return static_cast<std::size_t>(element);
  }

  Variables variables_;
  const AccessWatch& watch_;
  std::map<std::string, Memory> memory_;
  std::uint64_t memories_ = 0;
  const StmtNode* statement_ = nullptr;
  std::string_view place_;  // the block, for messages
};

}  // namespace

void interpret_plainly(const Func& func, std::span<Tensor> arguments,
                       const std::map<std::string, std::int64_t>& symbols,
                       const AccessWatch& watch) {
  CHECK(arguments.size() == func.parameters.size(),
        fmt::format("'{}' takes {} buffers, not {}", func.name, func.parameters.size(),
                    arguments.size()));
  PlainInterpreter interpreter(symbols, watch);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    interpreter.bind(func.parameters[k], arguments[k]);
  interpreter.run(func.body);
}

}  // namespace loopglass::loop
