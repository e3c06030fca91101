#include "core/schedule/nest.h"

#include "core/support/check.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using loop::Alloc;
using loop::as;
using loop::If;
using loop::make;
using loop::Seq;
using loop::Store;

std::vector<Stmt> children(const Stmt& stmt) {
  return std::visit(Overloaded{
                        [](const For& node) -> std::vector<Stmt> { return {node.body}; },
                        [](const Block& node) -> std::vector<Stmt> {
                          return node.init ? std::vector<Stmt>{node.init, node.body}
                                           : std::vector<Stmt>{node.body};
                        },
                        [](const Store&) -> std::vector<Stmt> { return {}; },
                        [](const If& node) -> std::vector<Stmt> {
                          return node.else_body ? std::vector<Stmt>{node.then_body, node.else_body}
                                                : std::vector<Stmt>{node.then_body};
                        },
                        [](const Alloc& node) -> std::vector<Stmt> { return {node.body}; },
                        [](const Seq& node) -> std::vector<Stmt> { return node.statements; },
                    },
                    stmt->value);
}

namespace {

Stmt rebuilt(const Stmt& stmt, std::vector<Stmt> kids) {
  return std::visit(Overloaded{
                        [&](const For& node) -> Stmt {
                          if (!kids[0]) return nullptr;
                          For copy = node;
                          copy.body = kids[0];
                          return make(std::move(copy));
                        },
                        [&](const Block& node) -> Stmt {
                          if (!kids.back()) return nullptr;
                          Block copy = node;
                          copy.init = node.init ? kids[0] : nullptr;
                          copy.body = kids.back();
                          return make(std::move(copy));
                        },
                        [&](const Store&) -> Stmt { return stmt; },
                        [&](const If& node) -> Stmt {
                          If copy = node;
                          copy.then_body = kids[0];
                          copy.else_body = node.else_body ? kids[1] : nullptr;
                          if (!copy.then_body && !copy.else_body) return nullptr;
                          if (!copy.then_body) {
                            copy.condition = expr::unary(expr::UnaryOperator::Not, copy.condition);
                            std::swap(copy.then_body, copy.else_body);
                          }
                          return make(std::move(copy));
                        },
                        [&](const Alloc& node) -> Stmt {
                          if (!kids[0]) return nullptr;
                          Alloc copy = node;
                          copy.body = kids[0];
                          return make(std::move(copy));
                        },
                        [&](const Seq&) -> Stmt {
                          std::erase(kids, nullptr);
                          return kids.empty() ? nullptr : loop::sequence(std::move(kids));
                        },
                    },
                    stmt->value);
}

}  // namespace

Stmt with_children(const Stmt& stmt, const std::vector<Stmt>& kids) {
  return children(stmt) == kids ? stmt : rebuilt(stmt, kids);
}

Stmt transform(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  std::vector<Stmt> kids = children(stmt);
  for (Stmt& child : kids) child = transform(child, change);
  const Stmt result = with_children(stmt, kids);
  return result ? change(result) : result;
}

namespace {

using ExprMap = std::function<Expr(const Expr&)>;

bool map_all(std::vector<Expr>& list, const ExprMap& map) {
  bool changed = false;
  for (Expr& e : list) {
    Expr mapped = map(e);
    changed |= mapped.get() != e.get();
    e = std::move(mapped);
  }
  return changed;
}

bool map_one(Expr& e, const ExprMap& map) {
  if (!e.defined()) return false;
  Expr mapped = map(e);
  const bool changed = mapped.get() != e.get();
  e = std::move(mapped);
  return changed;
}

bool map_regions(std::vector<loop::Region>& regions, const ExprMap& map) {
  bool changed = false;
  for (loop::Region& region : regions)
    for (loop::Range& range : region.ranges) {
      changed |= map_one(range.min, map);
      changed |= map_one(range.extent, map);
    }
  return changed;
}

// The expressions of the node itself, children untouched.
Stmt map_own(const Stmt& stmt, bool inside_blocks, const ExprMap& map) {
  return std::visit(Overloaded{
                        [&](const For& node) -> Stmt {
                          For copy = node;
                          return map_one(copy.extent, map) ? make(std::move(copy)) : stmt;
                        },
                        [&](const Block& node) -> Stmt {
                          Block copy = node;
                          bool changed = map_one(copy.predicate, map);
                          for (loop::IterVar& iter : copy.iters) {
                            changed |= map_one(iter.binding, map);
                            changed |= map_one(iter.extent, map);
                          }
                          if (inside_blocks) {
                            changed |= map_regions(copy.reads, map);
                            changed |= map_regions(copy.writes, map);
                          }
                          return changed ? make(std::move(copy)) : stmt;
                        },
                        [&](const Store& node) -> Stmt {
                          Store copy = node;
                          bool changed = map_all(copy.indices, map);
                          changed |= map_one(copy.value, map);
                          return changed ? make(std::move(copy)) : stmt;
                        },
                        [&](const If& node) -> Stmt {
                          If copy = node;
                          return map_one(copy.condition, map) ? make(std::move(copy)) : stmt;
                        },
                        [&](const Alloc& node) -> Stmt {
                          Alloc copy = node;
                          return map_all(copy.buffer.shape, map) ? make(std::move(copy)) : stmt;
                        },
                        [&](const Seq&) -> Stmt { return stmt; },
                    },
                    stmt->value);
}

}  // namespace

