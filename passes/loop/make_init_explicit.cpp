#include "passes/loop/make_init_explicit.h"

#include "core/expr/condition.h"
#include "core/loop/rewrite.h"

namespace loopglass::passes {

using namespace loop;

Result<loop::Func> make_init_explicit(const loop::Func& func, pass::Report& report) {
  return with_body(
      func, rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
        const Block* block = loop::as<Block>(stmt);
        if (!block || !block->init) return stmt;
        Expr first;
        for (const loop::IterVar& iter : block->iters)
          if (iter.reduction)
            first = expr::conjunction(first, expr::equal(expr::variable(iter.name), Expr(0)));
        Block explicit_block = *block;
        const Stmt init =
            first.defined() ? loop::make(loop::If{first, block->init, nullptr}) : block->init;
        explicit_block.init = nullptr;
        explicit_block.body = loop::sequence({init, block->body});
        report.rewrite({"init-to-condition", {}, {}, block->name});
        return loop::make(std::move(explicit_block));
      }));
}

pass::Words make_init_explicit_words() {
  return {{pass::Word::Kind::Rule, "init-to-condition",
           "The initial value of a sum becomes a store on the first iteration."}};
}

}  // namespace loopglass::passes
