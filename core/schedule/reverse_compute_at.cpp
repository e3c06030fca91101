// reverse_compute_at(block, loop): a consumer moves into a loop of its producer, consuming each
// element right after it was computed.
//
// The new loops mirror the producer's: whatever elements it stores in one iteration, through splits
// and fusions, are exactly the ones the consumer is run for. A consumer may itself be a sum, say of
// partial sums: it then adds up what has been computed in each iteration.
#include "core/dependence/coverage.h"
#include "core/dependence/dependence.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

struct Meeting {
  Path producer;  // the last block below the loop that writes the buffer
  std::string buffer;
  std::vector<std::size_t> axes;      // the producer's iteration per dimension
  std::vector<std::size_t> consumed;  // the consumer's iteration per dimension; npos: index 0
};

constexpr std::size_t npos = static_cast<std::size_t>(-1);

// Which buffer the two blocks meet at: of those read by the block and written below the loop the
// one that is complete last.
Result<Meeting> meeting_of(const std::string& call, const Func& func, const Path& target,
                           const Block& block) {
  Meeting meeting;
  for (const expr::Load* load : loads_of(block)) {
    const std::vector<const Block*> writers = writers_of(target.target(), load->buffer);
    if (writers.empty()) continue;
    if (!meeting.buffer.empty() &&
        position_of(func, writers.back()->name) <= position_of(func, meeting.producer.block().name))
      continue;
    meeting.buffer = load->buffer;
    meeting.producer = TRY(find_block(func, writers.back()->name));
  }
  if (meeting.buffer.empty())
    return illegal(call, target.loop().variable,
                   fmt::format("no block under '{}' computes what '{}' reads",
                               target.loop().variable, block.name));
  const std::size_t all = writers_of(func.body, meeting.buffer).size();
  if (writers_of(target.target(), meeting.buffer).size() != all)
    return illegal(call, block.name,
                   fmt::format("'{}' is also written outside that loop", meeting.buffer));
  return meeting;
}

// The consumer must read the buffer at plain iterations, the producer store it at plain ones.
Result<void> match_axes(const std::string& call, const Block& block, Meeting& meeting) {
  const Block& producer = meeting.producer.block();
  const loop::Store* store = only_store(producer);
  const auto axes = store ? plain_store_axes(producer, *store) : std::nullopt;
  if (!axes)
    return illegal(call, producer.name,
                   fmt::format("'{}' is not stored at plain iterations", meeting.buffer));
  meeting.axes = *axes;
  bool first = true;
  for (const expr::Load* load : loads_of(block)) {
    if (load->buffer != meeting.buffer) continue;
    std::vector<std::size_t> consumed;
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      const Expr& index = load->indices[d];
      const auto* variable = index.as<expr::Variable>();
      const auto iter = std::find_if(
          block.iters.begin(), block.iters.end(),
          [&](const loop::IterVar& v) { return variable && v.name == variable->name; });
      const bool only_element = expr::as_integer(index) == 0 &&
                                expr::as_integer(producer.iters[meeting.axes[d]].extent) == 1;
      if (iter == block.iters.end() && !only_element)
        return illegal(call, block.name,
                       fmt::format("it reads '{}' at {}, not at the element just computed",
                                   meeting.buffer, expr::to_string(index)));
      consumed.push_back(
          iter == block.iters.end() ? npos : static_cast<std::size_t>(iter - block.iters.begin()));
    }
    std::vector<std::size_t> distinct = consumed;
    std::erase(distinct, npos);
    std::sort(distinct.begin(), distinct.end());
    if ((!first && consumed != meeting.consumed) ||
        std::adjacent_find(distinct.begin(), distinct.end()) != distinct.end())
      return illegal(call, block.name,
                     fmt::format("it reads several elements of '{}' at a time", meeting.buffer));
    meeting.consumed = std::move(consumed);
    first = false;
  }
  return {};
}

// What the loops of a path, down to its target, are called, but for those of one iteration.
std::set<std::string> turning_loops(const Path& target) {
  std::set<std::string> names;
  std::vector<const For*> loops = target.loops();
  loops.push_back(&target.loop());
  for (const For* loop : loops)
    if (expr::as_integer(loop->extent) != 1) names.insert(loop->variable);
  return names;
}

bool uses_any(const Expr& e, const std::set<std::string>& variables) {
  return std::ranges::any_of(expr::variables_of(e),
                             [&](const std::string& each) { return variables.contains(each); });
}

