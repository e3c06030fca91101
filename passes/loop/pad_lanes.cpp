#include "passes/loop/pad_lanes.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/buffers.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/vector_pieces.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace loopglass::passes {

using namespace loop;

namespace {

// A vectorised loop around a statement, if its lanes are odd.
struct Lanes {
  std::string variable;
  std::int64_t count = 0;
};

std::optional<Lanes> odd_lanes(const Stmt& stmt) {
  const For* node = as<For>(stmt);
  const auto count =
      node && node->kind == ForKind::Vectorized ? expr::as_integer(node->extent) : std::nullopt;
  if (!count || *count < 2 || *count > VectorPieces::most_lanes || !VectorPieces(*count).has_idle())
    return std::nullopt;
  return Lanes{node->variable, *count};
}

// What idle lanes may not compute: it ends the program where they hold nothing.
bool may_trap(const Expr& value) {
  bool found = false;
  const Expr without_indices = expr::rewrite(value, [](const Expr& e) {
    return e.as<expr::Load>() ? expr::constant(e.type(), 0) : Expr();
  });
  expr::visit(without_indices, [&](const Expr& e) {
    const auto* binary = e.as<expr::Binary>();
    if (!binary || is_float(e.type())) return;
    const bool divides = binary->op == expr::BinaryOperator::Div ||
                         binary->op == expr::BinaryOperator::Mod ||
                         binary->op == expr::BinaryOperator::FloorDiv ||
                         binary->op == expr::BinaryOperator::FloorMod;
    found = found || (divides && expr::as_integer(binary->right).value_or(0) == 0);
  });
  return found;
}

// The row of "row * 28 + x"; undefined: the index is not of this form.
Expr row_of(const Expr& index, const Lanes& lanes, const expr::Ranges& ranges) {
  const Expr rest = expr::simplify(index - expr::variable(lanes.variable), ranges);
  if (expr::uses_variable(rest, lanes.variable)) return {};
  const Expr row = expr::simplify(floor_div(rest, Expr(lanes.count)), ranges);
  return expr::as_integer(expr::simplify(rest - row * Expr(lanes.count), ranges)) == 0 ? row
                                                                                       : Expr();
}

// Of "row * 32 + x", where all rows begin at multiples of a number, and at this one at the most;
// nullopt: the index is not of this form.
struct Beginnings {
  std::int64_t multiples, last;  // 0: there is one row, the first
};
std::optional<Beginnings> beginnings_of(const Expr& index, const Lanes& lanes,
                                        const expr::Ranges& ranges) {
  const Expr rest = expr::simplify(index - expr::variable(lanes.variable), ranges);
  const auto range = expr::bounds(rest, ranges);
  if (expr::uses_variable(rest, lanes.variable) || !range || range->min < 0) return std::nullopt;
  const expr::Linear form = expr::linear(rest);
  std::int64_t multiples = std::abs(form.constant);
  for (const auto& [atom, coefficient] : form.terms) multiples = std::gcd(multiples, coefficient);
  return Beginnings{multiples, range->max};
}

// Rows of a buffer that are walked by odd lanes.
struct Rows {
  std::int64_t lanes = 0;
  bool roomy = false;  // they have the room: nothing has to move
};

// Buffers of registers all of whose accesses walk whole rows by the same odd number of lanes.
class Finding {
 public:
  std::map<std::string, Rows> operator()(const Func& func) {
    for (const Buffer& buffer : buffers_of(func))
      if (buffer.scope == Scope::Register && buffer.shape.size() == 1 && is_float(buffer.type) &&
          expr::as_integer(buffer.shape[0]))
        candidates_[buffer.name] = {*expr::as_integer(buffer.shape[0]), 0, true, 0, 0};
    if (candidates_.empty()) return {};
    ranges_ = ranges_of(func);
    visit(func.body, std::nullopt);
    std::map<std::string, Rows> found;
    for (const auto& [name, candidate] : candidates_)
      if (candidate.lanes > 0) found[name] = {candidate.lanes, candidate.has_room()};
    return found;
  }

