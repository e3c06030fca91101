// The interpreter that runs batches of lanes against the plain one, which is right by definition.
#include "core/loop/reference_interpreter.h"
#include "core/expr/arithmetic.h"
#include "core/expr/rewrite.h"
#include "core/loop/walk.h"
#include "core/support/check.h"
#include "loop_text.h"
#include "random_func.h"

#include <fmt/format.h>
#include <cstdlib>
#include <cstring>
#include <set>

namespace loopglass::loop {
namespace {

std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    result.emplace_back(tensor.type());
    std::copy_n(tensor.data(), tensor.bytes(), result.back().data());
  }
  return result;
}

// To the bit; which NaN it is nothing in a nest can tell.
bool identical(const Tensor& a, const Tensor& b) {
  return visit_type(a.data_type(), [&](auto element) {
    using T = decltype(element);
    const auto left = a.as<T>(), right = b.as<T>();
    for (std::size_t i = 0; i < left.size(); ++i) {
      if constexpr (expr::is_float_type<T>)
        if (left[i] != left[i] && right[i] != right[i]) continue;
      if (std::memcmp(&left[i], &right[i], sizeof(T)) != 0) return false;
    }
    return true;
  });
}

// What of the language the funcs have met: a generator that stopped short would show here.
class Coverage {
 public:
  void add(const Func& func) {
    walk(func.body, [&](const Stmt& stmt) {
      statements_.insert(stmt->value.index());
      each_expr(stmt, [&](const Expr& e) {
        expr::visit(e, [&](const Expr& node) {
          if (const auto* unary = node.as<expr::Unary>())
            unaries_.insert({static_cast<int>(unary->op), unary->operand.type()});
          if (const auto* binary = node.as<expr::Binary>())
            binaries_.insert({static_cast<int>(binary->op), binary->left.type()});
          if (const auto* cast = node.as<expr::Cast>())
            casts_.insert({node.type(), cast->operand.type()});
        });
      });
    });
  }

  void expect_everything() const {
    constexpr int types = static_cast<int>(DataType::Bool) + 1;
    EXPECT_EQ(statements_.size(), std::variant_size_v<decltype(StmtNode::value)>);
    EXPECT_EQ(casts_.size(), static_cast<std::size_t>(types * (types - 1)));
    for (int t = 0; t < types; ++t) {
      const auto type = static_cast<DataType>(t);
      for (int op = 0; op <= static_cast<int>(expr::UnaryOperator::IsInf); ++op)
        if (const auto unary = static_cast<expr::UnaryOperator>(op); expr::accepts(unary, type)) {
          EXPECT_TRUE(unaries_.contains({op, type})) << expr::name(unary) << " on " << name(type);
        }
      for (int op = 0; op <= static_cast<int>(expr::BinaryOperator::GreaterEqual); ++op)
        if (const auto binary = static_cast<expr::BinaryOperator>(op);
            expr::accepts(binary, type)) {
          EXPECT_TRUE(binaries_.contains({op, type})) << expr::name(binary) << " on " << name(type);
        }
    }
  }

 private:
  std::set<std::size_t> statements_;
  std::set<std::pair<int, DataType>> unaries_, binaries_;
  std::set<std::pair<DataType, DataType>> casts_;
};

// LOOPGLASS_SEEDS=first:last runs others.
TEST(ReferenceInterpreter, AgreesToTheBitOnAnyNest) {
  unsigned long first = 1, last = 6000;
  if (const char* seeds = std::getenv("LOOPGLASS_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &last), 2);
  }
  Coverage coverage;
  for (unsigned long seed = first; seed <= last; ++seed) {
    const Func func = random_func(static_cast<std::uint32_t>(seed));
    const auto sound = verify(func);
    ASSERT_TRUE(sound) << "seed " << seed << ": " << to_string(sound.error()) << to_text(func);
    coverage.add(func);
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<Tensor> arguments;
    for (const Buffer& parameter : func.parameters) {
      arguments.emplace_back(TensorType{parameter.type, te::concrete(parameter.shape)});
      fill_with_anything(arguments.back(), random);
    }
    const std::map<std::string, std::int64_t> symbols{{"n", static_cast<std::int64_t>(seed % 4)}};
    std::vector<Tensor> plain = copies(arguments), fast = copies(arguments);
    interpret_plainly(func, plain, symbols);
    interpret(func, fast, symbols);
    for (std::size_t k = 0; k < arguments.size(); ++k)
      ASSERT_TRUE(identical(plain[k], fast[k]))
          << "'" << func.parameters[k].name << "' of seed " << seed << ", n = " << seed % 4 << "\n"
          << to_text(func);
  }
  if (last - first >= 5999) coverage.expect_everything();
}

// Both name the access that leaves its buffer, in the same words.
TEST(ReferenceInterpreter, RefusesTheSameAccesses) {
  for (const std::string_view text :
       {"func f(Y: float32[4] output) { for i in 5 { Y[i] = 1.0f } }",
        "func f(Y: float32[4] output) { for i in 4 { block b(a = i) { Y[a] = Y[a - 1] } } }",
        "func f(Y: float32[2, 4] output) { for i in 5 { block b(a = i) { Y[0, a] = 0.0f } } }"}) {
    const Func func = read(text);
    const auto message = [&](auto&& run) -> std::string {
      std::vector<Tensor> arguments{
          Tensor({DataType::Float32, te::concrete(func.parameters[0].shape)})};
      try {
        run(arguments);
      } catch (const InternalError& error) {
        return error.what();
      }
      return "no error";
    };
    const std::string plain = message([&](auto& tensors) { interpret_plainly(func, tensors); });
    EXPECT_NE(plain.find("outside its shape"), std::string::npos) << plain;
    EXPECT_EQ(plain, message([&](auto& tensors) { interpret(func, tensors); }));
  }
}

TEST(ReferenceInterpreter, ReportsEveryAccessInOrder) {
  const Func func = read(R"(func f(X: float32[2, 2] input, Y: float32[2] output) {
    for i in 2 { for k in 2 { block s(a = i, reduce r = k) by sum {
      where a > 0
      init { Y[a] = 0.0f }
      Y[a] = Y[a] + X[a, r]
    } } }
  })");
  std::vector<Tensor> arguments{floats({2, 2}, {1, 2, 3, 4}), floats({2}, {9, 9})};
  std::string seen;
  interpret_plainly(func, arguments, {}, [&](const AccessEvent& event) {
    seen += fmt::format("{}{}{}@{},{} ", event.buffer, event.is_store ? "=" : "", event.element,
                        event.variables.at("a"), event.variables.at("k"));
  });
  EXPECT_EQ(seen, "Y=1@1,0 Y1@1,0 X2@1,0 Y=1@1,0 Y1@1,1 X3@1,1 Y=1@1,1 ");
  EXPECT_EQ(values<float>(arguments[1]), (std::vector<float>{9, 7}));
}

}  // namespace
}  // namespace loopglass::loop