// Whether each iteration of the target computes all that the block reads there of a buffer other
// than the one they meet at: along a dimension either all of it, or what the iteration is for, by
// the same expression as the producer that they meet at. Each iteration has elements of its own.
bool is_read_as_computed(const Func& func, const Path& target, const Block& block,
                         const Meeting& meeting, const std::string& buffer) {
  const std::set<std::string> outer = turning_loops(target);
  const std::vector<const Block*> writers = writers_of(target.target(), buffer);
  if (writers.size() != writers_of(func.body, buffer).size()) return false;
  for (const Block* writer : writers) {
    const loop::Store* store = only_store(*writer);
    const auto axes = store ? plain_store_axes(*writer, *store) : std::nullopt;
    const auto path = find_block(func, writer->name);
    if (!axes || !path || !runs_every_instance(*path)) return false;
    std::set<std::string> told_apart;
    for (std::size_t i = 0; i < writer->iters.size(); ++i) {
      const loop::IterVar& iter = writer->iters[i];
      if (!uses_any(iter.binding, outer)) continue;
      const auto d = static_cast<std::size_t>(std::ranges::find(*axes, i) - axes->begin());
      if (d == axes->size()) return false;  // a sum over these loops, or what is stored again
      // All that reads it must do so where the meeting's producer is at the same place.
      for (const expr::Load* load : loads_of(block)) {
        if (load->buffer != buffer) continue;
        const auto* read = load->indices[d].as<expr::Variable>();
        bool is_same = false;
        for (std::size_t m = 0; read && m < meeting.axes.size(); ++m)
          is_same =
              is_same ||
              (meeting.consumed[m] != npos && block.iters[meeting.consumed[m]].name == read->name &&
               expr::same(meeting.producer.block().iters[meeting.axes[m]].binding, iter.binding) &&
               expr::same(meeting.producer.block().iters[meeting.axes[m]].extent, iter.extent));
        if (!is_same) return false;
      }
      for (const std::string& each : expr::variables_of(iter.binding)) told_apart.insert(each);
    }
    if (!std::ranges::includes(told_apart, outer)) return false;
  }
  return true;
}

// Nothing else the block reads may be computed later than the new place, and what it computes must
// not be read before its old one.
Result<void> check_order(const std::string& call, const Func& func, const Path& target,
                         const Block& block, const Meeting& meeting) {
  const std::size_t place = position_of(func, meeting.producer.block().name);
  const For* outermost = target.loops().empty() ? &target.loop() : target.loops()[0];
  const Stmt nest =
      target.statements[static_cast<std::size_t>(target.index_of_loop(outermost->variable))];
  for (const expr::Load* load : loads_of(block)) {
    if (load->buffer == meeting.buffer) continue;
    if (!writers_of(nest, load->buffer).empty() &&
        !is_read_as_computed(func, target, block, meeting, load->buffer))
      return illegal(
          call, block.name,
          fmt::format("it also reads '{}', of which loop '{}' has computed only a part by then",
                      load->buffer, outermost->variable));
    for (const Block* writer : writers_of(func.body, load->buffer))
      if (position_of(func, writer->name) > place)
        return illegal(call, writer->name,
                       fmt::format("'{}' also reads '{}', which is computed after loop '{}'",
                                   block.name, load->buffer, target.loop().variable));
  }
  for (const loop::IterVar& iter : meeting.producer.block().iters) {
    if (!iter.reduction) continue;
    std::vector<const For*> around = target.loops();
    around.push_back(&target.loop());
    for (const For* node : around)
      if (expr::uses_variable(iter.binding, node->variable))
        return illegal(call, node->variable,
                       fmt::format("'{}' is still being summed over '{}' there", meeting.buffer,
                                   node->variable));
  }
  return {};
}

Result<void> check_block(const std::string& call, const Func& func, const Block& block) {
  const loop::Store* store = only_store(block);
  const bool sums = has_reduction(block) && block.init && block.reducer;
  if (!store || block.predicate.defined() || (!sums && (has_reduction(block) || block.init)))
    return illegal(
        call, block.name,
        fmt::format(
            "block '{}' is neither an elementwise computation nor a sum from an initial value",
            block.name));
  TRY_VOID(check_lone_writer(call, func, block));
  if (loads_itself(block) && !updates_by_reducer(block))
    return illegal(
        call, block.name,
        fmt::format("block '{}' goes on from what '{}' held before", block.name, store->buffer));
  return {};
}

