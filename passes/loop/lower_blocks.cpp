#include "passes/loop/lower_blocks.h"

#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/rewrite.h"

namespace loopglass::passes {

using namespace loop;

namespace {

Stmt lowered(const Block& block) {
  const Bindings bindings = bindings_of(block);
  const auto bound = [&](const Expr& e) { return expr::substitute(e, bindings); };
  Stmt body = block.init ? loop::sequence({block.init, block.body}) : block.body;
  body = rewrite(rewrite_exprs(body, bound), [&](const Stmt& stmt) -> Stmt {
    const loop::Store* store = loop::as<loop::Store>(stmt);
    if (!store) return stmt;
    loop::Store named = *store;
    named.origin.merge(block.origin);
    return loop::make(std::move(named));
  });
  if (!block.predicate.defined()) return body;
  return loop::make(loop::If{bound(block.predicate), body, nullptr});
}

}  // namespace

Result<loop::Func> lower_blocks(const loop::Func& func, pass::Report& report) {
  return with_body(func, rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
                     const Block* block = loop::as<Block>(stmt);
                     if (!block) return stmt;
                     report.rewrite({"block-to-statements", {}, {}, block->name});
                     return lowered(*block);
                   }));
}

pass::Words lower_blocks_words() {
  return {{pass::Word::Kind::Rule, "block-to-statements",
           "A block becomes the statements it stands for, under the condition on its iterations."}};
}

}  // namespace loopglass::passes
