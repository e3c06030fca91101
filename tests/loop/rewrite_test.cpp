// Rewriting a nest: what does not change is shared, what is left without a body disappears, and
// blocks keep their own variables.
#include "core/loop/rewrite.h"

#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "loop_text.h"

namespace loopglass::loop {
namespace {

constexpr const char* two_nests =
    R"(func f(X: float32[8] input, Y: float32[8] output, Z: float32[8] output) {
  for i in 8 {
    block y(x = i) {
      Y[x] = X[x]
    }
  }
  for j in 8 {
    block z(x = j) {
      if x < 4 {
        Z[x] = Y[x]
      } else {
        Z[x] = 0.0f
      }
    }
  }
}
)";

// Statements that `remove` picks out are taken away.
Func without(const Func& func, const std::function<bool(const Stmt&)>& remove) {
  return with_body(
      func, rewrite(func.body, [&](const Stmt& stmt) { return remove(stmt) ? Stmt() : stmt; }));
}

TEST(LoopRewrite, KeepsWhatNobodyChanges) {
  const Func func = read(two_nests);
  EXPECT_EQ(rewrite(func.body, [](const Stmt& stmt) { return stmt; }), func.body);
  EXPECT_EQ(rewrite_exprs(func.body, [](const expr::Expr& e) { return e; }), func.body);
  EXPECT_EQ(with_children(func.body, children(func.body)), func.body);
  // A change in the second nest leaves the first the same statement.
  const Func changed = without(func, [](const Stmt& stmt) {
    const Store* store = as<Store>(stmt);
    return store && store->value.as<expr::FloatConstant>();
  });
  EXPECT_EQ(children(changed.body)[0], children(func.body)[0]);
  EXPECT_NE(children(changed.body)[1], children(func.body)[1]);
}

TEST(LoopRewrite, KeepsWhatIsNotedOfAStatement) {
  const Func func = read(R"(@whole func f(X: float32[8] input, Y: float32[8] output) {
  @outer for i in 8 {
    @inner if i < 4 {
      @store Y[i] = X[i]
    }
  }
}
)");
  const auto twice = [](const expr::Expr& e) { return e.as<expr::Load>() ? e + e : e; };
  EXPECT_EQ(to_text(with_body(func, rewrite_exprs(func.body, twice))),
            R"(@whole func f(X: float32[8] input, Y: float32[8] output) {
  @outer for i in 8 {
    @inner if i < 4 {
      @store Y[i] = X[i] + X[i]
    }
  }
}
)");
}

TEST(LoopRewrite, WhatHasNoBodyDisappears) {
  const Func func = read(two_nests);
  const auto stores_to = [](std::string buffer) {
    return [buffer](const Stmt& stmt) {
      const Store* store = as<Store>(stmt);
      return store && store->buffer == buffer;
    };
  };
  EXPECT_EQ(to_text(without(func, stores_to("Z"))),
            R"(func f(X: float32[8] input, Y: float32[8] output, Z: float32[8] output) {
  for i in 8 {
    block y(x = i) {
      Y[x] = X[x]
    }
  }
}
)");
  EXPECT_TRUE(
      blocks_of(without(func, [](const Stmt& stmt) { return as<Store>(stmt); }).body).empty());
  // Of a condition only the other branch is left.
  const Func other = without(func, [](const Stmt& stmt) {
    const Store* store = as<Store>(stmt);
    return store && store->buffer == "Z" && !store->value.as<expr::FloatConstant>();
  });
  const auto path = find_block(other, "z");
  ASSERT_TRUE(path);
  const If* branch = as<If>(path->block().body);
  ASSERT_TRUE(branch);
  EXPECT_EQ(expr::to_string(branch->condition), "not x < 4");
  EXPECT_FALSE(branch->else_body);
}

TEST(LoopRewrite, ReachesEveryExpressionOrOnlyThoseOfLoops) {
  const Func func = read(two_nests);
  // Within a block `x` is its own: only its binding speaks of the loop.
  const Func moved = with_body(
      func, substitute_loops(func.body, {{"i", expr::variable("k")}, {"x", expr::Expr(7)}}));
  const auto path = find_block(moved, "y");
  ASSERT_TRUE(path);
  EXPECT_EQ(expr::to_string(path->block().iters[0].binding), "k");
  EXPECT_EQ(expr::to_string(only_store(path->block())->indices[0]), "x");
  const Func everywhere = with_body(func, rewrite_exprs(func.body, [](const expr::Expr& e) {
                                      return expr::substitute(e, {{"x", expr::Expr(7)}});
                                    }));
  EXPECT_EQ(expr::to_string(only_store(find_block(everywhere, "y")->block())->indices[0]), "7");
}

}  // namespace
}  // namespace loopglass::loop
