#include "passes/loop/peel_predicates.h"

#include "core/dependence/integer_set.h"
#include "core/expr/condition.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/bounds.h"
#include "core/loop/names.h"
#include "core/loop/ranges.h"
#include "core/loop/renamed_copy.h"
#include "core/loop/rewrite.h"
#include "core/loop/symbols.h"
#include "core/loop/walk.h"
#include "core/support/ceil_div.h"
#include "passes/loop/simplify_loops.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>
#include <set>

namespace loopglass::passes {

using namespace loop;
using expr::BinaryOperator;

namespace {

constexpr std::int64_t few_repeats = 3;  // one in so many may ask by itself
constexpr int largest_body = 48;  // stores; beyond that a second copy costs more than it gains
// Conditions that each cut a loop in two: what many operands laid end to end ask, one for each.
constexpr std::size_t most_conditions = 16;
constexpr int ways_to_choose = 3;      // one, the other, and what lies across the seam
constexpr std::size_t most_edges = 2;  // that are asked for one by one: of rows and of columns

// difference < 0 is what a comparison says.
std::optional<Expr> difference(const Expr& condition) {
  const auto* node = condition.as<expr::Binary>();
  if (!node || node->left.type() != DataType::Int64) return std::nullopt;
  switch (node->op) {
    case BinaryOperator::Less: return node->left - node->right;
    case BinaryOperator::LessEqual: return node->left - node->right - 1;
    case BinaryOperator::Greater: return node->right - node->left;
    case BinaryOperator::GreaterEqual: return node->right - node->left - 1;
    case BinaryOperator::Add:
    case BinaryOperator::Sub:
    case BinaryOperator::Mul:
    case BinaryOperator::Div:
    case BinaryOperator::Mod:
    case BinaryOperator::FloorDiv:
    case BinaryOperator::FloorMod:
    case BinaryOperator::Pow:
    case BinaryOperator::Min:
    case BinaryOperator::Max:
    case BinaryOperator::And:
    case BinaryOperator::Or:
    case BinaryOperator::BitAnd:
    case BinaryOperator::BitOr:
    case BinaryOperator::BitXor:
    case BinaryOperator::ShiftLeft:
    case BinaryOperator::ShiftRight:
    case BinaryOperator::DotPairs:
    case BinaryOperator::DotQuads:
    case BinaryOperator::Equal:
    case BinaryOperator::NotEqual: return std::nullopt;
  }
  return std::nullopt;
}

// Whether no values of its variables meet the condition: a tile with a border on either side, say,
// is never whole.
bool never_holds(const Expr& condition, const expr::Ranges& ranges) {
  schedule::IntegerSet values;
  for (const std::string& variable : expr::variables_of(condition)) {
    values.add(variable);
    if (const auto range = ranges.find(variable); range != ranges.end())
      values.require(expr::variable(variable) >= Expr(range->second.min) &&
                     expr::variable(variable) <= Expr(range->second.max));
  }
  values.require(condition);
  return values.is_empty() == true;
}

struct PeelCandidate {
  Expr condition;  // as it stands in the body
  // Greatest and least difference over the inner loops: the condition holds where the one is
  // negative, and nowhere where the other is not.
  Expr worst, best;
  bool is_exact = false;  // no inner loop has a part in it: both are the same
  bool may_hold = true;   // for a whole tile
  // Between what is read from one tensor or another, as where several are laid end to end: of
  // tiles that it does not hold for there are as many.
  bool chooses = false;
};

// Tiles stand out beyond an edge where the conditions that have the same worst case do not hold.
struct Edge {
  std::vector<PeelCandidate> candidates;
  // The one value that `tile` has there: of the loop's variable, or of what counts the tiles along
  // this edge in a loop over others, too.
  struct Last {
    Expr tile;
    std::int64_t value;
  };
  std::optional<Last> last = {};