Stmt map_expressions(const Stmt& stmt, bool inside_blocks, const ExprMap& map) {
  const Stmt own = map_own(stmt, inside_blocks, map);
  if (as<Block>(own) && !inside_blocks) return own;
  std::vector<Stmt> kids = children(own);
  for (Stmt& child : kids) child = map_expressions(child, inside_blocks, map);
  return with_children(own, kids);
}

Stmt substitute_loops(const Stmt& stmt, const Bindings& variables) {
  return map_expressions(stmt, false,
                         [&](const Expr& e) { return expr::substitute(e, variables); });
}

std::vector<const For*> Path::loops() const {
  std::vector<const For*> result;
  for (std::size_t i = 0; i + 1 < statements.size(); ++i)
    if (const For* node = as<For>(statements[i])) result.push_back(node);
  return result;
}

int Path::index_of(const Stmt& ancestor) const {
  const auto found = std::find(statements.begin(), statements.end(), ancestor);
  return found == statements.end() ? -1 : static_cast<int>(found - statements.begin());
}

int Path::index_of_loop(const std::string& variable) const {
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (const For* node = as<For>(statements[i]); node && node->variable == variable)
      return static_cast<int>(i);
  return -1;
}

namespace {

bool find_path(const Stmt& stmt, const std::function<bool(const Stmt&)>& wanted,
               std::vector<Stmt>& path) {
  path.push_back(stmt);
  if (wanted(stmt)) return true;
  for (const Stmt& child : children(stmt))
    if (find_path(child, wanted, path)) return true;
  path.pop_back();
  return false;
}

}  // namespace

Result<Path> find_block(const Func& func, const std::string& name) {
  Path path;
  if (func.body && find_path(
                       func.body,
                       [&](const Stmt& s) {
                         const Block* block = as<Block>(s);
                         return block && block->name == name;
                       },
                       path.statements))
    return path;
  return fail(Code::ScheduleHandleUnknown,
              fmt::format("'{}' has no block named '{}'", func.name, name), name);
}

Result<Path> find_loop(const Func& func, const std::string& variable) {
  Path path;
  if (func.body && find_path(
                       func.body,
                       [&](const Stmt& s) {
                         const For* node = as<For>(s);
                         return node && node->variable == variable;
                       },
                       path.statements))
    return path;
  return fail(Code::ScheduleHandleUnknown,
              fmt::format("'{}' has no loop named '{}'", func.name, variable), variable);
}

Stmt replace(const Path& path, std::size_t index, const Stmt& replacement) {
  Stmt current = replacement;
  for (std::size_t i = index; i-- > 0;) {
    std::vector<Stmt> kids = children(path.statements[i]);
    const auto slot = std::find(kids.begin(), kids.end(), path.statements[i + 1]);
    CHECK(slot != kids.end(), "a path names a child its parent does not have");
    *slot = current;
    current = with_children(path.statements[i], kids);
  }
  return current;
}

Func with_body(const Func& func, Stmt body) {
  Func result = func;
  result.body = body ? std::move(body) : make(Seq{});
  return result;
}

