#include "core/dependence/witness.h"

#include "core/dependence/dependence.h"
#include "core/expr/rewrite.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "core/loop/watched_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loopglass::schedule {

namespace {

using loop::as;
using loop::For;
using loop::Func;
using loop::Stmt;
using loop::StmtNode;
using loop::WatchedRun;

constexpr std::int64_t most_accesses = 2'000'000;  // about a second
constexpr std::int64_t value_of_symbols = 6;       // small, and no power of two

WatchedRun run_of(const Func& func) {
  std::map<std::string, std::int64_t> symbols;
  for (const std::string& symbol : func.symbols) symbols[symbol] = value_of_symbols;
  return {func, std::move(symbols), most_accesses};
}

// Where a statement stands.
struct Place {
  std::string block;
  std::vector<std::string> loops;  // outermost first
  // The buffer that a reduction updates here: terms may come in any order.
  std::string updated;
};

class Places {
 public:
  explicit Places(const Func& func) { collect(func.body, nullptr, false); }
  const Place& of(const StmtNode* statement) const { return places_.at(statement); }

 private:
  void collect(const Stmt& stmt, const loop::Block* block, bool in_init) {
    if (!stmt) return;
    Place place{block ? block->name : "", loops_, {}};
    if (const auto* store = as<loop::Store>(stmt); store && block && !in_init)
      if (updates_by_reducer(*block)) place.updated = store->buffer;
    places_.emplace(stmt.get(), std::move(place));
    if (const For* node = as<For>(stmt)) {
      loops_.push_back(node->variable);
      collect(node->body, block, in_init);
      loops_.pop_back();
    } else if (const auto* inner = as<loop::Block>(stmt)) {
      collect(inner->init, inner, true);
      collect(inner->body, inner, false);
    } else if (const auto* alloc = as<loop::Alloc>(stmt)) {
      collect(alloc->body, block, in_init);
    } else if (const auto* branch = as<loop::If>(stmt)) {
      collect(branch->then_body, block, in_init);
      collect(branch->else_body, block, in_init);
    } else if (const auto* list = as<loop::Seq>(stmt)) {
      for (const Stmt& child : list->statements) collect(child, block, in_init);
    }
  }

  std::unordered_map<const StmtNode*, Place> places_;
  std::vector<std::string> loops_;
};

// The two accesses of these numbers, in full: kept for all, they would be most of the work.
Witness told(const Func& func, const WatchedRun& run, std::int64_t first, std::int64_t second) {
  const Places places(func);
  Witness witness;
  run([&](const loop::AccessEvent& event, std::int64_t number) {
    if (number != first && number != second) return;
    const Place& place = places.of(event.statement);
    Visit visit{place.block, {}, event.is_store};
    for (const std::string& variable : place.loops)
      if (const auto value = event.variables.find(variable); value != event.variables.end())
        visit.loops.emplace_back(*value);
    (number == first ? witness.first : witness.second) = std::move(visit);
    if (number != second) return;
    witness.buffer = event.buffer;
    std::int64_t rest = event.element;
    const Shape& shape = run.shape(event.buffer);
    witness.element.resize(shape.size());
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d])
      witness.element[d] = rest % shape[d];
    throw WatchedRun::Enough{};
  });
  return witness;
}

using Element = std::pair<std::uint64_t, std::int64_t>;  // memory, place in it
struct ElementHash {
  std::size_t operator()(const Element& element) const {
    return static_cast<std::size_t>(element.first * 0x9e3779b97f4a7c15 +
                                    static_cast<std::uint64_t>(element.second));
  }
};

// The numbers of two accesses that clash.
using Pair = std::optional<std::pair<std::int64_t, std::int64_t>>;

Search searched(const Func& func, const WatchedRun& run, bool to_the_end, std::int64_t accesses,
                const Pair& found) {
  Search search{to_the_end ? Searched::Everything : Searched::Part, {}, accesses};
  if (found) {
    search.searched = Searched::Found;
    search.witness = told(func, run, found->first, found->second);
  }
  return search;
}