  Expr whole_tile() const { return expr::below_zero(candidates[0].worst); }
};

std::optional<Edge::Last> last_tile(const Expr& worst, const expr::Ranges& ranges) {
  const expr::Linear form = expr::linear(expr::simplify(worst, ranges));
  if (form.terms.size() != 1 || form.terms[0].second <= 0) return std::nullopt;
  const auto& [tile, step] = form.terms[0];
  const auto values = expr::bounds(tile, ranges);
  // step * tile + constant < 0 for every value but the last.
  const bool only_last =
      values && form.constant < 0 && ceil_div(-form.constant, step) == values->max;
  return only_last ? std::optional(Edge::Last{tile, values->max}) : std::nullopt;
}

std::vector<Edge> edges_of(const std::vector<PeelCandidate>& candidates,
                           const expr::Ranges& ranges) {
  std::vector<Edge> edges;
  for (const PeelCandidate& candidate : candidates) {
    const auto same = std::ranges::find_if(edges, [&](const Edge& edge) {
      return expr::same(edge.whole_tile(), expr::below_zero(candidate.worst));
    });
    if (same != edges.end()) same->candidates.push_back(candidate);
    else edges.push_back({{candidate}, last_tile(candidate.worst, ranges)});
  }
  return edges;
}

Stmt with_value(const Stmt& stmt, const Edge::Last& last) {
  return rewrite_exprs(stmt, [&](const Expr& e) {
    return expr::rewrite(e, [&](const Expr& node) {
      return expr::same(node, last.tile) ? Expr(last.value) : Expr();
    });
  });
}

class Peeling {
 public:
  Peeling(const Func& func, pass::Report& report)
      : symbols_(func.symbols), names_(func), report_(report) {}

  Stmt run(const Stmt& stmt, expr::Ranges ranges) {
    if (const For* node = as<For>(stmt)) {
      expr::Ranges inside = ranges;
      add_range(inside, node->variable, node->extent);
      const std::vector<PeelCandidate> candidates = candidates_of(*node, inside);
      if (candidates.size() > most_conditions)
        report_.remark(
            {pass::RemarkKind::Missed,
             "PEEL_OVER_BUDGET",
             node->variable,
             {{"budget", static_cast<double>(most_conditions)}},
             fmt::format("'{}' is not cut: it asks more than {} conditions, each of which "
                         "would double its code",
                         node->variable, most_conditions)});
      else if (!candidates.empty()) return with_notes_of(stmt, peeled(*node, candidates, ranges));
      ranges = std::move(inside);
    }
    return map_children(stmt, [&](const Stmt& child) { return run(child, ranges); });
  }

 private:
  // What is noted on a loop stays with it where it is one loop still.
  static Stmt with_notes_of(const Stmt& loop, const Stmt& peeled) {
    const For* node = as<For>(peeled);
    return node && node->variable == as<For>(loop)->variable
               ? with_annotations(peeled, loop->annotations)
               : peeled;
  }

  static bool is_hot(const For& node) {
    return node.kind == loop::ForKind::Vectorized || node.kind == loop::ForKind::Unrolled;
  }

  // Conditions on the loop's variable and on none but hot loops inside, which repeat the question.
  std::vector<PeelCandidate> candidates_of(const For& loop, const expr::Ranges& ranges) const {
    std::vector<PeelCandidate> result;
    if (is_hot(loop) || cut_.contains(loop.variable)) return result;
    int stores = 0;
    std::vector<const For*> inner;
    collect(loop.body, loop, inner, ranges, result, stores);
    if (stores > largest_body) result.clear();
    if (ways_to_choose * stores > largest_body) choose_nothing(result);
    return result;
  }

  static void choose_nothing(std::vector<PeelCandidate>& candidates) {
    std::erase_if(candidates, [](const PeelCandidate& candidate) { return !candidate.may_hold; });
    for (PeelCandidate& candidate : candidates) candidate.chooses = false;
  }

  void collect(const Stmt& stmt, const For& loop, std::vector<const For*>& inner,
               const expr::Ranges& ranges, std::vector<PeelCandidate>& result, int& stores) const {
    if (as<loop::Store>(stmt)) ++stores;
    if (const auto* node = as<loop::If>(stmt))
      for (const Expr& part : expr::conjuncts(node->condition))
        consider(part, false, loop, inner, ranges, result);
    if (const auto* node = as<loop::Store>(stmt))
      expr::visit(node->value, [&](const Expr& e) {
        const auto* choice = e.as<expr::Select>();
        if (!choice) return;
        const bool both_read =
            expr::has_load(choice->when_true) && expr::has_load(choice->when_false);
        for (const Expr& part : expr::conjuncts(choice->condition))
          if (!is_decided_by_repeats(part, inner, ranges))
            consider(part, both_read, loop, inner, ranges, result);
      });
    const For* node = as<For>(stmt);
    if (node) inner.push_back(node);
    for (const Stmt& child : children(stmt)) collect(child, loop, inner, ranges, result, stores);
    if (node) inner.pop_back();
  }