// What stores to an element more than once leaves what its last iteration makes: the producer's
// loops may well end with another.
Result<void> check_stores_once(const std::string& call, const Func& func, const Block& block) {
  if (has_reduction(block)) return {};
  const auto axes = plain_store_axes(block, *only_store(block));
  const auto walked =
      std::count_if(block.iters.begin(), block.iters.end(),
                    [](const loop::IterVar& iter) { return expr::as_integer(iter.extent) != 1; });
  const auto stored = axes ? std::count_if(axes->begin(), axes->end(),
                                           [&](std::size_t axis) {
                                             return expr::as_integer(block.iters[axis].extent) != 1;
                                           })
                           : -1;
  if (stored == walked) return {};
  const Order order(func);
  for (const Access& access : order.accesses())
    if (access.is_store && access.block && access.block->name == block.name &&
        order.may_follow(access, access))
      return illegal(call, block.name,
                     fmt::format("block '{}' need not store each iteration to an element of its "
                                 "own, and the last to store would be another",
                                 block.name));
  return {};
}

// The loops below the target that the producer's spatial iterations use, under new names.
struct Mirror {
  std::vector<NewLoop> loops;
  Bindings renamed;
  std::set<std::string> dropped;  // loops of the reduction
};

// What the loops of a sum are called that are to follow one loop of the producer each: its terms
// are the producer's elements, but it goes through them for a reason of its own.
std::map<std::string, std::string> own_names(const Block& block, const Meeting& meeting) {
  std::map<std::string, std::string> result;
  if (!has_reduction(block)) return result;
  for (std::size_t d = 0; d < meeting.axes.size(); ++d) {
    if (meeting.consumed[d] == npos) continue;
    const auto* from = meeting.producer.block().iters[meeting.axes[d]].binding.as<expr::Variable>();
    const auto* to = block.iters[meeting.consumed[d]].binding.as<expr::Variable>();
    if (from && to) result[from->name] = to->name;
  }
  return result;
}

Mirror mirror_of(const Path& target, const Path& producer,
                 const std::map<std::string, std::string>& wanted, Names& names) {
  Mirror mirror;
  const std::size_t depth = target.loops().size() + 1;
  const std::vector<const For*> loops = producer.loops();
  for (std::size_t i = depth; i < loops.size(); ++i) {
    const std::string& variable = loops[i]->variable;
    const bool spatial =
        std::any_of(producer.block().iters.begin(), producer.block().iters.end(),
                    [&](const loop::IterVar& iter) {
                      return !iter.reduction && expr::uses_variable(iter.binding, variable);
                    });
    if (!spatial) {
      mirror.dropped.insert(variable);
      continue;
    }
    const auto own = wanted.find(variable);
    mirror.loops.push_back(
        {names.fresh(own == wanted.end() ? variable : own->second), loops[i]->extent});
    mirror.renamed[variable] = expr::variable(mirror.loops.back().variable);
  }
  return mirror;
}

Result<Stmt> placed(const std::string& call, const Path& target, const Block& block,
                    const Meeting& meeting, Names& names, std::vector<std::string>& made) {
  const Block& producer = meeting.producer.block();
  Mirror mirror = mirror_of(target, meeting.producer, own_names(block, meeting), names);
  Block copy = block;
  std::vector<bool> bound(block.iters.size(), false);
  for (std::size_t d = 0; d < meeting.axes.size(); ++d) {
    if (meeting.consumed[d] == npos) continue;
    const loop::IterVar& from = producer.iters[meeting.axes[d]];
    loop::IterVar& to = copy.iters[meeting.consumed[d]];
    to.binding = expr::substitute(from.binding, mirror.renamed);
    bound[meeting.consumed[d]] = true;
    if (!expr::same(from.extent, to.extent)) {
      // Padding of the producer's axis is not the consumer's; the reverse would leave elements out.
      const auto produced = expr::as_integer(from.extent), wanted = expr::as_integer(to.extent);
      if (!produced || !wanted || *wanted > *produced)
        return illegal(
            call, block.name,
            fmt::format("its axis '{}' of {} is not covered by the {} elements of '{}'", to.name,
                        expr::to_string(to.extent), expr::to_string(from.extent), meeting.buffer));
      copy.predicate = expr::conjunction(copy.predicate, to.binding < to.extent);
    }
  }
  for (const Expr& condition : expr::conjuncts(loop_predicate(producer))) {
    const std::set<std::string> used = expr::variables_of(condition);
    const auto reduced = [&](const std::string& name) { return mirror.dropped.contains(name); };
    if (std::none_of(used.begin(), used.end(), reduced))
      copy.predicate =
          expr::conjunction(copy.predicate, expr::substitute(condition, mirror.renamed));
    else if (!std::all_of(used.begin(), used.end(), reduced))
      return illegal(call, producer.name,
                     fmt::format("its predicate {} mixes spatial and reduction loops",
                                 expr::to_string(condition)));
  }
  for (std::size_t i = 0; i < copy.iters.size(); ++i) {
    if (bound[i]) continue;
    mirror.loops.push_back({names.fresh(loop_name(copy.iters[i])), copy.iters[i].extent});
    copy.iters[i].binding = expr::variable(mirror.loops.back().variable);
  }
  for (const NewLoop& loop : mirror.loops) made.push_back(loop.variable);
  return nest_of(mirror.loops, std::move(copy));
}