namespace {

Stmt allocate_inside(const Stmt& stmt, Buffer& buffer) {
  if (const Alloc* alloc = as<Alloc>(stmt))
    return make(Alloc{alloc->buffer, allocate_inside(alloc->body, buffer)});
  return make(Alloc{std::move(buffer), stmt});
}

}  // namespace

Func with_allocation(const Func& func, Buffer buffer) {
  return with_body(func, allocate_inside(func.body, buffer));
}

Func without_allocation(const Func& func, const std::string& buffer) {
  return with_body(func, transform(func.body, [&](const Stmt& stmt) -> Stmt {
                     const Alloc* alloc = as<Alloc>(stmt);
                     return alloc && alloc->buffer.name == buffer ? alloc->body : stmt;
                   }));
}

Func with_buffer(const Func& func, const Buffer& buffer) {
  Func result = func;
  for (Buffer& parameter : result.parameters)
    if (parameter.name == buffer.name) {
      parameter = buffer;
      return result;
    }
  result.body = transform(func.body, [&](const Stmt& stmt) -> Stmt {
    const Alloc* alloc = as<Alloc>(stmt);
    return alloc && alloc->buffer.name == buffer.name ? make(Alloc{buffer, alloc->body}) : stmt;
  });
  return result;
}

bool is_parameter(const Func& func, const std::string& buffer) {
  return std::any_of(func.parameters.begin(), func.parameters.end(),
                     [&](const Buffer& parameter) { return parameter.name == buffer; });
}

bool is_true(const Expr& condition) {
  const auto* node = condition.as<expr::IntConstant>();
  return node && node->value != 0;
}

bool is_false(const Expr& condition) {
  const auto* node = condition.as<expr::IntConstant>();
  return node && node->value == 0;
}

Expr conjunction(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  return b.defined() ? a && b : a;
}

std::vector<Expr> conjuncts(const Expr& condition) {
  if (!condition.defined()) return {};
  const auto* node = condition.as<expr::Binary>();
  if (!node || node->op != expr::BinaryOperator::And) return {condition};
  std::vector<Expr> result = conjuncts(node->left);
  for (Expr& e : conjuncts(node->right)) result.push_back(std::move(e));
  return result;
}

Expr loop_predicate(const Block& block) {
  if (!block.predicate.defined()) return {};
  Bindings bindings;
  for (const loop::IterVar& iter : block.iters) bindings[iter.name] = iter.binding;
  return expr::substitute(block.predicate, bindings);
}

Stmt add_predicate(const Stmt& stmt, const Expr& condition) {
  return transform(stmt, [&](const Stmt& s) -> Stmt {
    const Block* block = as<Block>(s);
    if (!block) return s;
    Block copy = *block;
    copy.predicate = conjunction(copy.predicate, condition);
    return make(std::move(copy));
  });
}

Names::Names(const Func& func) {
  taken_.insert(func.symbols.begin(), func.symbols.end());
  for (const Buffer& buffer : func.parameters) taken_.insert(buffer.name);
  loop::walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = as<For>(stmt)) taken_.insert(node->variable);
    if (const Alloc* node = as<Alloc>(stmt)) taken_.insert(node->buffer.name);
    if (const Block* node = as<Block>(stmt)) {
      taken_.insert(node->name);
      for (const loop::IterVar& iter : node->iters) taken_.insert(iter.name);
    }
  });
}

std::string Names::fresh(const std::string& wanted) {
  std::string name = wanted;
  for (int suffix = 1; !taken_.insert(name).second; ++suffix)
    name = fmt::format("{}_{}", wanted, suffix);
  return name;
}

void Names::keep_clear_of(const Block& block) {
  for (const loop::IterVar& iter : block.iters) taken_.insert(iter.name);
}

std::string loop_name(const loop::IterVar& iter) {
  const auto* variable = iter.binding.as<expr::Variable>();
  return variable ? variable->name : iter.name;
}

void add_range(expr::Ranges& ranges, const std::string& variable, const Expr& extent) {
  if (const auto value = expr::as_integer(extent); value && *value > 0)
    ranges[variable] = {0, *value - 1};
}

expr::Ranges ranges_of(const std::vector<const For*>& loops) {
  expr::Ranges ranges;
  for (const For* node : loops) add_range(ranges, node->variable, node->extent);
  return ranges;
}

}  // namespace loopglass::schedule