  // Whether nearly every repeat of an unrolled loop knows the answer by itself, as inside a tile
  // that meets the border with its first element only: a branch around each tile would cost more,
  // and keep the optimiser from contracting the sums of both sides.
  static bool is_decided_by_repeats(const Expr& part, const std::vector<const For*>& inner,
                                    expr::Ranges ranges) {
    const For* repeats = nullptr;
    for (const For* node : inner) {
      add_range(ranges, node->variable, node->extent);
      if (!expr::uses_variable(part, node->variable)) continue;
      if (node->kind == loop::ForKind::Unrolled && !repeats) repeats = node;
      else if (is_hot(*node)) return false;
    }
    const auto extent = repeats ? expr::as_integer(repeats->extent) : std::nullopt;
    if (!extent) return false;
    std::int64_t open = 0;
    for (std::int64_t i = 0; i < *extent; ++i) {
      ranges[repeats->variable] = {i, i};
      const Expr known = expr::simplify(part, ranges);
      open += !expr::is_true(known) && !expr::is_false(known);
    }
    return open <= *extent / few_repeats;
  }

  void consider(const Expr& part, bool chooses, const For& loop,
                const std::vector<const For*>& inner, expr::Ranges ranges,
                std::vector<PeelCandidate>& result) const {
    if (result.size() > most_conditions) return;
    const auto diff = difference(part);
    if (!diff || expr::has_load(*diff) || !expr::uses_variable(part, loop.variable)) return;
    Bindings relaxed;
    for (const For* node : inner) {
      if (!expr::uses_variable(part, node->variable)) continue;
      if (!is_hot(*node)) return;  // decided at that loop instead
      relaxed[node->variable] = node->extent;
      add_range(ranges, node->variable, node->extent);
    }
    if (relaxed.empty() && (inner.empty() || !is_hot(*inner.back()))) return;
    const auto bounds = relax(*diff, relaxed, ranges);
    if (!bounds) return;
    const auto range = expr::bounds(bounds->max, ranges), least = expr::bounds(bounds->min, ranges);
    const bool may_hold = !range || range->min < 0;  // of a symbol it may
    chooses = chooses && (!least || least->max >= 0);
    if (!may_hold && !chooses) return;
    if (std::none_of(result.begin(), result.end(),
                     [&](const PeelCandidate& known) { return expr::same(known.condition, part); }))
      result.push_back({part, bounds->max, bounds->min, relaxed.empty(), may_hold, chooses});
  }

  // How many first iterations satisfy all candidates, if it is a first run that does: a number, or
  // what symbols say.
  std::optional<Expr> first_run(const For& loop, const std::vector<PeelCandidate>& candidates,
                                const expr::Ranges& ranges) const {
    if (!loop::follows_from(loop.extent, symbols_)) return std::nullopt;
    Expr count = loop.extent;
    for (const PeelCandidate& candidate : candidates) {
      const auto factor = expr::coefficient(candidate.worst, loop.variable);
      const Expr rest =
          expr::simplify(expr::substitute(candidate.worst, {{loop.variable, Expr(0)}}), ranges);
      if (!factor || !loop::follows_from(rest, symbols_) || *factor <= 0) return std::nullopt;
      // factor * v + rest < 0  <=>  v < ceil(-rest / factor)
      const Expr whole = expr::simplify(floor_div(Expr(*factor - 1) - rest, Expr(*factor)), ranges);
      const Expr some =
          never_holds(whole < 0, ranges) ? whole : expr::simplify(max(whole, Expr(0)), ranges);
      count = never_holds(some > count, ranges) ? some : expr::simplify(min(some, count), ranges);
    }
    return count;
  }

  bool is_of_symbols(const For& loop, const std::vector<PeelCandidate>& candidates) const {
    const auto uses_symbol = [&](const Expr& e) {
      return std::ranges::any_of(
          symbols_, [&](const std::string& symbol) { return expr::uses_variable(e, symbol); });
    };
    return uses_symbol(loop.extent) ||
           std::ranges::any_of(candidates, uses_symbol, &PeelCandidate::worst);
  }

  // What is left to ask where all candidates hold; undefined when nothing is.
  static Expr open_part(const Expr& condition, const std::vector<PeelCandidate>& candidates) {
    Expr open;
    for (const Expr& part : expr::conjuncts(condition))
      if (std::none_of(candidates.begin(), candidates.end(),
                       [&](const PeelCandidate& c) { return expr::same(c.condition, part); }))
        open = expr::conjunction(open, part);
    return open;
  }

