// compute_with(loop, next): two loops that follow one another become one (Halide's primitive of
// this name): what the first hands to the second in one iteration is read while it is near.
#include "core/dependence/dependence.h"
#include "core/dependence/independence.h"
#include "core/dependence/meeting.h"
#include "core/dependence/witness.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Two loops, the second directly behind the first, and the one that they would be.
struct Neighbours {
  Func merged;
  Path loop;                           // of the merged nest
  std::set<const StmtNode*> of_first;  // statements in it that were the first one's

  bool was_first(const Access& access) const { return of_first.contains(access.statement); }
};

Result<Neighbours> neighbours(const std::string& call, const Func& func, const std::string& first,
                              const std::string& second) {
  const Path path = TRY(find_loop(func, first)), other = TRY(find_loop(func, second));
  const For &loop = path.loop(), &next = other.loop();
  const auto* sequence = path.statements.size() > 1
                             ? as<loop::Seq>(path.statements[path.statements.size() - 2])
                             : nullptr;
  const auto place = sequence ? std::ranges::find(sequence->statements, path.target())
                              : std::vector<Stmt>::const_iterator{};
  if (!sequence || place + 1 == sequence->statements.end() || *(place + 1) != other.target())
    return illegal(call, second,
                   fmt::format("loop '{}' does not stand directly behind '{}'", second, first));
  if (loop.kind != next.kind)
    return illegal(
        call, second,
        fmt::format("'{}' is {}, '{}' {}", first, name(loop.kind), second, name(next.kind)));
  if (loop.kind != ForKind::Serial && loop.kind != ForKind::Unrolled &&
      loop.kind != ForKind::Parallel)
    return illegal(call, second, fmt::format("the loops are {}", name(loop.kind)),
                   "merge them before that");
  if (!expr::same(expr::simplify(loop.extent), expr::simplify(next.extent)))
    return illegal(call, second,
                   fmt::format("'{}' has {} iterations, '{}' {}", first,
                               expr::to_string(loop.extent), second, expr::to_string(next.extent)));
  if (path.target()->annotations != other.target()->annotations)
    return illegal(call, second, "what is noted on the loops is not the same");

  const Stmt renamed = substitute_loops(next.body, {{second, expr::variable(first)}});
  const Stmt both = loop::over(loop, loop::sequence({loop.body, renamed}));
  std::vector<Stmt> statements = sequence->statements;
  const auto at = statements.begin() + (place - sequence->statements.begin());
  *at = both;
  statements.erase(at + 1);
  Neighbours result;
  result.merged = with_body(
      func, replace(path, path.statements.size() - 2, loop::sequence(std::move(statements))));
  result.loop = TRY(find_loop(result.merged, first));
  for (const Access& access : accesses_of(loop.body)) result.of_first.insert(access.statement);
  return result;
}

// A pair of accesses, the first loop's and the second's, that came in this order and, in these
// iterations of the merged loop, would come in the other, or at once.
struct Crossing {
  Access first, second;
  Relations relations;  // of the second one's iteration to the first one's
};

template <class Tell>
void each_crossing(const Neighbours& pair, const Tell& tell) {
  const std::vector<Buffer> buffers = loop::buffers_of(pair.merged);
  const expr::Ranges ranges = ranges_of(pair.merged);
  const std::vector<Access> accesses = accesses_of(pair.merged.body);
  const For& loop = pair.loop.loop();
  Relations relations;
  for (const For* outside : pair.loop.loops()) relations[outside->variable] = Relation::Same;
  std::vector<Relation> turned{Relation::Earlier};
  if (loop.kind == ForKind::Parallel) turned.push_back(Relation::Later);
  const auto is_inside = [&](const Access& access) {
    return std::ranges::any_of(
        access.loops, [&](const For* around) { return around->variable == loop.variable; });
  };
  for (const Access& first : accesses) {
    if (!is_inside(first) || !pair.was_first(first)) continue;
    for (const Access& second : accesses) {
      if (!is_inside(second) || pair.was_first(second) || first.buffer != second.buffer ||
          (!first.is_store && !second.is_store))
        continue;
      for (const Relation relation : turned) {
        relations[loop.variable] = relation;
        if (may_meet(first, second, *loop::find_buffer(buffers, first.buffer), relations, ranges) &&
            !never_meet(first, second, relations, ranges) &&
            tell(Crossing{first, second, relations}))
          return;
      }
    }
  }
}

Result<Applied> apply_compute_with(const Func& func, std::span<const Argument> arguments) {
  const std::string &first = name_at(arguments, 0), &second = name_at(arguments, 1);
  const std::string call = fmt::format("compute_with({}, {})", first, second);
  const Neighbours pair = TRY(neighbours(call, func, first, second));
  std::optional<Crossing> crossing;
  each_crossing(pair, [&](Crossing found) {
    crossing = std::move(found);
    return true;
  });
  if (crossing) {
    const expr::Ranges ranges = ranges_of(pair.merged);
    return illegal(
        call, second,
        fmt::format("{}, and perhaps in an iteration that would not come after it {}",
                    described(crossing->first, ranges), described(crossing->second, ranges)));
  }
  const ForKind kind = pair.loop.loop().kind;
  if (kind == ForKind::Parallel)
    TRY_VOID(check_independent(call, pair.merged, pair.loop, private_buffers(kind, pair.loop)));
  return Applied{pair.merged, {}, {}};
}

Search witness_compute_with(const Func& func, std::span<const Argument> arguments) {
  const auto pair = neighbours("compute_with", func, name_at(arguments, 0), name_at(arguments, 1));
  if (!pair) return {};
  const expr::Ranges ranges = ranges_of(pair->merged);
  NearestClash nearest;
  each_crossing(*pair, [&](const Crossing& crossing) {
    nearest.offer(nearest_meeting(crossing.first, crossing.second, crossing.relations, ranges),
                  crossing.first, crossing.second);
    return false;
  });
  return std::move(nearest).or_else([] { return Search{}; });
}

}  // namespace

Primitive compute_with() {
  return {"compute_with",
          "Makes one loop of two that follow one another and have as many iterations: each does "
          "what the same one of both did.",
          "for i in 8 { A[i] = ... }  for j in 8 { B[j] = A[j] }",
          "for i in 8 { A[i] = ...  B[i] = A[i] }",
          {{"loop", ParameterKind::Loop, "the first, which stays"},
           {"next", ParameterKind::Loop, "the one directly behind it",
            choices::loop_directly_behind()}},
          apply_compute_with,
          witness_compute_with};
}

}  // namespace loopglass::schedule