 private:
  struct Candidate {
    std::int64_t size, lanes;              // -1 lanes: it is none
    bool dense = true;                     // rows are as long as they have lanes
    std::int64_t multiples = 0, last = 0;  // where they begin

    // Behind all lanes for whole vectors: no other row begins there, and the buffer does not end.
    bool has_room() const {
      const std::int64_t with_idle = VectorPieces(lanes).lanes_with_idle();
      return (multiples == 0 || multiples >= with_idle) && last + with_idle <= size;
    }
  };

  void visit(const Stmt& stmt, const std::optional<Lanes>& around) {
    const auto own = odd_lanes(stmt);
    const std::optional<Lanes>& lanes = own ? own : around;
    // What belongs to a lane would have to grow with it.
    if (around && as<Alloc>(stmt)) spoiled_.insert(around->variable);
    each_expr(stmt, [&](const Expr& e) {
      expr::visit(e, [&](const Expr& node) {
        const auto* load = node.as<expr::Load>();
        if (!load) return;
        // Conditions and extents stay as they are.
        if (as<Store>(stmt)) see(load->buffer, load->indices, lanes);
        else drop(load->buffer);
      });
    });
    if (const Store* store = as<Store>(stmt)) {
      see(store->buffer, store->indices, lanes);
      if (may_trap(store->value)) drop(store->buffer);
    }
    for (const Stmt& child : children(stmt)) visit(child, lanes);
    if (own && spoiled_.contains(own->variable))
      for (const std::string& buffer : seen_[own->variable]) drop(buffer);
  }

  void see(const std::string& buffer, const std::vector<Expr>& indices,
           const std::optional<Lanes>& lanes) {
    const auto found = candidates_.find(buffer);
    if (found == candidates_.end() || found->second.lanes < 0) return;
    Candidate& candidate = found->second;
    if (!lanes || (candidate.lanes != 0 && candidate.lanes != lanes->count)) return drop(buffer);
    const auto begins = beginnings_of(indices[0], *lanes, ranges_);
    if (!begins) return drop(buffer);
    candidate.lanes = lanes->count;
    candidate.multiples = std::gcd(candidate.multiples, begins->multiples);
    candidate.last = std::max(candidate.last, begins->last);
    candidate.dense = candidate.dense && candidate.size % lanes->count == 0 &&
                      row_of(indices[0], *lanes, ranges_).defined();
    if (!candidate.dense && !candidate.has_room()) return drop(buffer);
    seen_[lanes->variable].insert(buffer);
  }

  void drop(const std::string& buffer) {
    if (const auto found = candidates_.find(buffer); found != candidates_.end())
      found->second.lanes = -1;
  }

  std::map<std::string, Candidate> candidates_;
  std::map<std::string, std::set<std::string>> seen_;  // buffers, by lanes' variable
  std::set<std::string> spoiled_;                      // lanes that allocate
  expr::Ranges ranges_;
};

class Padding {
 public:
  Padding(const Func& func, std::map<std::string, Rows> rows, pass::Report& report)
      : rows_(std::move(rows)), ranges_(ranges_of(func)), report_(report) {}

  Stmt run(const Stmt& stmt) {
    if (const Alloc* alloc = as<Alloc>(stmt); alloc && rows_.contains(alloc->buffer.name)) {
      Alloc larger = *alloc;
      const auto [lanes, roomy] = rows_.at(alloc->buffer.name);
      const std::int64_t with_idle = VectorPieces(lanes).lanes_with_idle();
      if (!roomy)
        larger.buffer.shape[0] =
            Expr(*expr::as_integer(alloc->buffer.shape[0]) / lanes * with_idle);
      larger.body = run(alloc->body);
      tell(alloc->buffer.name, lanes, with_idle);
      return with_annotations(make(std::move(larger)), stmt->annotations);
    }
    const auto lanes = odd_lanes(stmt);
    if (!lanes || !touches(stmt))
      return map_children(stmt, [&](const Stmt& child) { return run(child); });
    For longer = *as<For>(stmt);
    longer.extent = Expr(VectorPieces(lanes->count).lanes_with_idle());
    longer.body = padded(longer.body, *lanes);
    return with_annotations(make(std::move(longer)), stmt->annotations);
  }

