#include "core/expr/rewrite.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace loopglass::expr {

namespace {

struct OperandVisitor {
  const std::function<void(const Expr&)>& each;

  void operator()(const IntConstant&) const {}
  void operator()(const FloatConstant&) const {}
  void operator()(const Variable&) const {}
  void operator()(const Load& v) const {
    for (const Expr& index : v.indices) each(index);
  }
  void operator()(const Unary& v) const { each(v.operand); }
  void operator()(const Binary& v) const { each(v.left), each(v.right); }
  void operator()(const Select& v) const {
    each(v.condition), each(v.when_true), each(v.when_false);
  }
  void operator()(const Cast& v) const { each(v.operand); }
};

// Rebuilds a node over rewritten operands, or gives back the node itself when none changed.
struct Rebuilder {
  const Expr& original;
  std::function<Expr(const Expr&)> change;

  Expr operator()(const IntConstant&) const { return original; }
  Expr operator()(const FloatConstant&) const { return original; }
  Expr operator()(const Variable&) const { return original; }
  Expr operator()(const Load& v) const {
    bool changed = false;
    std::vector<Expr> indices;
    indices.reserve(v.indices.size());
    for (const Expr& index : v.indices) {
      indices.push_back(change(index));
      changed |= indices.back().get() != index.get();
    }
    return changed ? load(original.type(), v.buffer, std::move(indices)) : original;
  }
  Expr operator()(const Unary& v) const {
    Expr operand = change(v.operand);
    return operand.get() == v.operand.get() ? original : unary(v.op, std::move(operand));
  }
  Expr operator()(const Binary& v) const {
    Expr left = change(v.left), right = change(v.right);
    if (left.get() == v.left.get() && right.get() == v.right.get()) return original;
    return binary(v.op, std::move(left), std::move(right));
  }
  Expr operator()(const Select& v) const {
    Expr condition = change(v.condition), when_true = change(v.when_true),
         when_false = change(v.when_false);
    if (condition.get() == v.condition.get() && when_true.get() == v.when_true.get() &&
        when_false.get() == v.when_false.get())
      return original;
    return select(std::move(condition), std::move(when_true), std::move(when_false));
  }
  Expr operator()(const Cast& v) const {
    Expr operand = change(v.operand);
    return operand.get() == v.operand.get() ? original : cast(original.type(), std::move(operand));
  }
};

}  // namespace

void each_operand(const Expr& e, const std::function<void(const Expr&)>& visit) {
  std::visit(OperandVisitor{visit}, e.node().value);
}

namespace {

// What is known of nodes. Most expressions are indices of a few nodes, which are found sooner one
// after another than by hashing.
template <class Value>
class PerNode {
 public:
  const Value* find(const Node* node) const {
    if (many_.empty()) {
      for (const auto& [known, value] : few_)
        if (known == node) return &value;
      return nullptr;
    }
    const auto known = many_.find(node);
    return known == many_.end() ? nullptr : &known->second;
  }
  void insert(const Node* node, Value value) {
    constexpr std::size_t few = 24;
    if (many_.empty() && few_.size() < few) {
      few_.emplace_back(node, std::move(value));
      return;
    }
    if (many_.empty())
      for (auto& [known, kept] : few_) many_.emplace(known, std::move(kept));
    many_.insert_or_assign(node, std::move(value));
  }

 private:
  std::vector<std::pair<const Node*, Value>> few_;
  std::unordered_map<const Node*, Value> many_;  // all of them, once they are many
};

// Bodies share subtrees freely (x * x of x * x ...), so a shared node is met once: walking every
// path would take exponential time.
struct Walk {
  const std::function<void(const Expr&)>& visitor;
  PerNode<char> seen;

  void operator()(const Expr& e) {
    if (!e.defined() || seen.find(e.get())) return;
    seen.insert(e.get(), 1);
    each_operand(e, [this](const Expr& operand) { (*this)(operand); });
    visitor(e);
  }
};

struct Rewriting {
  const std::function<Expr(const Expr&)>& rewriter;
  PerNode<Expr> done;
  PerNode<char> results;

  Expr operator()(const Expr& e) {
    if (!e.defined()) return e;
    if (const Expr* found = done.find(e.get())) return *found;
    Expr rebuilt = std::visit(
        Rebuilder{e, [this](const Expr& operand) { return (*this)(operand); }}, e.node().value);
    // Rebuilding 0 + x folds to x, which is a result already: asking again would rewrite it twice.
    const bool folded = rebuilt.get() != e.get() && results.find(rebuilt.get());
    Expr replaced = folded ? rebuilt : rewriter(rebuilt);
    if (!replaced.defined()) replaced = rebuilt;
    results.insert(replaced.get(), 1);
    done.insert(e.get(), replaced);
    return replaced;
  }
};

}  // namespace

void visit(const Expr& e, const std::function<void(const Expr&)>& visitor) { Walk{visitor, {}}(e); }

Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& rewriter) {
  return Rewriting{rewriter, {}, {}}(e);
}

Expr substitute(const Expr& e, const std::map<std::string, Expr>& variables) {
  if (variables.empty()) return e;
  return rewrite(e, [&](const Expr& node) -> Expr {
    const auto* leaf = node.as<Variable>();
    if (!leaf) return {};
    const auto found = variables.find(leaf->name);
    return found == variables.end() ? Expr() : found->second;
  });
}

namespace {

// As Walk, as far as the first that is called so.
struct Sought {
  const std::string& name;
  PerNode<char> seen;

  bool in(const Expr& e) {
    if (!e.defined()) return false;
    if (const auto* leaf = e.as<Variable>()) return leaf->name == name;
    if (e.as<IntConstant>() || e.as<FloatConstant>() || seen.find(e.get())) return false;
    seen.insert(e.get(), 1);
    bool found = false;
    each_operand(e, [&](const Expr& operand) { found = found || in(operand); });
    return found;
  }
};

}  // namespace

bool uses_variable(const Expr& e, const std::string& name) { return Sought{name, {}}.in(e); }

std::set<std::string> variables_of(const Expr& e) {
  std::set<std::string> names;
  visit(e, [&](const Expr& node) {
    if (const auto* leaf = node.as<Variable>()) names.insert(leaf->name);
  });
  return names;
}

bool has_load(const Expr& e) {
  bool found = false;
  visit(e, [&](const Expr& node) { found |= node.as<Load>() != nullptr; });
  return found;
}

}  // namespace loopglass::expr
