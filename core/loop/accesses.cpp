#include "core/loop/accesses.h"

#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <utility>

namespace loopglass::loop {

Bindings Access::inner() const {
  Bindings result;
  for (const For* node : loops) result[node->variable] = node->extent;
  return result;
}

std::vector<Expr> Access::conditions() const {
  std::vector<Expr> all = guards;
  all.insert(all.end(), starts.begin(), starts.end());
  all.insert(all.end(), choices.begin(), choices.end());
  return all;
}

namespace {

class Walk {
 public:
  std::vector<Access> accesses;

  void walk(const Stmt& stmt) {
    std::visit(Overloaded{
                   [&](const For& node) {
                     loads(bound(node.extent), nullptr, stmt.get());
                     loops_.push_back(&node);
                     walk(node.body);
                     loops_.pop_back();
                   },
                   [&](const Block& node) { block(node, stmt.get()); },
                   [&](const Store& node) { store(node, stmt.get()); },
                   [&](const If& node) {
                     loads(bound(node.condition), nullptr, stmt.get());
                     guarded(bound(node.condition), node.then_body);
                     if (node.else_body)
                       guarded(expr::unary(expr::UnaryOperator::Not, bound(node.condition)),
                               node.else_body);
                   },
                   [&](const Alloc& node) { walk(node.body); },
                   [](const Prefetch&) {},  // touches no element
                   [&](const Seq& node) {
                     for (const Stmt& s : node.statements) walk(s);
                   },
               },
               stmt->value);
  }

 private:
  Expr bound(const Expr& e) const { return bindings_.empty() ? e : expr::substitute(e, bindings_); }

  void guarded(const Expr& condition, const Stmt& body) {
    const std::size_t depth = guards_.size();
    for (Expr& e : conjuncts(condition)) guards_.push_back(std::move(e));
    walk(body);
    guards_.resize(depth);
  }

  void block(const Block& node, const StmtNode* statement) {
    Bindings outer = bindings_;
    const Block* outer_block = block_;
    std::vector<std::string> outer_reductions = reductions_;
    const std::size_t depth = guards_.size();
    const bool outer_body = std::exchange(in_block_, false);
    Bindings inside = outer;
    for (const IterVar& iter : node.iters) {
      inside[iter.name] = bound(iter.binding);
      if (iter.reduction)
        for (const std::string& name : expr::variables_of(inside[iter.name]))
          reductions_.push_back(name);
    }
    bindings_ = std::move(inside);
    block_ = &node;
    const Expr predicate = node.predicate.defined() ? bound(node.predicate) : Expr();
    for (Expr& e : conjuncts(predicate)) guards_.push_back(std::move(e));
    loads(predicate, nullptr, statement);
    in_block_ = true;
    if (node.init) initial_value(node);
    walk(node.body);
    bindings_ = std::move(outer);
    block_ = outer_block;
    in_block_ = outer_body;
    reductions_ = std::move(outer_reductions);
    guards_.resize(depth);
  }

  void initial_value(const Block& node) {
    const std::size_t depth = starts_.size();
    for (const IterVar& iter : node.iters)
      if (iter.reduction) starts_.push_back(equal(bindings_.at(iter.name), Expr(0)));
    walk(node.init);
    starts_.resize(depth);
  }

  void store(const Store& node, const StmtNode* statement) {
    for (const Expr& index : node.indices) loads(bound(index), nullptr, statement);
    loads(bound(node.value), &node, statement);
    std::vector<Expr> indices;
    for (const Expr& index : node.indices) indices.push_back(bound(index));
    add(node.buffer, std::move(indices), true, false, statement);
  }

  // Operands before operators, as they are computed.
  void loads(const Expr& e, const Store* into, const StmtNode* statement) {
    if (!e.defined()) return;
    if (const auto* select = e.as<expr::Select>()) {
      loads(select->condition, into, statement);
      choices_.push_back(select->condition);
      loads(select->when_true, into, statement);
      choices_.back() = expr::unary(expr::UnaryOperator::Not, select->condition);
      loads(select->when_false, into, statement);
      choices_.pop_back();
      return;
    }
    expr::each_operand(e, [&](const Expr& operand) { loads(operand, into, statement); });
    const auto* load = e.as<expr::Load>();
    if (!load) return;
    const bool own = into && into->buffer == load->buffer &&
                     std::equal(load->indices.begin(), load->indices.end(), into->indices.begin(),
                                into->indices.end(), [&](const Expr& a, const Expr& b) {
                                  return expr::same(a, bound(b));
                                });
    add(load->buffer, load->indices, false, own, statement);
  }

  void add(std::string buffer, std::vector<Expr> indices, bool is_store, bool own,
           const StmtNode* statement) {
    accesses.push_back({std::move(buffer), std::move(indices), is_store, own, guards_, starts_,
                        choices_, loops_, block_, in_block_, reductions_, statement});
  }

  std::vector<const For*> loops_;
  std::vector<Expr> guards_, starts_, choices_;
  Bindings bindings_;
  std::vector<std::string> reductions_;
  const Block* block_ = nullptr;
  bool in_block_ = false;
};

}  // namespace

std::vector<Access> accesses_of(const Stmt& root) {
  Walk walk;
  walk.walk(root);
  return std::move(walk.accesses);
}

}  // namespace loopglass::loop
