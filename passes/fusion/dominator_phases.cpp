#include "passes/fusion/dominator_phases.h"

#include "core/support/check.h"
#include "core/support/counted.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

using fusion::PlanEvent;
using fusion::Reason;
using fusion::Refusal;

void DominatorPhases::begin_with(const std::set<fusion::Edge>& forced) {
  for (const fusion::Edge& edge : forced) {
    const std::size_t producer = graph_.vertex_of(edge.producer),
                      consumer = graph_.vertex_of(edge.consumer);
    history_.join(producer, consumer, merges_.size());
    if (const std::size_t tuple = graph_.tuple_of(graph_.position(consumer)); tuple != none)
      history_.join(tuple, consumer, merges_.size());
    merges_.push_back({Reason::Fused,
                       "forced by hand = yes",
                       fmt::format("{} and {} were asked to share a kernel.", graph_.name(producer),
                                   graph_.name(consumer)),
                       {}});
  }
}

void DominatorPhases::run(int phase) {
  phase_ = phase;
  static const char* const begins[phases] = {
      "Phase 0: anchors take what follows them, and elementwise chains join.",
      "Phase 1: Injective operators, which waited until the anchors were done, join what follows "
      "them.",
      "Phase 2: producers join the tuples that went into a kernel in phase 1.",
      "Phase 3: products join the softmax of their rows and the product behind it, where what they "
      "hand on is more than caches hold."};
  record(PlanEvent::Kind::Phase, {}, {Reason::Fused, {}, begins[phase], {{"phase", phase}}});
  if (phase == 3)
    for (const fusion::RowChain& chain : graph_.rules().row_chains()) consider_chain(chain);
  else
    for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) consider(vertex, phase);
}

void DominatorPhases::consider_chain(const fusion::RowChain& chain) {
  const std::vector<std::size_t> path{
      graph_.vertex_of(chain.scores), graph_.vertex_of(chain.scaled),
      graph_.vertex_of(chain.softmax), graph_.vertex_of(chain.weighed)};
  Refusal verdict = verdict_on_bands(chain);
  if (chain.is_worth_bands())
    if (auto refusal = groups_.refuse_chain(path)) verdict = *std::move(refusal);
  record(PlanEvent::Kind::Path, path, verdict);
  if (verdict.reason == Reason::Fused) return merge(path, std::move(verdict));
  for (const std::size_t vertex : {path[1], path[2]}) refuse(vertex, {verdict});
}

bool DominatorPhases::refuse_without_sink(std::size_t vertex, int phase) {
  const bool opaque = groups_.own_kind(vertex) == Kind::Opaque;
  if (!opaque && graph_.parent(vertex) != none) return false;
  if (phase > 0) return true;  // nothing has changed since
  const std::string name = graph_.name(vertex);
  const bool makes_one = graph_.rules().outputs(graph_.position(vertex)).size() == 1;
  if (opaque) {
    refuse(
        vertex,
        {{Reason::OpaqueSource,
          fmt::format("kind({}) = Opaque, must be below", name),
          graph_.rules().kind(graph_.position(vertex)) == Kind::Opaque
              ? fmt::format(
                    "{} is Opaque: it is no single loop nest that something could be appended to.",
                    name)
              : fmt::format("{}, and nothing is appended to it.", with_kind(vertex)),
          {}}});
  } else if (graph_.is_result(vertex)) {
    refuse(vertex, {{Reason::GraphOutput,
                     fmt::format("post-dominator({}) = none, must be an operator", name),
                     fmt::format("{}{} is a result of the network and must be written in any case.",
                                 makes_one ? "" : "One result of ", name),
                     {}}});
  } else if (!graph_.edges(vertex).empty()) {
    // Operators, however often each reads it.
    const std::size_t readers = graph_.rules().successors(graph_.position(vertex)).size();
    refuse(vertex,
           {{Reason::NoPostDominator,
             fmt::format("post-dominator({}) = none, must be an operator", name),
             fmt::format("No operator lies on every path from {} through what reads it ({}) to "
                         "the results, so none can take all of them in.",
                         name, counted(readers, "operator")),
             {{"readers", static_cast<double>(readers)}}}});
  }
  return true;
}