  // Whether nothing is stored where one of them does not hold.
  static bool guard_all(const Stmt& body, const std::vector<PeelCandidate>& candidates) {
    if (as<loop::Store>(body)) return false;
    const auto* node = as<loop::If>(body);
    const auto asks = [&](const PeelCandidate& candidate) {
      return std::ranges::any_of(expr::conjuncts(node->condition), [&](const Expr& part) {
        return expr::same(part, candidate.condition);
      });
    };
    if (node && !node->else_body && std::ranges::all_of(candidates, asks)) return true;
    return std::ranges::all_of(children(body),
                               [&](const Stmt& child) { return guard_all(child, candidates); });
  }

  // Where all of these hold, and of the others none.
  static Stmt without(const Stmt& body, const std::vector<PeelCandidate>& candidates,
                      const std::vector<PeelCandidate>& refused = {}) {
    const auto is_refused = [&](const Expr& condition) {
      return std::ranges::any_of(expr::conjuncts(condition), [&](const Expr& part) {
        return std::ranges::any_of(
            refused, [&](const PeelCandidate& c) { return expr::same(c.condition, part); });
      });
    };
    const Stmt chosen = rewrite_exprs(body, [&](const Expr& e) {
      return expr::rewrite(e, [&](const Expr& node) -> Expr {
        const auto* choice = node.as<expr::Select>();
        if (!choice) return {};
        if (is_refused(choice->condition)) return choice->when_false;
        const Expr open = open_part(choice->condition, candidates);
        return open.defined() ? expr::select(open, choice->when_true, choice->when_false)
                              : choice->when_true;
      });
    });
    return rewrite(chosen, [&](const Stmt& stmt) -> Stmt {
      const auto* node = as<loop::If>(stmt);
      if (!node) return stmt;
      if (is_refused(node->condition))
        return node->else_body ? node->else_body : loop::sequence({});
      const Expr open = open_part(node->condition, candidates);
      return open.defined() ? make(loop::If{open, node->then_body, node->else_body})
                            : node->then_body;
    });
  }

  Stmt peeled(const For& loop, const std::vector<PeelCandidate>& candidates,
              const expr::Ranges& ranges) {
    expr::Ranges within = ranges;
    add_range(within, loop.variable, loop.extent);
    const std::vector<Edge> edges = edges_of(candidates, within);
    Expr whole_tile;
    for (const Edge& edge : edges) whole_tile = expr::conjunction(whole_tile, edge.whole_tile());
    const bool chooses = std::ranges::any_of(candidates, &PeelCandidate::chooses);
    const bool is_never_whole = never_holds(whole_tile, within);
    if (is_never_whole && !chooses) return loop::over(loop, run(loop.body, within));
    report_.rewrite(
        {"peel",
         {},
         {},
         fmt::format("{} in loop {}", expr::to_string(candidates[0].condition), loop.variable)});
    const bool is_nothing_else = std::ranges::all_of(candidates, &PeelCandidate::is_exact) &&
                                 guard_all(loop.body, candidates);
    const auto run_length = is_never_whole ? std::nullopt : first_run(loop, candidates, ranges);
    if (run_length && loop.kind == loop::ForKind::Serial) {
      const auto part_of_loop = [&](const std::string& variable, const Expr& length,
                                    const Stmt& body) {
        For part = loop;
        part.variable = variable;
        part.extent = length;
        return simplified(loop::over(std::move(part), body), ranges);
      };
      cut_.insert(loop.variable);
      const Stmt first = part_of_loop(loop.variable, *run_length, without(loop.body, candidates));
      std::vector<Stmt> parts;
      if (first) parts.push_back(run(first, ranges));
      if (is_nothing_else) return loop::sequence(std::move(parts));
      const std::string tail = names_.fresh(loop.variable);
      const Stmt shifted = rewrite_exprs(renamed_copy(loop.body, names_), [&](const Expr& e) {
        return expr::substitute(e, {{loop.variable, expr::variable(tail) + *run_length}});
      });
      const Expr left = expr::simplify(loop.extent - *run_length, ranges);
      if (is_of_symbols(loop, candidates)) cut_.insert(tail);
      if (const Stmt last = part_of_loop(tail, left, shifted)) parts.push_back(run(last, ranges));
      return loop::sequence(std::move(parts));
    }
    const Stmt body =
        is_nothing_else
            ? make(loop::If{whole_tile, run(without(loop.body, candidates), within), nullptr})
        : chooses ? choosing(loop.body, candidates, within)
        : is_known_at_each(edges)
            ? asking_edge_by_edge(loop.body, edges, within)
            : make(loop::If{whole_tile, run(without(loop.body, candidates), within),
                            renamed_copy(loop.body, names_)});
    const Stmt result = simplified(loop::over(loop, body), ranges);
    return result ? result : loop::sequence({});
  }

