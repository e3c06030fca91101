#include "core/roofline/work.h"

#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/annotations.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/roofline/address.h"
#include "core/roofline/traffic.h"
#include "core/te/flops.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass::roofline {

namespace {

using expr::Expr;
using loop::For;
using loop::If;
using loop::Stmt;

// Parts of loops that are looked at one by one, in all; beyond that every condition is taken to
// hold.
constexpr int most_looks = 20'000;

// Conditions that all have to hold.
using Conditions = std::vector<Expr>;

struct Load {
  std::string place;  // the same of loads of the same elements
  double bytes = 0;
  std::set<std::string> variables;  // of loops around the tile
  Conditions conditions;
};
struct Computing {
  double flops = 0;
  Conditions conditions;
};
// What runs without a jump back: loops of it are lanes or unrolled.
struct Tile {
  std::vector<Load> loads;
  std::vector<Computing> stores;
  Conditions all;                     // each of the above once
  std::map<std::string, Work> known;  // by which of these hold
};

bool is_in_tile(const For& node) {
  return node.kind == loop::ForKind::Vectorized || node.kind == loop::ForKind::Unrolled;
}

bool is_tile(const Stmt& stmt) {
  bool is = true;
  loop::walk(stmt, [&](const Stmt& inner) {
    const auto* node = loop::as<For>(inner);
    is = is && !(node && (!is_in_tile(*node) || !expr::as_integer(node->extent))) &&
         !loop::as<loop::Alloc>(inner) && !loop::as<loop::Block>(inner);
  });
  return is;
}

void add_once(Conditions& conditions, const Expr& condition) {
  if (std::ranges::none_of(conditions,
                           [&](const Expr& each) { return expr::same(each, condition); }))
    conditions.push_back(condition);
}

class TileReading {
 public:
  TileReading(const std::vector<loop::Buffer>& buffers,
              const std::map<std::string, std::int64_t>& lanes)
      : buffers_(buffers), lanes_(lanes) {
    for (const auto& [variable, extent] : lanes) ranges_[variable] = {0, extent - 1};
  }

  Tile operator()(const Stmt& stmt) {
    read(stmt);
    for (const Load& load : tile_.loads)
      for (const Expr& each : load.conditions) add_once(tile_.all, each);
    for (const Computing& store : tile_.stores)
      for (const Expr& each : store.conditions) add_once(tile_.all, each);
    return std::move(tile_);
  }

 private:
  void read(const Stmt& stmt) {
    if (!stmt) return;
    if (const auto* node = loop::as<For>(stmt)) {
      const std::int64_t extent = *expr::as_integer(node->extent);
      if (node->kind == loop::ForKind::Vectorized) {
        lanes_[node->variable] = extent;
        ranges_[node->variable] = {0, extent - 1};
        read(node->body);
        lanes_.erase(node->variable);
      } else {
        for (std::int64_t turn = 0; turn < extent; ++turn) {
          ranges_[node->variable] = {turn, turn};
          read(node->body);
        }
      }
      ranges_.erase(node->variable);
      return;
    }
    if (const auto* node = loop::as<If>(stmt)) {
      take_loads(node->condition);
      under(node->condition, [&] { read(node->then_body); });
      if (node->else_body)
        under(expr::unary(expr::UnaryOperator::Not, node->condition),
              [&] { read(node->else_body); });
      return;
    }
    if (const auto* store = loop::as<loop::Store>(stmt)) {
      for (const Expr& index : store->indices) take_loads(index);
      take_loads(store->value);
      double lanes = 1;
      for (const auto& [variable, extent] : lanes_) lanes *= static_cast<double>(extent);
      if (const auto operations = te::operations(store->value); operations > 0)
        tile_.stores.push_back({lanes * static_cast<double>(operations), conditions_});
      return;
    }
    for (const Stmt& child : loop::children(stmt)) read(child);
  }

  template <class Function>
  void under(const Expr& condition, const Function& function) {
    const std::size_t depth = conditions_.size();
    bool holds = true;
    for (const Expr& part : expr::conjuncts(condition)) {
      const Expr simple = expr::simplify(part, ranges_);
      holds = holds && !expr::is_false(simple);
      // Lanes that differ compute all the same, and so does what hangs on numbers that are loaded.
      const bool is_open =
          expr::has_load(simple) || std::ranges::any_of(lanes_, [&](const auto& lane) {
            return expr::uses_variable(simple, lane.first);
          });
      if (!expr::is_true(simple) && !is_open) conditions_.push_back(simple);
    }
    if (holds) function();
    conditions_.resize(depth);
  }

