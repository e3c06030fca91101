#include "core/dependence/in_place.h"

#include "core/dependence/independence.h"
#include "core/dependence/meeting.h"
#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"

#include <unordered_map>

namespace loopglass::schedule {

using namespace loop;
namespace {

std::optional<std::int64_t> constant_elements(const Buffer& buffer) {
  Shape shape;
  for (const Expr& extent : buffer.shape) {
    const auto value = expr::as_integer(extent);
    if (!value || *value < 0) return std::nullopt;
    shape.push_back(*value);
  }
  return checked_element_count(shape);
}

expr::Ranges ranges_around(const Access& access) {
  expr::Ranges ranges;
  for (const For* node : access.loops) add_range(ranges, node->variable, node->extent);
  return ranges;
}

// Whether no element is stored to twice. Two different iterations differ first in some loop: the
// loops outside it agree, those inside are arbitrary. Of a tile that stands out beyond an edge only
// the condition tells, which exact sets ask.
bool stores_each_element_once(const Access& store, const Buffer& buffer,
                              const expr::Ranges& ranges) {
  std::set<std::string> outside;
  const std::vector<Expr> place{expr::place_of(store.indices, buffer.shape)};
  for (const For* node : store.loops) {
    const auto extent = expr::as_integer(node->extent);
    const bool single = extent && *extent <= 1;
    if (!single && !separates(store.indices, node->variable, ranges, outside) &&
        !separates(place, node->variable, ranges, outside)) {
      Relations relations{{node->variable, Relation::Later}};
      for (const std::string& variable : outside) relations[variable] = Relation::Same;
      if (!never_meet(store, store, relations, ranges)) return false;
    }
    outside.insert(node->variable);
  }
  return true;
}

// Whether all of an access is over when the other begins: both are in program order, in loop nests
// of their own.
bool is_over_before(const Access& first, const Access& second) {
  if (&first >= &second || first.statement == second.statement) return false;
  return first.loops.empty() || second.loops.empty() || first.loops.front() != second.loops.front();
}

// Buffers loaded in extents, bindings, predicates and conditions: not part of any store.
std::set<std::string> loaded_outside_stores(const Stmt& root) {
  std::set<std::string> names;
  loop::walk(root, [&](const Stmt& stmt) {
    if (loop::as<loop::Store>(stmt)) return;
    loop::each_expr(stmt, [&](const Expr& e) {
      if (!e.defined()) return;
      expr::visit(e, [&](const Expr& node) {
        if (const auto* load = node.as<expr::Load>()) names.insert(load->buffer);
      });
    });
  });
  return names;
}

class WrittenInPlace {
 public:
  explicit WrittenInPlace(const Func& func)
      : func_(func), accesses_(accesses_of(func.body)), outside_(loaded_outside_stores(func.body)) {
    for (std::size_t p = 0; p < func.parameters.size(); ++p)
      parameter_.emplace(func.parameters[p].name, p);
    for (const Access& access : accesses_) {
      to_[access.buffer].push_back(&access);
      if (const auto read = parameter_.find(access.buffer); read != parameter_.end())
        touched_by_[access.statement].insert(read->second);
    }
  }

  std::vector<InPlace> find() const {
    std::vector<InPlace> pairs;
    for (std::size_t written = 0; written < func_.parameters.size(); ++written) {
      const Access* store = only_store_to(func_.parameters[written]);
      if (!store) continue;
      for (const std::size_t read : touched_by_.at(store->statement))
        if (may_become(func_.parameters[read], func_.parameters[written], *store))
          pairs.push_back({read, written});
    }
    return pairs;
  }

 private:
  // Null unless the output is written by one statement, once per element, and read by later nests
  // at most.
  const Access* only_store_to(const Buffer& output) const {
    if (output.role != loop::Role::Output || outside_.contains(output.name)) return nullptr;
    const Access* store = nullptr;
    for (const Access* access : accesses_to(output)) {
      if (!access->is_store && store && is_over_before(*store, *access)) continue;
      if (!access->is_store || store) return nullptr;
      store = access;
    }
    return store && stores_each_element_once(*store, output, ranges_around(*store)) ? store
                                                                                    : nullptr;
  }

  bool may_become(const Buffer& input, const Buffer& output, const Access& store) const {
    if (input.role != loop::Role::Input || input.packing || outside_.contains(input.name))
      return false;
    if (byte_size(input.type) != byte_size(output.type)) return false;
    const auto elements = constant_elements(input);
    if (!elements || elements != constant_elements(output)) return false;
    const expr::Ranges ranges = ranges_around(store);
    const Expr target = expr::place_of(store.indices, output.shape);
    bool loaded = false;
    for (const Access* access : accesses_to(input)) {
      if (is_over_before(*access, store)) continue;
      if (access->is_store || access->statement != store.statement) return false;
      if (expr::as_integer(
              expr::simplify(expr::place_of(access->indices, input.shape) - target, ranges)) != 0)
        return false;
      loaded = true;
    }
    return loaded;
  }

  const Func& func_;
  // In program order.
  const std::vector<const Access*>& accesses_to(const Buffer& buffer) const {
    static const std::vector<const Access*> none;
    const auto found = to_.find(buffer.name);
    return found == to_.end() ? none : found->second;
  }

  const std::vector<Access> accesses_;
  std::unordered_map<std::string, std::vector<const Access*>> to_;  // by buffer
  std::unordered_map<std::string, std::size_t> parameter_;
  std::unordered_map<const loop::StmtNode*, std::set<std::size_t>> touched_by_;  // parameters
  const std::set<std::string> outside_;
};

}  // namespace

std::vector<InPlace> in_place_pairs(const Func& scheduled) {
  return scheduled.symbols.empty() && scheduled.body ? WrittenInPlace(scheduled).find()
                                                     : std::vector<InPlace>{};
}

}  // namespace loopglass::schedule