 private:
  void tell(const std::string& buffer, std::int64_t lanes, std::int64_t with_idle) {
    report_.rewrite({"pad", {}, {}, buffer});
    report_.remark(
        {pass::RemarkKind::Note,
         "LANES_PADDED",
         buffer,
         {{"lanes", static_cast<double>(lanes)}, {"with_idle", static_cast<double>(with_idle)}},
         fmt::format("rows of '{}' are {} lanes with room for {}: whole vectors, which "
                     "stay in registers",
                     buffer, lanes, with_idle)});
  }

  bool touches(const Stmt& loop) const {
    bool found = false;
    walk(loop, [&](const Stmt& stmt) {
      const Store* store = as<Store>(stmt);
      found = found || (store && rows_.contains(store->buffer));
      each_expr(stmt, [&](const Expr& e) {
        expr::visit(e, [&](const Expr& node) {
          const auto* load = node.as<expr::Load>();
          found = found || (load && rows_.contains(load->buffer));
        });
      });
    });
    return found;
  }

  Stmt padded(const Stmt& stmt, const Lanes& lanes) const {
    const Expr is_wanted = expr::variable(lanes.variable) < Expr(lanes.count);
    const auto guarded = [&](Stmt inner) {
      return make(loop::If{is_wanted, std::move(inner), nullptr});
    };
    if (const Store* store = as<Store>(stmt)) {
      Store there = *store;
      if (!rows_.contains(store->buffer)) {
        there.value = in_rows(store->value, lanes, {});
        return guarded(with_annotations(make(std::move(there)), stmt->annotations));
      }
      there.indices = {in_row(store->buffer, store->indices[0], lanes)};
      there.value = in_rows(store->value, lanes, is_wanted);
      return with_annotations(make(std::move(there)), stmt->annotations);
    }
    if (as<Prefetch>(stmt)) return guarded(stmt);
    return map_children(stmt, [&](const Stmt& child) { return padded(child, lanes); });
  }

  Expr in_row(const std::string& buffer, const Expr& index, const Lanes& lanes) const {
    if (rows_.at(buffer).roomy) return index;
    return expr::simplify(
        row_of(index, lanes, ranges_) * Expr(VectorPieces(lanes.count).lanes_with_idle()) +
            expr::variable(lanes.variable),
        ranges_);
  }

  // Rows where they lie now. `is_wanted`, if defined: idle lanes read nothing else.
  Expr in_rows(const Expr& value, const Lanes& lanes, const Expr& is_wanted) const {
    return expr::rewrite(value, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      if (!load) return {};
      if (rows_.contains(load->buffer))
        return expr::load(node.type(), load->buffer,
                          {in_row(load->buffer, load->indices[0], lanes)});
      const bool moves = std::ranges::any_of(load->indices, [&](const Expr& index) {
        return expr::uses_variable(index, lanes.variable);
      });
      return moves && is_wanted.defined()
                 ? expr::select(is_wanted, node, expr::constant(node.type(), 0))
                 : Expr();
    });
  }

  std::map<std::string, Rows> rows_;  // by buffer
  expr::Ranges ranges_;
  pass::Report& report_;
};

}  // namespace

Result<loop::Func> pad_lanes(const loop::Func& func, pass::Report& report) {
  auto rows = Finding()(func);
  if (rows.empty()) return func;
  return with_body(func, Padding(func, std::move(rows), report).run(func.body));
}

pass::Words pad_lanes_words() {
  return {{pass::Word::Kind::Rule, "pad", "Rows of a buffer are made as long as whole vectors."},
          {pass::Word::Kind::Remark, "LANES_PADDED",
           "Rows have room for whole vectors; what the last of them computes beyond the row is "
           "never read."}};
}

}  // namespace loopglass::passes
