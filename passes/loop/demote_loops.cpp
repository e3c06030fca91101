#include "passes/loop/demote_loops.h"

#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

#include <utility>

namespace loopglass::passes {

using namespace loop;

namespace {

bool is_vector(const For& node) {
  const auto lanes = expr::as_integer(node.extent);
  return node.kind == ForKind::Vectorized && (!lanes || *lanes > 1);
}

// The first loop in a statement that becomes vectors; null where there is none.
const For* vector_in(const Stmt& stmt) {
  const For* found = nullptr;
  loop::walk(stmt, [&](const Stmt& inner) {
    const For* node = as<For>(inner);
    if (!found && node && is_vector(*node)) found = node;
  });
  return found;
}

class Demotion {
 public:
  explicit Demotion(pass::Report& report) : report_(report) {}

  Stmt run(const Stmt& stmt) {
    const For* node = as<For>(stmt);
    if (!node) return map_children(stmt, [&](const Stmt& child) { return run(child); });
    const ForKind kind = kind_here(*node);
    const For *outer_parallel = parallel_, *outer_vector = vector_;
    if (kind == ForKind::Parallel) parallel_ = node;
    if (kind == ForKind::Vectorized) vector_ = node;
    const Stmt body = run(node->body);
    parallel_ = outer_parallel;
    vector_ = outer_vector;
    if (kind == node->kind && body == node->body) return stmt;
    return with_annotations(loop::over(loop::of_kind(*node, kind), body), stmt->annotations);
  }

 private:
  ForKind kind_here(const For& node) {
    if (!loop::is_launch_axis(node.kind)) return stays(node) ? node.kind : ForKind::Serial;
    if (loop::is_thread_axis(node.kind) || parallel_ || vector_) {
      told(node, "LAUNCH_AXIS",
           fmt::format("it is {}, and this machine's threads are given what a GPU's blocks are",
                       loop::name(node.kind)));
      return ForKind::Serial;
    }
    report_.rewrite({"block-to-thread", {}, {}, node.variable});
    report_.remark({pass::RemarkKind::Note,
                    "BLOCKS_ON_THREADS",
                    node.variable,
                    {},
                    fmt::format("'{}' is {}: its blocks are shared among this machine's threads",
                                node.variable, loop::name(node.kind))});
    return ForKind::Parallel;
  }

  void told(const For& node, const char* code, const std::string& why) {
    report_.rewrite({"run-serially", {}, {}, node.variable});
    report_.remark({pass::RemarkKind::Missed,
                    code,
                    node.variable,
                    {},
                    fmt::format("'{}' runs serially: {}", node.variable, why)});
  }

  bool stays(const For& node) {
    const auto no = [&](const char* code, const std::string& why) {
      told(node, code, why);
      return false;
    };
    if (node.kind == ForKind::Parallel && vector_)
      return no("PARALLEL_IN_LANES",
                fmt::format("'{}' around it is computed in the lanes of vectors, on one thread",
                            vector_->variable));
    if (node.kind == ForKind::Parallel && parallel_)
      return no("PARALLEL_IN_PARALLEL",
                fmt::format("the iterations of '{}' around it are shared among the threads",
                            parallel_->variable));
    if (node.kind != ForKind::Vectorized) return true;
    if (!is_vector(node)) {
      report_.rewrite({"one-lane-is-no-vector", {}, {}, node.variable});
      return false;
    }
    if (const For* inner = vector_in(node.body))
      return no("VECTOR_AROUND_VECTOR",
                fmt::format("the lanes are those of '{}' inside it", inner->variable));
    return true;
  }

  pass::Report& report_;
  const For* parallel_ = nullptr;  // around the statement at hand
  const For* vector_ = nullptr;
};

}  // namespace

Result<loop::Func> demote_loops(const loop::Func& func, pass::Report& report) {
  return with_body(func, func.body ? Demotion(report).run(func.body) : nullptr);
}

pass::Words demote_loops_words() {
  return {{pass::Word::Kind::Rule, "block-to-thread",
           "A loop over a GPU's blocks shares them among this machine's threads."},
          {pass::Word::Kind::Rule, "run-serially", "A loop becomes a serial one."},
          {pass::Word::Kind::Rule, "one-lane-is-no-vector",
           "A vectorized loop of one iteration becomes a serial one."},
          {pass::Word::Kind::Remark, "LAUNCH_AXIS",
           "A loop over a GPU's threads runs serially: this machine's threads are given what a "
           "GPU's blocks are."},
          {pass::Word::Kind::Remark, "BLOCKS_ON_THREADS",
           "A GPU's blocks are shared among this machine's threads."},
          {pass::Word::Kind::Remark, "PARALLEL_IN_LANES",
           "A parallel loop runs serially: what is around it is computed in lanes of vectors, on "
           "one thread."},
          {pass::Word::Kind::Remark, "PARALLEL_IN_PARALLEL",
           "A parallel loop runs serially: iterations of a loop around it are shared among the "
           "threads already."},
          {pass::Word::Kind::Remark, "VECTOR_AROUND_VECTOR",
           "A vectorized loop runs serially: the lanes are those of a loop inside it."}};
}

}  // namespace loopglass::passes
