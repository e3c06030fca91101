#include "core/debug/bisect.h"

#include <fmt/format.h>

#include <vector>

namespace loopglass::debug {

namespace {

using pass::Position;
using GraphPtr = std::shared_ptr<const graph::Graph>;

constexpr std::size_t whole_step = pass::Report::all;

// One search. Positions are in the order of the history.
class Search {
 public:
  Search(Session& session, const pass::GraphHistory& history, const Predicate& predicate,
         const BisectOptions& options)
      : session_(session), history_(history), predicate_(predicate), options_(options) {}

  Result<BisectReport> operator()(const Position& good, const Position& bad) {
    const std::vector<Position> ends = TRY(different_ends(good, bad));
    expected_probes_ = options_.thorough ? ends.size() : 2;
    for (std::size_t n = ends.size() + history_.steps[bad.step].rewrites.size(); n > 1; n /= 2)
      ++expected_probes_;
    // Asked at the position that was named, though steps that change nothing may lie before it.
    if (!TRY(ask(bad)).bad && !options_.thorough) return finish(BisectOutcome::NoDisagreement);
    if (TRY(ask(ends.front())).bad) return finish(BisectOutcome::BadFromTheStart);
    const std::size_t guilty = TRY(options_.thorough ? first_of_all(ends) : halve(ends));
    if (guilty == 0) return finish(BisectOutcome::NoDisagreement);
    TRY_VOID(inside(ends[guilty - 1], ends[guilty]));
    return finish(BisectOutcome::Found);
  }

 private:
  // The two ends and the ends of steps between them, without those that change nothing.
  Result<std::vector<Position>> different_ends(const Position& good, const Position& bad) {
    std::vector<Position> ends{good};
    GraphPtr last = TRY(session_.graph_at(good.step, good.rewrites));
    for (std::size_t step = good.step; step <= bad.step; ++step) {
      const Position end{step, step == bad.step ? bad.rewrites : whole_step};
      const GraphPtr graph = TRY(session_.graph_at(end.step, end.rewrites));
      if (graph == last) continue;
      ends.push_back(end);
      last = graph;
    }
    return ends;
  }

  Result<Verdict> ask(const Position& position) {
    for (const Probe& probe : report_.probes)
      if (probe.position == position) return probe.verdict;
    // A step that changes nothing has the graph of the one before. (In the middle of a step a graph
    // is made anew each time.)
    const GraphPtr graph = TRY(session_.graph_at(position.step, position.rewrites));
    for (std::size_t i = 0; i < graphs_.size(); ++i)
      if (graphs_[i] == graph) return report_.probes[i].verdict;
    if (options_.control.cancellation.requested())
      return fail(Code::Cancelled, "the search was cancelled");
    const std::size_t asked = report_.probes.size();
    if (options_.control.progress)
      options_.control.progress(
          "asking " + describe(position, history_),
          static_cast<double>(asked) / static_cast<double>(std::max(asked + 1, expected_probes_)));
    Verdict verdict = TRY(predicate_(position, graph));
    report_.probes.push_back({position, verdict});
    graphs_.push_back(graph);
    return verdict;
  }

  // The index of a bad end whose neighbour is good.
  Result<std::size_t> halve(const std::vector<Position>& ends) {
    std::size_t good = 0, bad = ends.size() - 1;
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (TRY(ask(ends[middle])).bad ? bad : good) = middle;
    }
    return bad;
  }

  // The index of the first bad end, 0 if there is none; those good again after it are noted.
  Result<std::size_t> first_of_all(const std::vector<Position>& ends) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const bool bad = TRY(ask(ends[i])).bad;
      if (bad && first == 0) first = i;
      if (!bad && first != 0) report_.good_again.push_back(ends[i]);
    }
    return first;
  }

  // The guilty rewrite of a step whose beginning (or `before`, when it lies inside) is good.
  Result<void> inside(const Position& before, const Position& after) {
    const auto& step = history_.steps[after.step];
    const std::size_t rewrites = step.rewrites.size();
    std::size_t good = before.step == after.step ? std::min(before.rewrites, rewrites) : 0;
    std::size_t bad = std::min(after.rewrites, rewrites);
    const auto at = [&](std::size_t made) { return normalised({after.step, made}, history_); };
    Culprit culprit{.before = before,
                    .after = after,
                    .pass = step.pass.name,
                    .is_allowed = step.pass.numerics == pass::Numerics::AsAllowed};
    culprit.verdict_before = TRY(ask(before));
    culprit.verdict_after = TRY(ask(after));
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      const Verdict verdict = TRY(ask(at(middle)));
      (verdict.bad ? bad : good) = middle;
      (verdict.bad ? culprit.verdict_after : culprit.verdict_before) = verdict;
    }
    if (bad > good) {
      culprit.before = at(good);
      culprit.after = at(bad);
      culprit.rewrite = step.rewrites[bad - 1];
      culprit.number = bad;
      TRY_VOID(name_operators(culprit));
    }
    report_.culprit = std::move(culprit);
    return {};
  }

  Result<void> name_operators(Culprit& culprit) {
    const auto names =
        [&](const Position& position,
            const std::vector<std::uint32_t>& nodes) -> Result<std::vector<std::string>> {
      const GraphPtr graph = TRY(session_.graph_at(position.step, position.rewrites));
      std::vector<std::string> names;
      for (const std::uint32_t node : nodes)
        if (const graph::Node* found = graph->find(graph::NodeId{node}))
          names.push_back(found->name);
      return names;
    };
    culprit.consumed = TRY(names(culprit.before, culprit.rewrite->consumed));
    culprit.made = TRY(names(culprit.after, culprit.rewrite->made));
    return {};
  }

  BisectReport finish(BisectOutcome outcome) {
    report_.outcome = outcome;
    return std::move(report_);
  }

  Session& session_;
  const pass::GraphHistory& history_;
  const Predicate& predicate_;
  const BisectOptions& options_;
  BisectReport report_;
  std::vector<GraphPtr> graphs_;  // of the probes
  std::size_t expected_probes_ = 0;
};

}  // namespace

std::string_view name(BisectOutcome outcome) {
  switch (outcome) {
    case BisectOutcome::Found: return "found";
    case BisectOutcome::NoDisagreement: return "no-disagreement";
    case BisectOutcome::BadFromTheStart: return "bad-from-the-start";
  }
  __builtin_unreachable();
}

Result<BisectReport> bisect(Session& session, Position good, Position bad,
                            const Predicate& predicate, const BisectOptions& options) {
  const auto history = TRY(session.graph_history());
  for (Position* position : {&good, &bad}) {
    if (position->step >= history->steps.size())
      return fail(Code::UsageInvalid, fmt::format("there is no step {}; the last is {}",
                                                  position->step, history->steps.size() - 1));
    *position = normalised(*position, *history);
  }
  if (good > bad) std::swap(good, bad);
  if (good == bad)
    return fail(Code::UsageInvalid, "between a position and itself there is nothing to search");
  return Search(session, *history, predicate, options)(good, bad);
}

}  // namespace loopglass::debug