// Buffers of the nest's own that nothing outside the loop uses.
std::set<std::string> used_only_in(const Func& func, const For& node) {
  std::set<const StmtNode*> inside;
  loop::walk(node.body, [&](const Stmt& stmt) { inside.insert(stmt.get()); });
  std::set<std::string> within, outside;
  for (const loop::Buffer& parameter : func.parameters) outside.insert(parameter.name);
  loop::walk(func.body, [&](const Stmt& stmt) {
    std::set<std::string>& where = inside.contains(stmt.get()) ? within : outside;
    if (const auto* store = as<loop::Store>(stmt)) where.insert(store->buffer);
    loop::each_expr(stmt, [&](const expr::Expr& e) {
      expr::visit(e, [&](const expr::Expr& part) {
        if (const auto* load = part.as<expr::Load>()) where.insert(load->buffer);
      });
    });
  });
  for (const std::string& buffer : outside) within.erase(buffer);
  return within;
}

// What earlier accesses of an element a later one may clash with, seen from one loop.
struct OfIterations {
  struct Seen {
    std::int64_t iteration = 0, number = -1;
  };
  Seen any, another, store;  // `another`: of another iteration than `any`
};

}  // namespace

std::string_view name(Searched searched) {
  switch (searched) {
    case Searched::Derived: return "derived";
    case Searched::Found: return "found";
    case Searched::Everything: return "everything";
    case Searched::Part: return "part";
    case Searched::Nothing: return "nothing";
  }
  __builtin_unreachable();
}

Search run_for_clash_of_iterations(const Func& func, const std::string& variable, Private buffers) {
  const auto path = loop::find_loop(func, variable);
  const WatchedRun run = run_of(func);
  if (!path || !run.can_run()) return {};
  const For* node = &path->loop();
  std::set<const StmtNode*> inside;
  loop::walk(node->body, [&](const Stmt& stmt) { inside.insert(stmt.get()); });
  const std::set<std::string> own =
      buffers == Private::PerIteration ? used_only_in(func, *node) : std::set<std::string>{};
  std::vector<std::string> around;
  for (const For* outer : path->loops()) around.push_back(outer->variable);

  std::vector<std::int64_t> outer(around.size(), -1);
  std::unordered_map<Element, OfIterations, ElementHash> seen;
  Pair found;
  std::int64_t accesses = 0;
  const auto clash = [&](std::int64_t first, std::int64_t second) {
    found = {first, second};
    throw WatchedRun::Enough{};
  };
  const bool to_the_end = run([&](const loop::AccessEvent& event, std::int64_t number) {
    accesses = number + 1;
    if (!inside.contains(event.statement)) return;
    for (std::size_t k = 0; k < around.size(); ++k) {
      const std::int64_t value = event.variables.at(around[k]);
      if (std::exchange(outer[k], value) != value) seen.clear();
    }
    const std::int64_t iteration = event.variables.at(variable);
    OfIterations& here = seen[{event.memory, event.element}];
    // Of a buffer that each iteration has for itself, only what another one handed on is missed.
    const bool is_own = own.contains(event.buffer);
    if (here.store.number >= 0 && here.store.iteration != iteration && !(is_own && event.is_store))
      clash(here.store.number, number);
    if (event.is_store && !is_own)
      for (const OfIterations::Seen& before : {here.any, here.another})
        if (before.number >= 0 && before.iteration != iteration) clash(before.number, number);
    const OfIterations::Seen now{iteration, number};
    if (event.is_store) here.store = now;
    if (here.any.number < 0) here.any = now;
    else if (here.any.iteration != iteration) here.another = now;
  });
  return searched(func, run, to_the_end, accesses, found);
}

namespace {

// The access of each kind that the new order puts last, of those with one place in it.
struct Last {
  std::vector<std::int64_t> place;  // values of the loops, in the new order
  std::int64_t number = -1;
};
struct OfOrder {
  struct Of {
    std::string updates;  // by which reduction; empty: by none
    Last any, store;
  };
  std::vector<Of> kinds;
};

}  // namespace