void DominatorPhases::consider(std::size_t vertex, int phase) {
  if (refuse_without_sink(vertex, phase)) return;
  const std::size_t sink = graph_.parent(vertex);
  if (groups_.root(vertex) == groups_.root(sink) || !has_turn(vertex, phase)) return;
  if (phase == 0 && refuse_by_kind(vertex)) return;
  const std::vector<std::size_t> path = path_finder_.between(vertex, sink, maximum_depth);
  const std::size_t size = path.size() > maximum_depth ? path.size() : groups_.size_of(path);
  if (size > maximum_depth) {
    const std::string from = graph_.name(vertex), to = graph_.name(sink);
    return refuse(
        vertex,
        {{Reason::MaxDepth,
          fmt::format("operators({} .. {}) = {}, must be <= {}", from, to, size, maximum_depth),
          fmt::format("With all that lies between {} and {} the kernel would hold at least {} "
                      "operators; the limit is {}.",
                      from, to, size, maximum_depth),
          {{"operators", static_cast<double>(size)},
           {"limit", static_cast<double>(maximum_depth)}}}});
  }
  if (phase == 2) return merge_if({Kind::Injective, Kind::Injective}, {}, path);
  switch (groups_.own_kind(vertex)) {
    case Kind::OutElementwiseFusable: return consider_anchor(vertex, path);
    case Kind::Elementwise:
    case Kind::Broadcast: return consider_elementwise(vertex, path);
    case Kind::Injective:
    case Kind::Tuple: return merge_if({Kind::Injective, Kind::Injective}, {}, path);
    case Kind::CommReduce:
    case Kind::Opaque: break;
  }
  CHECK(false, "a vertex of this kind was refused before");
}

bool DominatorPhases::has_turn(std::size_t vertex, int phase) const {
  if (phase == 0) return true;
  const Kind kind = groups_.own_kind(vertex);
  const std::size_t sink = graph_.parent(vertex);
  if (phase == 1) return !graph_.is_tuple(sink) && (kind <= Kind::Injective || kind == Kind::Tuple);
  // A tuple that is still a group of its own was not joined into anything.
  return graph_.is_tuple(sink) && kind <= Kind::Injective && groups_.kind(sink) != Kind::Tuple;
}

// What phase 0 says without a look at the path.
bool DominatorPhases::refuse_by_kind(std::size_t vertex) {
  const std::size_t sink = graph_.parent(vertex);
  const Kind kind = groups_.own_kind(vertex);
  const std::string name = graph_.name(vertex);
  // What runs in an anchor's kernel goes by that kernel's kind.
  const std::string of_kind = fmt::format(
      "kind({}{}) = {}", kind == graph_.kind(vertex) ? "" : "group of ", name, fusion::name(kind));
  if (kind == Kind::CommReduce) {
    refuse(vertex, {{Reason::ReductionDoesNotFuseForward,
                     fmt::format("{}, must be anything else", of_kind),
                     fmt::format("{} reduces: its results are complete only after the last "
                                 "iteration, so what follows starts a "
                                 "new kernel.",
                                 in_its_kernel(vertex)),
                     {}}});
  } else if (graph_.is_tuple(sink) && kind <= Kind::Injective) {
    refuse(vertex,
           {{Reason::SinkIsTuple,
             fmt::format("kind(group of {}) = Tuple, must be below (phase 2)", graph_.name(sink)),
             fmt::format("{} are gathered first, and take {} in only once they are in a "
                         "kernel themselves.",
                         graph_.name(sink), in_its_kernel(vertex)),
             {}}});
  } else if (graph_.is_tuple(sink)) {
    refuse(vertex, {{Reason::SinkIsTuple,
                     fmt::format("{}, must be Injective at most (phase 2)", of_kind),
                     fmt::format("{} are gathered first, and only phase 2 puts something in front "
                                 "of them: what moves or maps "
                                 "elements, while {} is {}.",
                                 graph_.name(sink), in_its_kernel(vertex), fusion::name(kind)),
                     {}}});
  } else if (kind == Kind::Injective || kind == Kind::Tuple) {
    refuse(vertex,
           {{Reason::DeferredToPhase1,
             fmt::format("{}, must be Broadcast at most (phase 0)", of_kind),
             fmt::format(
                 "{} moves data about, and waits until the anchors have taken what follows them.",
                 name),
             {}}});
  } else {
    return false;
  }
  return true;
}