  // A tile reads one of several tensors, or lies across a seam and asks for each element.
  Stmt choosing(const Stmt& body, const std::vector<PeelCandidate>& candidates,
                const expr::Ranges& ranges) {
    std::vector<PeelCandidate> choices, others;
    for (const PeelCandidate& candidate : candidates)
      (candidate.chooses ? choices : others).push_back(candidate);
    // Of choices in one another's arms the outermost was found last.
    std::ranges::reverse(choices);
    Expr holds;
    for (const PeelCandidate& other : others)
      holds = expr::conjunction(holds, expr::below_zero(other.worst));
    int stores = 0;
    walk(body, [&](const Stmt& stmt) { stores += as<loop::Store>(stmt) ? 1 : 0; });
    int room = largest_body / std::max(stores, 1) - 1;
    const Stmt settled = choosing_one_by_one(without(body, others), choices, ranges, room);
    return holds.defined() ? make(loop::If{holds, settled, renamed_copy(body, names_)}) : settled;
  }

  // `room`: for so many more copies of the body; where there is none, elements ask by themselves.
  Stmt choosing_one_by_one(const Stmt& body, std::span<const PeelCandidate> choices,
                           const expr::Ranges& ranges, int& room) {
    while (!choices.empty() && !asks(body, choices.front())) choices = choices.subspan(1);
    if (choices.empty() || room < ways_to_choose - 1)
      return run(renamed_copy(body, names_), ranges);
    room -= ways_to_choose - 1;
    const PeelCandidate& choice = choices.front();
    const auto others = choices.subspan(1);
    const Expr holds = expr::below_zero(choice.worst), holds_nowhere = choice.best >= 0;
    Stmt result = renamed_copy(body, names_);
    if (!never_holds(holds_nowhere, ranges))
      result = make(loop::If{holds_nowhere,
                             choosing_one_by_one(without(body, {}, {choice}), others, ranges, room),
                             std::move(result)});
    if (!never_holds(holds, ranges))
      result =
          make(loop::If{holds, choosing_one_by_one(without(body, {choice}), others, ranges, room),
                        std::move(result)});
    return result;
  }

  static bool asks(const Stmt& body, const PeelCandidate& choice) {
    bool found = false;
    walk(body, [&](const Stmt& stmt) {
      if (const auto* store = as<loop::Store>(stmt))
        expr::visit(store->value,
                    [&](const Expr& e) { found = found || expr::same(e, choice.condition); });
    });
    return found;
  }

  // Each edge doubles the code, so that there are few.
  static bool is_known_at_each(std::span<const Edge> edges) {
    return edges.size() <= most_edges &&
           std::ranges::all_of(edges, [](const Edge& edge) { return edge.last.has_value(); });
  }

  // The tiles at an edge know which of all they are, and so how far they reach.
  Stmt asking_edge_by_edge(const Stmt& body, std::span<const Edge> edges,
                           const expr::Ranges& ranges) {
    if (edges.empty()) return run(body, ranges);
    const Edge& edge = edges.front();
    const auto others = edges.subspan(1);
    // Loops that are cut in the copy at the edge are others' here.
    std::set<std::string> cut = cut_;
    const Stmt at_edge =
        renamed_copy(asking_edge_by_edge(with_value(body, *edge.last), others, ranges), names_);
    cut_ = std::move(cut);
    return make(loop::If{edge.whole_tile(),
                         asking_edge_by_edge(without(body, edge.candidates), others, ranges),
                         at_edge});
  }

  const std::vector<std::string>& symbols_;
  Names names_;
  // Loops of which nothing is cut any more: whole tiles, and what is left where symbols say how
  // many these are. Of numbers it is seen that no tile of the rest is whole.
  std::set<std::string> cut_;
  pass::Report& report_;
};

}  // namespace

Result<loop::Func> peel_predicates(const loop::Func& func, pass::Report& report) {
  expr::Ranges ranges;
  for (const std::string& symbol : func.symbols) ranges[symbol] = {0, greatest_extent};
  return with_body(func, Peeling(func, report).run(func.body, std::move(ranges)));
}

pass::Words peel_predicates_words() {
  return {
      {pass::Word::Kind::Rule, "peel",
       "A loop is cut where a condition begins or ceases to hold, so that it is not asked within."},
      {pass::Word::Kind::Remark, "PEEL_OVER_BUDGET",
       "A loop is not cut, for it asks more conditions than are worth the code."}};
}

}  // namespace loopglass::passes