Search run_for_clash_of_order(const Func& func, const std::vector<std::string>& order) {
  const WatchedRun run = run_of(func);
  if (order.empty() || !run.can_run()) return {};
  const Places places(func);
  std::unordered_map<const StmtNode*, bool> concerned;
  std::vector<std::string> around;  // the loops outside all that move
  loop::walk(func.body, [&](const Stmt& stmt) {
    const std::vector<std::string>& loops = places.of(stmt.get()).loops;
    const auto within = [&](const std::string& variable) {
      return std::find(loops.begin(), loops.end(), variable) != loops.end();
    };
    concerned[stmt.get()] = std::all_of(order.begin(), order.end(), within);
    const For* node = as<For>(stmt);
    if (node && around.empty() &&
        std::find(order.begin(), order.end(), node->variable) != order.end() &&
        std::none_of(order.begin(), order.end(), within))
      around = loops;
  });

  std::vector<std::int64_t> outer(around.size(), -1);
  std::unordered_map<Element, OfOrder, ElementHash> seen;
  Pair found;
  std::int64_t accesses = 0;
  const bool to_the_end = run([&](const loop::AccessEvent& event, std::int64_t number) {
    accesses = number + 1;
    if (!concerned[event.statement]) return;
    for (std::size_t k = 0; k < around.size(); ++k) {
      const std::int64_t value = event.variables.at(around[k]);
      if (std::exchange(outer[k], value) != value) seen.clear();
    }
    std::vector<std::int64_t> place;
    for (const std::string& variable : order) place.push_back(event.variables.at(variable));
    const Place& where = places.of(event.statement);
    const std::string updates = where.updated == event.buffer ? where.block : "";
    OfOrder& here = seen[{event.memory, event.element}];
    OfOrder::Of* own = nullptr;
    for (OfOrder::Of& kind : here.kinds) {
      if (kind.updates == updates) own = &kind;
      if (!updates.empty() && kind.updates == updates) continue;
      const Last& before = event.is_store ? kind.any : kind.store;
      if (before.number >= 0 && place < before.place) {
        found = {before.number, number};
        throw WatchedRun::Enough{};
      }
    }
    if (!own) own = &here.kinds.emplace_back(OfOrder::Of{updates, {}, {}});
    for (Last* last : {&own->any, event.is_store ? &own->store : &own->any})
      if (last->number < 0 || last->place < place) *last = {place, number};
  });
  return searched(func, run, to_the_end, accesses, found);
}

void NearestClash::offer(const std::optional<Meeting>& meeting, const loop::Access& first,
                         const loop::Access& second) {
  if (!meeting || (nearest_ && meeting->distance >= distance_)) return;
  const auto visit = [](const loop::Access& access,
                        const std::map<std::string, std::int64_t>& values) {
    Visit visit{access.block ? access.block->name : "", {}, access.is_store};
    for (const For* node : access.loops)
      visit.loops.emplace_back(node->variable, values.at(node->variable));
    return visit;
  };
  distance_ = meeting->distance;
  nearest_ = Witness{visit(first, meeting->first),
                     visit(second, meeting->second),
                     first.buffer,
                     meeting->element,
                     {meeting->symbols.begin(), meeting->symbols.end()}};
}

std::string visit_words(const Visit& visit, const Witness& witness) {
  std::vector<std::string> symbols;
  for (const auto& [symbol, value] : witness.symbols)
    symbols.push_back(fmt::format("{} = {}", symbol, value));
  std::vector<std::string> loops;
  for (const auto& [variable, value] : visit.loops)
    loops.push_back(fmt::format("{} = {}", variable, value));
  const std::string where =
      symbols.empty() ? "" : fmt::format("where {}, ", fmt::join(symbols, ", "));
  const std::string who = visit.block.empty() ? "a statement" : "block '" + visit.block + "'";
  return fmt::format("{}{}{}{} {} {}[{}]", where, who, loops.empty() ? "" : " at ",
                     fmt::join(loops, ", "), visit.stores ? "stores" : "reads", witness.buffer,
                     fmt::join(witness.element, ", "));
}

std::string search_words(const Search& search) {
  const auto clash = [&](const std::string& how) {
    return fmt::format("these two clash, {}:\n  first  {}\n  then   {}\n", how,
                       visit_words(search.witness->first, *search.witness),
                       visit_words(search.witness->second, *search.witness));
  };
  switch (search.searched) {
    case Searched::Derived: return clash("and none are nearer to one another");
    case Searched::Found:
      return clash(fmt::format("seen when the first {} accesses were run", search.accesses));
    case Searched::Everything:
      return fmt::format(
          "the nest was run, {} accesses, and no two clash: the rule is too careful here\n",
          search.accesses);
    case Searched::Part:
      return fmt::format("no two of the first {} accesses clash\n", search.accesses);
    case Searched::Nothing: return {};
  }
  __builtin_unreachable();
}

}  // namespace loopglass::schedule