  void take_loads(const Expr& e) {
    if (!e.defined()) return;
    if (const auto* choice = e.as<expr::Select>()) {
      take_loads(choice->condition);
      under(choice->condition, [&] { take_loads(choice->when_true); });
      under(expr::unary(expr::UnaryOperator::Not, choice->condition),
            [&] { take_loads(choice->when_false); });
      return;
    }
    expr::each_operand(e, [&](const Expr& operand) { take_loads(operand); });
    const auto* load = e.as<expr::Load>();
    const loop::Buffer* buffer = load ? loop::find_buffer(buffers_, load->buffer) : nullptr;
    if (!buffer || !is_memory(*buffer)) return;
    const Address address = address_of(load->indices, *buffer, ranges_);
    Load found;
    found.bytes = static_cast<double>(byte_size(buffer->type));
    std::string lanes;
    Address outside = address;
    for (const auto& [variable, extent] : lanes_) {
      if (!address.uses(variable)) continue;
      found.bytes *= static_cast<double>(extent);
      // Lanes of one loop are those of another that are as many.
      const auto term = outside.terms.find(variable);
      if (term == outside.terms.end()) continue;
      lanes += " " + std::to_string(term->second.factor) + " in " + std::to_string(extent);
      outside.terms.erase(term);
    }
    found.place = load->buffer + " " + outside.text() + lanes;
    found.conditions = conditions_;
    for (const auto& [key, term] : outside.terms)
      for (const std::string& variable : expr::variables_of(term.atom))
        if (!lanes_.contains(variable)) found.variables.insert(variable);
    for (const Expr& condition : conditions_)
      for (const std::string& variable : expr::variables_of(condition))
        found.variables.insert(variable);
    tile_.loads.push_back(std::move(found));
  }

  const std::vector<loop::Buffer>& buffers_;
  std::map<std::string, std::int64_t> lanes_;
  expr::Ranges ranges_;  // of lanes, and of the turns of what is unrolled
  Conditions conditions_;
  Tile tile_;
};

class WorkCounting {
 public:
  explicit WorkCounting(const loop::Func& func) : buffers_(loop::buffers_of(func)) {}

  Work operator()(const Stmt& stmt) {
    run(stmt, 1, "");
    return work_;
  }

 private:
  // `turning`: the innermost loop around it, whose turns the statement is all of; empty: there is
  // none.
  void run(const Stmt& stmt, double times, const std::string& turning) {
    if (!stmt || times <= 0) return;
    if (is_left_to_intrinsic(stmt)) return take_intrinsic(stmt, times);
    if (is_tile(stmt)) {
      take(tile_of(stmt), times, turning);
      return;
    }
    if (const auto* node = loop::as<For>(stmt)) return run_loop(*node, times);
    if (const auto* node = loop::as<If>(stmt)) return run_branch(*node, times);
    for (const Stmt& child : loop::children(stmt)) run(child, times, "");
  }

  void run_loop(const For& node, double times) {
    const auto extent = expr::bounds(node.extent, ranges_).value_or(expr::Interval{1, 1});
    const std::int64_t most = std::max<std::int64_t>(extent.max, 0);
    if (most == 0) return;
    // Of loops whose extent hangs on those around them, the mean.
    times *= static_cast<double>(std::max<std::int64_t>(extent.min, 0) + most) /
             (2 * static_cast<double>(most));
    if (node.kind == loop::ForKind::Vectorized) {
      ranges_[node.variable] = {0, most - 1};
      lanes_[node.variable] = most;
      run(node.body, times, "");  // tiles inside multiply by the lanes
      lanes_.erase(node.variable);
      ranges_.erase(node.variable);
      return;
    }
    const bool is_innermost = is_tile(node.body) && !is_left_to_intrinsic(node.body);
    if (is_innermost) take_standing(tile_of(node.body), times, node.variable);
    turns(node, 0, most - 1, times, is_innermost ? node.variable : "");
    ranges_.erase(node.variable);
  }

  // Turns of the loop that are alike together.
  void turns(const For& node, std::int64_t first, std::int64_t last, double times,
             const std::string& turning) {
    ranges_[node.variable] = {first, last};
    if (first < last && looks_ < most_looks && is_undecided(node)) {
      const std::int64_t middle = first + (last - first) / 2;
      turns(node, first, middle, times, turning);
      turns(node, middle + 1, last, times, turning);
      ranges_[node.variable] = {first, last};
      return;
    }
    ++looks_;
    run(node.body, times * static_cast<double>(last - first + 1), turning);
  }

