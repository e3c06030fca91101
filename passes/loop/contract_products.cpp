#include "passes/loop/contract_products.h"

#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

Result<loop::Func> contract_products(const loop::Func& func, pass::Report& report) {
  if (find_annotation(func.annotations, contract_annotation)) return func;
  int products = 0, sums = 0;
  walk(func.body, [&](const Stmt& stmt) {
    each_expr(stmt, [&](const Expr& e) {
      expr::visit(e, [&](const Expr& node) {
        const auto* binary = node.as<expr::Binary>();
        if (!binary || !is_float(node.type())) return;
        products += binary->op == expr::BinaryOperator::Mul;
        sums += binary->op == expr::BinaryOperator::Add || binary->op == expr::BinaryOperator::Sub;
      });
    });
  });
  if (products == 0 || sums == 0) return func;
  report.rewrite({"allow-contraction", {}, {}, func.name});
  report.remark({pass::RemarkKind::Applied,
                 "CONTRACTS",
                 func.name,
                 {{"products", products}, {"sums", sums}},
                 fmt::format("in '{}' a product and the sum that takes it may become one "
                             "instruction, which rounds once (--without contract-products: not)",
                             func.name)});
  loop::Func result = func;
  result.annotations = annotated(result.annotations, {std::string(contract_annotation), {}});
  return result;
}

pass::Words contract_products_words() {
  return {{pass::Word::Kind::Rule, "allow-contraction",
           "A product and the sum that takes it may become one operation that rounds once."},
          {pass::Word::Kind::Remark, "CONTRACTS",
           "How many products and sums of a kernel may become one operation that rounds once."}};
}

}  // namespace loopglass::passes