Result<Applied> apply_reverse_compute_at(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string& variable = name_at(arguments, 1);
  const std::string call = fmt::format("reverse_compute_at({}, {})", name, variable);
  const Path source = TRY(find_block(func, name));
  const Block block = source.block();
  TRY_VOID(check_block(call, func, block));
  TRY_VOID(check_stores_once(call, func, block));
  if (source.index_of_loop(variable) >= 0)
    return illegal(call, variable, fmt::format("block '{}' is inside that loop already", name));
  TRY(find_loop(func, variable));
  const Func removed = with_body(func, without_block(source));
  const Path target = TRY(find_loop(removed, variable));
  for (const For* outer : target.loops())
    if (outer->kind == loop::ForKind::Vectorized)
      return illegal(call, outer->variable,
                     fmt::format("'{}' around the place is vectorized", outer->variable));
  if (target.loop().kind == loop::ForKind::Vectorized)
    return illegal(call, variable, "the loop is vectorized");

  Meeting meeting = TRY(meeting_of(call, removed, target, block));
  TRY_VOID(match_axes(call, block, meeting));
  TRY_VOID(check_order(call, removed, target, block, meeting));
  Names names(removed);
  names.keep_clear_of(block);
  std::vector<std::string> made;
  const Block own = clear_of_loops(block, target, names, loop::buffers_of(func));
  const Stmt nest = TRY(placed(call, target, own, meeting, names, made));

  std::vector<Stmt> body = statements_of(target.loop().body);
  const auto last = std::find_if(body.rbegin(), body.rend(), [&](const Stmt& stmt) {
    return !writers_of(stmt, meeting.buffer).empty();
  });
  body.insert(last.base(), nest);
  For changed = target.loop();
  changed.body = loop::sequence(std::move(body));
  Func moved = with_body(removed, replace(target, loop::make(std::move(changed))));
  if (has_reduction(block)) TRY_VOID(check_sums_in_place(call, TRY(find_block(moved, name))));
  if (!runs_every_instance(source))
    return illegal(call, name, fmt::format("block '{}' need not run everywhere", name));
  if (!runs_every_instance(meeting.producer))
    return illegal(call, meeting.producer.block().name,
                   fmt::format("block '{}' need not compute all of '{}'",
                               meeting.producer.block().name, meeting.buffer));
  TRY_VOID(check_moved(call, func, name, moved, name));
  return Applied{std::move(moved), made, {}};
}

}  // namespace

Primitive reverse_compute_at() {
  return {"reverse_compute_at",
          "Moves a consumer, elementwise or a sum, into a loop of its producer, to use each value "
          "while it is at "
          "hand.",
          "for y in 8 { for x in 8 { A[y, x] = ... } }  for i in 8 { for j in 8 { B[i, j] = "
          "max(A[i, j], 0) } }",
          "for y in 8 { for x in 8 { A[y, x] = ... }  for b in 8 { B[y, b] = max(A[y, b], 0) } }",
          {{"block", ParameterKind::Block, "the consumer"},
           {"loop", ParameterKind::Loop, "a loop around its producer", choices::loops_elsewhere()}},
          apply_reverse_compute_at};
}

}  // namespace loopglass::schedule