  // Whether its turns are not all of one kind, as far as conditions on it say.
  bool is_undecided(const For& node) {
    const auto [known, is_new] = conditions_.try_emplace(&node);
    if (is_new) {
      Conditions& conditions = known->second;
      const auto take = [&](const Expr& condition) {
        for (const Expr& part : expr::conjuncts(condition))
          if (expr::uses_variable(part, node.variable) && !expr::has_load(part))
            add_once(conditions, part);
      };
      loop::walk(node.body, [&](const Stmt& stmt) {
        if (const auto* branch = loop::as<If>(stmt)) take(branch->condition);
        if (const auto* inner = loop::as<For>(stmt);
            inner && expr::uses_variable(inner->extent, node.variable))
          add_once(conditions, inner->extent);
        loop::each_expr(stmt, [&](const Expr& e) {
          expr::visit(e, [&](const Expr& part) {
            if (const auto* choice = part.as<expr::Select>()) take(choice->condition);
          });
        });
      });
    }
    return std::ranges::any_of(known->second, [&](const Expr& condition) {
      return !expr::as_integer(expr::simplify(condition, ranges_));
    });
  }

  void run_branch(const If& node, double times) {
    const Expr condition = expr::simplify(node.condition, ranges_);
    if (expr::is_true(condition)) return run(node.then_body, times, "");
    if (expr::is_false(condition)) return run(node.else_body, times, "");
    const Work before = work_;
    run(node.then_body, times, "");
    const Work with_then = work_;
    work_ = before;
    run(node.else_body, times, "");
    work_ = {std::max(work_.flops, with_then.flops),
             std::max(work_.loaded_bytes, with_then.loaded_bytes)};
  }

  Tile& tile_of(const Stmt& stmt) {
    const auto known = tiles_.find(stmt.get());
    if (known != tiles_.end()) return known->second;
    return tiles_.emplace(stmt.get(), TileReading(buffers_, lanes_)(stmt)).first->second;
  }

  // All that turns with the loop, or all where there is none.
  void take(Tile& tile, double times, const std::string& turning) {
    std::string holding = turning + " ";
    for (const Expr& condition : tile.all)
      holding += expr::is_false(expr::simplify(condition, ranges_)) ? '0' : '1';
    const auto [known, is_new] = tile.known.try_emplace(holding);
    if (is_new) {
      for (const Computing& store : tile.stores)
        if (holds(store.conditions)) known->second.flops += store.flops;
      std::set<std::string> loaded;
      for (const Load& load : tile.loads)
        if ((turning.empty() || load.variables.contains(turning)) && holds(load.conditions) &&
            loaded.insert(load.place).second)
          known->second.loaded_bytes += load.bytes;
    }
    work_.flops += times * known->second.flops;
    work_.loaded_bytes += times * known->second.loaded_bytes;
  }

  bool holds(const Conditions& conditions) const {
    return std::ranges::none_of(conditions, [&](const Expr& condition) {
      return expr::is_false(expr::simplify(condition, ranges_));
    });
  }

  // What is the same in all turns of the loop.
  void take_standing(const Tile& tile, double times, const std::string& turning) {
    std::set<std::string> loaded;
    for (const Load& load : tile.loads)
      if (!load.variables.contains(turning) && holds(load.conditions) &&
          loaded.insert(load.place).second)
        work_.loaded_bytes += times * load.bytes;
  }

  static bool is_left_to_intrinsic(const Stmt& stmt) {
    return loop::find_annotation(stmt->annotations, loop::intrinsic_annotation);
  }

  // What it does inside is its own affair: each byte once, at the least.
  void take_intrinsic(const Stmt& stmt, double times) {
    const double before = work_.loaded_bytes;
    plain_.push_back(loop::with_annotations(stmt, {}));
    run(plain_.back(), times, "");
    work_.loaded_bytes = before + times * sum_of(footprint(stmt, buffers_));
  }

  std::vector<loop::Buffer> buffers_;
  std::map<std::string, std::int64_t> lanes_;  // of loops of lanes that have other loops in them
  expr::Ranges ranges_;                        // of loops around
  int looks_ = 0;
  std::map<const loop::StmtNode*, Tile> tiles_;
  std::vector<Stmt> plain_;  // that tiles_ has, too
  std::map<const For*, Conditions> conditions_;
  Work work_;
};

}  // namespace

Work work_of(const loop::Func& lowered) { return WorkCounting(lowered)(lowered.body); }

}  // namespace loopglass::roofline
