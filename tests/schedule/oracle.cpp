#include "tests/schedule/oracle.h"

#include "core/expr/rewrite.h"
#include "core/loop/interpreter.h"
#include "core/loop/reference_interpreter.h"
#include "core/loop/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace loopglass::schedule {

namespace {

using loop::as;
using loop::Func;
using loop::Stmt;

// What a statement of the nest is in the trace.
struct Place {
  std::string name;  // the block, and which of its statements; empty outside blocks
  std::vector<std::string> iters;
  std::string updated;  // the buffer that a declared reduction updates here
};

bool loads(const expr::Expr& e, const std::string& buffer) {
  bool found = false;
  expr::visit(e, [&](const expr::Expr& node) {
    const auto* load = node.as<expr::Load>();
    found |= load && load->buffer == buffer;
  });
  return found;
}

// A[i] = reducer(A[i], rest) under a reduction that says so.
bool is_declared_update(const loop::Block& block, const loop::Store& store) {
  const bool reduces = std::any_of(block.iters.begin(), block.iters.end(),
                                   [](const loop::IterVar& iter) { return iter.reduction; });
  const auto* value = store.value.as<expr::Binary>();
  if (!block.reducer || !reduces || !value || loads(value->right, store.buffer)) return false;
  const expr::Expr own = expr::load(store.value.type(), store.buffer, store.indices);
  return expr::same(store.value, te::combine(*block.reducer, own, value->right));
}

std::map<const loop::StmtNode*, Place> places_of(const Func& func) {
  std::map<const loop::StmtNode*, Place> places;
  loop::walk(func.body, [&](const Stmt& stmt) {
    const loop::Block* block = as<loop::Block>(stmt);
    if (!block) return;
    Place place{block->name, {}, {}};
    for (const loop::IterVar& iter : block->iters) place.iters.push_back(iter.name);
    const auto number = [&](const Stmt& root, const std::string& part) {
      int count = 0;
      loop::walk(root, [&](const Stmt& inner) {
        Place& known = places[inner.get()];
        known = place;
        known.name = fmt::format("{}.{}{}", place.name, part, count++);
        if (const loop::Store* store = as<loop::Store>(inner);
            store && part.empty() && is_declared_update(*block, *store))
          known.updated = store->buffer;
      });
    };
    places[stmt.get()] = place;
    number(block->init, "init");
    number(block->body, "");
  });
  return places;
}

struct Access {
  std::string buffer;
  std::int64_t element;
  std::uint64_t memory;
  bool is_store;
  const loop::StmtNode* statement;
  loop::Variables variables;
};

struct Run {
  std::vector<Tensor> results;
  std::vector<Access> trace;
  std::string error;
};

void fill(Tensor& tensor, std::uint64_t seed, Terms terms) {
  std::mt19937_64 random(seed);
  visit_type(tensor.data_type(), [&]<class T>(T) {
    for (T& value : tensor.as<T>()) {
      const auto drawn = random();
      if constexpr (std::is_same_v<T, bool>) value = drawn & 1;
      else if constexpr (std::is_integral_v<T>) value = static_cast<T>(drawn % 5);
      else if (terms == Terms::InAnyOrder) value = static_cast<T>(static_cast<int>(drawn % 7) - 3);
      else value = static_cast<T>(static_cast<double>(drawn % 1000003) / 250000.0 - 2);
    }
  });
}

// On arguments of another nest, of the same meaning; constants are packed as this one asks.
Run run(const Func& func, const std::vector<Tensor>& arguments, bool traced) {
  Run result;
  for (std::size_t p = 0; p < arguments.size(); ++p) {
    const loop::Buffer& wanted = func.parameters[p];
    Tensor copy(arguments[p].type());
    std::copy_n(arguments[p].data(), arguments[p].bytes(), copy.data());
    result.results.push_back(loop::pack(wanted, copy).reshaped(te::concrete(wanted.shape)));
  }
  const auto watch = [&](const loop::AccessEvent& event) {
    result.trace.push_back({event.buffer, event.element, event.memory, event.is_store,
                            event.statement, event.variables});
  };
  try {
    loop::interpret_plainly(func, result.results, {},
                            traced ? loop::AccessWatch(watch) : loop::AccessWatch());
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

std::string differing_result(const Func& before, const Run& a, const Run& b) {
  for (std::size_t p = 0; p < before.parameters.size(); ++p) {
    if (before.parameters[p].role != loop::Role::Output) continue;
    for (std::int64_t i = 0; i < a.results[p].elements(); ++i) {
      const double x = a.results[p].double_at(i), y = b.results[p].double_at(i);
      if (x != y && (x == x || y == y))
        return fmt::format("{}[{}] was {} and is {}", before.parameters[p].name, i, x, y);
    }
  }
  return {};
}

// The instances that meet one element, in an order in which only what may change places is sorted.
class History {
 public:
  void add(const Access& access, const Place& place) {
    std::string instance = place.name;
    for (const std::string& iter : place.iters)
      instance += fmt::format(" {}", access.variables.at(iter));
    // The load and store of an update are one.
    if (access.is_store && place.updated == access.buffer && !events_.empty() &&
        events_.back().group == "read" && events_.back().instance == instance) {
      events_.back().group = place.name;
      return;
    }
    events_.push_back({access.is_store ? "" : "read", std::move(instance)});
  }

  std::string canonical() {
    for (auto first = events_.begin(); first != events_.end();) {
      auto last = first + 1;
      while (last != events_.end() && !first->group.empty() && last->group == first->group) ++last;
      std::sort(first, last,
                [](const Event& a, const Event& b) { return a.instance < b.instance; });
      first = last;
    }
    std::string text;
    for (const Event& event : events_)
      text += fmt::format("{}({}) ", event.group.empty() ? "write" : event.group, event.instance);
    return text;
  }

 private:
  struct Event {
    std::string group;  // "read", the reduction, or empty for what keeps its place
    std::string instance;
  };
  std::vector<Event> events_;
};

// One line an element; stores outside blocks are not told apart and left to the results.
std::multiset<std::string> histories(const Func& func, const std::vector<Access>& trace) {
  const auto places = places_of(func);
  std::map<std::pair<std::uint64_t, std::int64_t>, std::pair<std::string, History>> found;
  for (const Access& access : trace) {
    const auto place = places.find(access.statement);
    if (place == places.end()) continue;
    auto& [name, history] = found[{access.memory, access.element}];
    name = fmt::format("{}[{}]", access.buffer, access.element);
    history.add(access, place->second);
  }
  std::multiset<std::string> lines;
  for (auto& [key, entry] : found)
    lines.insert(fmt::format("{}: {}", entry.first, entry.second.canonical()));
  return lines;
}

std::string differing_order(const std::multiset<std::string>& was,
                            const std::multiset<std::string>& is) {
  if (was == is) return {};
  std::vector<std::string> gone, come;
  std::set_difference(was.begin(), was.end(), is.begin(), is.end(), std::back_inserter(gone));
  std::set_difference(is.begin(), is.end(), was.begin(), was.end(), std::back_inserter(come));
  return fmt::format("a dependence is turned round: {} became {}",
                     gone.empty() ? "nothing" : gone.front(),
                     come.empty() ? "nothing" : come.front());
}

// What two iterations of a loop that may run at once do to one element.
struct Encounter {
  std::set<std::int64_t> iterations;
  std::map<std::int64_t, bool> stored_first;  // of each iteration
  bool stored = false;
};

std::string conflict_in(const Func& func, const Stmt& stmt, const std::vector<std::string>& around,
                        const std::vector<Access>& trace) {
  const loop::For& node = *as<loop::For>(stmt);
  std::set<const loop::StmtNode*> inside;
  loop::walk(node.body, [&](const Stmt& inner) { inside.insert(inner.get()); });
  std::set<std::string> outside;
  for (const loop::Buffer& parameter : func.parameters) outside.insert(parameter.name);
  using Key = std::pair<std::vector<std::int64_t>, std::pair<std::uint64_t, std::int64_t>>;
  std::map<Key, std::pair<std::string, Encounter>> meetings;
  for (const Access& access : trace) {
    if (!inside.contains(access.statement)) {
      outside.insert(access.buffer);
      continue;
    }
    Key key{{}, {access.memory, access.element}};
    for (const std::string& variable : around) key.first.push_back(access.variables.at(variable));
    auto& [name, meeting] = meetings[key];
    name = access.buffer;
    const std::int64_t iteration = access.variables.at(node.variable);
    meeting.iterations.insert(iteration);
    meeting.stored_first.emplace(iteration, access.is_store);
    meeting.stored |= access.is_store;
  }
  for (const auto& [key, entry] : meetings) {
    const auto& [name, meeting] = entry;
    if (!meeting.stored || meeting.iterations.size() < 2) continue;
    // Each thread has a buffer of its own for what an iteration hands to itself.
    const bool own = node.kind != loop::ForKind::Vectorized && !outside.contains(name) &&
                     std::all_of(meeting.stored_first.begin(), meeting.stored_first.end(),
                                 [](const auto& first) { return first.second; });
    if (own) continue;
    return fmt::format("iterations {} of {} '{}' meet at {}[{}]",
                       fmt::join(meeting.iterations, ", "), loop::name(node.kind), node.variable,
                       name, key.second.second);
  }
  return {};
}

void each_loop(const Stmt& stmt, std::vector<std::string>& around,
               const std::function<void(const Stmt&, const std::vector<std::string>&)>& visit) {
  if (!stmt) return;
  if (const loop::For* node = as<loop::For>(stmt)) {
    visit(stmt, around);
    around.push_back(node->variable);
    each_loop(node->body, around, visit);
    around.pop_back();
  } else if (const loop::Alloc* alloc = as<loop::Alloc>(stmt)) {
    each_loop(alloc->body, around, visit);
  } else if (const loop::Seq* seq = as<loop::Seq>(stmt)) {
    for (const Stmt& inner : seq->statements) each_loop(inner, around, visit);
  } else if (const loop::If* branch = as<loop::If>(stmt)) {
    each_loop(branch->then_body, around, visit);
    each_loop(branch->else_body, around, visit);
  } else if (const loop::Block* block = as<loop::Block>(stmt)) {
    each_loop(block->body, around, visit);
  }
}

std::string conflict(const Func& func, const std::vector<Access>& trace) {
  std::string result;
  std::vector<std::string> around;
  each_loop(func.body, around, [&](const Stmt& stmt, const std::vector<std::string>& outer) {
    const loop::ForKind kind = as<loop::For>(stmt)->kind;
    if (result.empty() && kind != loop::ForKind::Serial && kind != loop::ForKind::Unrolled)
      result = conflict_in(func, stmt, outer, trace);
  });
  return result;
}

}  // namespace

std::vector<Tensor> oracle_arguments(const Func& func, std::uint64_t seed, Terms terms) {
  std::vector<Tensor> arguments;
  for (std::size_t p = 0; p < func.parameters.size(); ++p) {
    const loop::Buffer& buffer = func.parameters[p];
    arguments.emplace_back(TensorType{buffer.type, te::concrete(buffer.shape)});
    fill(arguments.back(), seed * 64 + p, terms);
  }
  return arguments;
}

// Of the nest itself, as they are asked for. Its trace does not depend on how exact numbers are.
struct Oracle::Runs {
  std::map<std::pair<std::uint64_t, Terms>, Run> by_seed;
  std::optional<std::multiset<std::string>> histories;
};

Oracle::Oracle(Func before) : before_(std::move(before)), runs_(std::make_unique<Runs>()) {}
Oracle::~Oracle() = default;

std::string Oracle::objection(const Func& after, Terms terms, Instances instances) {
  if (const auto valid = loop::verify(after); !valid) return "unsound: " + to_string(valid.error());
  for (const std::uint64_t seed : {1, 2}) {
    // The shape of a trace rarely depends on the numbers: one is looked at.
    const bool traced = seed == 1;
    const std::vector<Tensor> arguments = oracle_arguments(before_, seed, terms);
    const auto known = runs_->by_seed.find({seed, terms});
    const Run& a = known != runs_->by_seed.end()
                       ? known->second
                       : runs_->by_seed[{seed, terms}] = run(before_, arguments, traced);
    const Run b = run(after, arguments, traced);
    if (!b.error.empty()) return b.error;
    if (std::string found = differing_result(before_, a, b); !found.empty()) return found;
    if (!traced) continue;
    if (instances == Instances::AsTheyWere) {
      if (!runs_->histories) runs_->histories = histories(before_, a.trace);
      if (std::string found = differing_order(*runs_->histories, histories(after, b.trace));
          !found.empty())
        return found;
    }
    if (std::string found = conflict(after, b.trace); !found.empty()) return found;
  }
  return {};
}

bool Oracle::has_meaning() const {
  if (!loop::verify(before_)) return false;
  const Run found = run(before_, oracle_arguments(before_, 1, Terms::InOrder), true);
  if (!found.error.empty()) return false;
  std::set<std::pair<std::uint64_t, std::int64_t>> written;
  for (const Access& access : found.trace) {
    if (access.memory < before_.parameters.size()) continue;
    if (access.is_store) written.insert({access.memory, access.element});
    else if (!written.contains({access.memory, access.element})) return false;
  }
  return conflict(before_, found.trace).empty();
}

}  // namespace loopglass::schedule