void DominatorPhases::consider_anchor(std::size_t vertex, const std::vector<std::size_t>& path) {
  if (graph_.joined_kind(vertex) != Kind::Elementwise)
    return refuse(vertex, refused_edge(Kind::Elementwise, "Elementwise", path));
  merge_if({Kind::Broadcast, Kind::Broadcast}, "Elementwise", path);
}

namespace {

const char* const elementwise_edges = "Injective at most, or CommReduce";

}  // namespace

void DominatorPhases::consider_elementwise(std::size_t vertex,
                                           const std::vector<std::size_t>& path) {
  if (graph_.joined_kind(vertex) > Kind::CommReduce)
    return refuse(vertex, refused_edge(Kind::CommReduce, elementwise_edges, path));
  // The sink may have gone into an anchor's kernel already, and so may take this in.
  merge_if({Kind::Injective, Kind::OutElementwiseFusable}, elementwise_edges, path);
}

void DominatorPhases::merge_if(const Condition& condition, const std::string& edges,
                               const std::vector<std::size_t>& path) {
  const std::size_t source = path.front(), sink = path.back();
  const auto obstacle = std::find_if(path.begin() + 1, path.end(), [&](std::size_t vertex) {
    return groups_.kind(vertex) > (vertex == sink ? condition.at_sink : condition.between);
  });
  Verdict verdict;
  if (obstacle != path.end()) {
    verdict = blocked(*obstacle, condition, path);
  } else if (auto refusal = groups_.refuse(path)) {
    verdict.refusal = *std::move(refusal);
  }
  const bool all_passed = obstacle == path.end();
  const std::string between = fmt::format("{} and {}", graph_.name(source), graph_.name(sink));
  record(PlanEvent::Kind::Path, path,
         {all_passed ? Reason::Fused : verdict.refusal.reason,
          fmt::format("kind(group) must be {}", condition.words()),
          all_passed ? fmt::format("All that lies between {} is {}.", between, condition.words())
                     : verdict.refusal.sentence,
          {{"vertices", static_cast<double>(path.size())}}},
         verdict.obstacle);
  if (verdict.refusal.reason != Reason::Fused) return refuse(source, std::move(verdict));
  merge(path, passed(condition, edges, path));
}

void DominatorPhases::merge(const std::vector<std::size_t>& path, Refusal why) {
  for (const std::size_t vertex : path) history_.join(vertex, path.back(), merges_.size());
  merges_.push_back(std::move(why));
  const std::string with = path.size() > 2 ? ", with all that lies between," : "";
  record(PlanEvent::Kind::Merge, path,
         {Reason::Fused,
          merges_.back().condition,
          fmt::format("{} and {}{} become one kernel.", in_its_kernel(path.front()),
                      in_its_kernel(path.back()), with),
          {}});
  groups_.merge(path);
}

void DominatorPhases::refuse(std::size_t vertex, Verdict verdict) {
  std::vector<std::size_t> ends{vertex};
  if (graph_.parent(vertex) != none) ends.push_back(graph_.parent(vertex));
  record(PlanEvent::Kind::Refuse, ends, verdict.refusal, verdict.obstacle);
  verdicts_[vertex] = std::move(verdict);
}

// A tuple goes by its operator's id, which may stand beside it.
void DominatorPhases::record(PlanEvent::Kind kind, const std::vector<std::size_t>& vertices,
                             Refusal what, std::size_t other) const {
  if (events_ == nullptr) return;
  PlanEvent event{kind, {}, what.reason, std::move(what.sentence), std::move(what.numbers)};
  event.condition = std::move(what.condition);
  if (other != none) event.other = graph_.node(other);
  for (const std::size_t vertex : vertices) event.nodes.push_back(graph_.node(vertex));
  event.nodes.erase(std::unique(event.nodes.begin(), event.nodes.end()), event.nodes.end());
  events_->push_back(std::move(event));
}

}  // namespace loopglass::passes
