#include "passes/fusion/dominator_phases.h"

#include "core/support/check.h"

#include <algorithm>
#include <fmt/format.h>

namespace loopglass::passes {

using fusion::PlanEvent;
using fusion::Reason;
using fusion::Refusal;

void DominatorPhases::begin_with(const std::set<fusion::Edge>& forced) {
  for (const fusion::Edge& edge : forced) {
    const std::size_t producer = graph_.vertex_of(edge.producer), consumer = graph_.vertex_of(edge.consumer);
    history_.join(producer, consumer, merges_.size());
    if (const std::size_t tuple = graph_.tuple_of(graph_.position(consumer)); tuple != none)
      history_.join(tuple, consumer, merges_.size());
    merges_.push_back({Reason::Fused, "forced by hand = yes",
                       fmt::format("{} and {} were asked to share a kernel.", graph_.name(producer), graph_.name(consumer)),
                       {}});
  }
}

void DominatorPhases::run(int phase) {
  phase_ = phase;
  static const char* const begins[phases] = {
      "Phase 0: anchors take what follows them, and elementwise chains join.",
      "Phase 1: Injective operators, which waited until the anchors were done, join what follows them.",
      "Phase 2: producers join the tuples that went into a kernel in phase 1."};
  record(PlanEvent::Kind::Phase, {}, {Reason::Fused, {}, begins[phase], {{"phase", phase}}});
  for (std::size_t vertex = 0; vertex < graph_.size(); ++vertex) consider(vertex, phase);
}

bool DominatorPhases::refuse_without_sink(std::size_t vertex, int phase) {
  const bool opaque = groups_.own_kind(vertex) == Kind::Opaque;
  if (!opaque && graph_.parent(vertex) != none) return false;
  if (phase > 0) return true;  // nothing has changed since
  const std::string name = graph_.name(vertex);
  if (opaque) {
    refuse(vertex, {{Reason::OpaqueSource, fmt::format("kind({}) = Opaque, must be below", name),
                     fmt::format("{} is Opaque: it is no single loop nest that something could be appended to.", name), {}}});
  } else if (graph_.is_result(vertex)) {
    refuse(vertex, {{Reason::GraphOutput, fmt::format("post-dominator({}) = none, must be an operator", name),
                     fmt::format("{} is a result of the network and must be written in any case.", name), {}}});
  } else if (!graph_.edges(vertex).empty()) {
    const auto consumers = static_cast<double>(graph_.edges(vertex).size());
    refuse(vertex, {{Reason::NoPostDominator, fmt::format("post-dominator({}) = none, must be an operator", name),
                     fmt::format("The paths from {} to its {} readers never meet again, so no operator can take all of them in.",
                                 name, consumers),
                     {{"readers", consumers}}}});
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
    return refuse(vertex, {{Reason::MaxDepth, fmt::format("operators({} .. {}) = {}, must be <= {}", from, to, size, maximum_depth),
                            fmt::format("With all that lies between {} and {} the kernel would hold at least {} operators; the limit is {}.",
                                        from, to, size, maximum_depth),
                            {{"operators", static_cast<double>(size)}, {"limit", static_cast<double>(maximum_depth)}}}});
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
  const std::string name = graph_.name(vertex), of_kind = fmt::format("kind({}) = {}", name, fusion::name(kind));
  if (kind == Kind::CommReduce) {
    refuse(vertex, {{Reason::ReductionDoesNotFuseForward, fmt::format("{}, must be anything else", of_kind),
                     fmt::format("{} reduces: its results are complete only after the last iteration, so what follows starts a "
                                 "new kernel.",
                                 in_its_kernel(vertex)),
                     {}}});
  } else if (graph_.is_tuple(sink)) {
    refuse(vertex, {{Reason::SinkIsTuple, fmt::format("{}, must be Injective at most (phase 2)", of_kind),
                     fmt::format("{} are gathered first, and only phase 2 puts something in front of them: what moves or maps "
                                 "elements, while {} is {}.",
                                 graph_.name(sink), in_its_kernel(vertex), fusion::name(kind)),
                     {}}});
  } else if (kind == Kind::Injective || kind == Kind::Tuple) {
    refuse(vertex, {{Reason::DeferredToPhase1, fmt::format("{}, must be Broadcast at most (phase 0)", of_kind),
                     fmt::format("{} moves data about, and waits until the anchors have taken what follows them.", name), {}}});
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

void DominatorPhases::consider_elementwise(std::size_t vertex, const std::vector<std::size_t>& path) {
  if (graph_.joined_kind(vertex) > Kind::CommReduce)
    return refuse(vertex, refused_edge(Kind::CommReduce, elementwise_edges, path));
  // The sink may have gone into an anchor's kernel already, and so may take this in.
  merge_if({Kind::Injective, Kind::OutElementwiseFusable}, elementwise_edges, path);
}

std::string DominatorPhases::Condition::words() const {
  return between == at_sink ? fmt::format("{} at most", fusion::name(between))
                            : fmt::format("{} at most on the path, {} at most at its end", fusion::name(between), fusion::name(at_sink));
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
         {all_passed ? Reason::Fused : verdict.refusal.reason, fmt::format("kind(group) must be {}", condition.words()),
          all_passed ? fmt::format("All that lies between {} is {}.", between, condition.words()) : verdict.refusal.sentence,
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
         {Reason::Fused, merges_.back().condition,
          fmt::format("{} and {}{} become one kernel.", in_its_kernel(path.front()), in_its_kernel(path.back()), with), {}});
  groups_.merge(path);
}

// The rule that let the path become one kernel, with what it found there.
Refusal DominatorPhases::passed(const Condition& condition, const std::string& edges,
                                const std::vector<std::size_t>& path) const {
  const std::size_t source = path.front(), sink = path.back();
  const std::string from = graph_.name(source), to = graph_.name(sink);
  const std::string_view joined = fusion::name(graph_.joined_kind(source)), end = fusion::name(groups_.kind(sink));
  Refusal why{Reason::Fused, fmt::format("phase {}: ", phase_), {}, {}};
  why.sentence = fmt::format("In phase {}, {} ({}) goes with its post-dominator {}:", phase_, from,
                             fusion::name(groups_.own_kind(source)), to);
  if (!edges.empty()) {
    why.condition += fmt::format("joined kind({} .. {}) = {}, must be {}; ", from, to, joined, edges);
    why.sentence += fmt::format(" the edges on the way join to {},", joined);
  }
  if (path.size() > 2) {
    Kind most = Kind::Elementwise;
    for (auto vertex = path.begin() + 1; *vertex != sink; ++vertex) most = std::max(most, groups_.kind(*vertex));
    why.condition += fmt::format("kind(groups between) = {}, must be {} at most; ", fusion::name(most), fusion::name(condition.between));
    why.sentence += fmt::format(" the {} groups between are {} at most,", path.size() - 2, fusion::name(most));
  }
  why.condition += fmt::format("kind(group of {}) = {}, must be {} at most", to, end, fusion::name(condition.at_sink));
  why.sentence += fmt::format(" and the group of {} is {}, where {} at most is allowed.", to, end, fusion::name(condition.at_sink));
  why.numbers = {{"phase", phase_}, {"operators on the path", static_cast<double>(path.size())}};
  return why;
}

Refusal DominatorPhases::why(std::size_t producer, std::size_t consumer) const {
  const auto merge = history_.joined_by(producer, consumer);
  CHECK(merge, "ends in one group were merged");
  return merges_[*merge];
}

// The name of what stands in the way, and the rule that it breaks.
DominatorPhases::Verdict DominatorPhases::blocked(std::size_t obstacle, const Condition& condition,
                                                  const std::vector<std::size_t>& path) const {
  const std::size_t source = path.front(), sink = path.back(), anchor = groups_.anchor(obstacle);
  const Kind kind = groups_.kind(obstacle);
  Verdict verdict;
  verdict.obstacle = obstacle;
  verdict.refusal.condition = fmt::format("kind(group of {}) = {}, must be {}", graph_.name(obstacle), fusion::name(kind), condition.words());
  verdict.refusal.numbers = {{"kind", static_cast<double>(kind)}};
  const Kind own = groups_.own_kind(source);
  std::string& sentence = verdict.refusal.sentence;
  if (own == Kind::OutElementwiseFusable && kind == Kind::OutElementwiseFusable) {
    verdict.refusal.reason = Reason::SecondAnchor;
    sentence = fmt::format("{} and {} each need a loop nest of their own.", in_its_kernel(source), in_its_kernel(obstacle));
  } else if (obstacle != sink) {
    verdict.refusal.reason = own == Kind::Injective ? Reason::PathNotInjective : Reason::PathTooComplex;
    sentence = fmt::format("{}, on the way from {} to {}, is {}, and cannot be taken along.", in_its_kernel(obstacle), graph_.name(source),
                           graph_.name(sink), fusion::name(kind));
  } else if (own == Kind::Injective && graph_.kind(sink) <= Kind::Injective && anchor != sink) {
    verdict.refusal.reason = Reason::DeferredToPhase1;
    sentence = fmt::format("{} itself could take {} in. But Injective operators wait for phase 1, and by then {} had taken {}.",
                           graph_.name(sink), graph_.name(source), anchor == none ? "another kernel" : graph_.name(anchor),
                           graph_.name(sink));
  } else {
    verdict.refusal.reason = Reason::SinkKind;
    sentence = fmt::format("{} is {}, which takes nothing in that is {}.", in_its_kernel(sink), fusion::name(kind), fusion::name(own));
  }
  return verdict;
}

DominatorPhases::Verdict DominatorPhases::refused_edge(Kind most, const std::string& condition, const std::vector<std::size_t>& path) const {
  const std::size_t source = path.front(), sink = path.back();
  for (const std::size_t from : path) {
    if (from == sink) break;
    for (const DominatorGraph::Edge& edge : graph_.edges(from)) {
      if (edge.kind <= most) continue;
      Verdict verdict{{}, edge.consumer, from};
      const std::string name = graph_.name(source), reader = graph_.name(edge.consumer);
      verdict.refusal.condition = fmt::format("kind({} -> {}) = {}, must be {}", graph_.name(from), reader, fusion::name(edge.kind), condition);
      verdict.refusal.numbers = {{"kind", static_cast<double>(edge.kind)}};
      std::string& sentence = verdict.refusal.sentence;
      Reason& reason = verdict.refusal.reason;
      const bool is_anchor = groups_.own_kind(source) == Kind::OutElementwiseFusable;
      if (is_anchor && (edge.kind == Kind::OutElementwiseFusable || edge.kind == Kind::CommReduce)) {
        reason = Reason::SecondAnchor;
        sentence = fmt::format("{} and {} each need a loop nest of their own.", in_its_kernel(source), reader);
      } else if (edge.kind == Kind::Opaque && edge.consumer == sink) {
        reason = Reason::SinkKind;
        sentence = fmt::format("{} is Opaque: it is no single loop nest, and takes nothing in.", reader);
      } else if (from != source && edge.consumer != sink) {
        reason = Reason::PathTooComplex;
        sentence = fmt::format("{}, on the way from {} to {}, is {}, and cannot be taken along.", reader, name, graph_.name(sink),
                               fusion::name(edge.kind));
      } else {
        reason = Reason::EdgeNotElementwise;
        sentence = is_anchor ? fmt::format("{} does not read {} element by element, and only what does can end a kernel of {}.", reader,
                                           graph_.name(from), in_its_kernel(source))
                             : fmt::format("The edge is of the kind of {}, which reads each element of {} for many of its own: "
                                           "fusing would compute it again every time.",
                                           reader, graph_.name(from));
      }
      return verdict;
    }
  }
  throw InternalError("no edge on the path is of the kind that was joined");
}

void DominatorPhases::refuse(std::size_t vertex, Verdict verdict) {
  std::vector<std::size_t> ends{vertex};
  if (graph_.parent(vertex) != none) ends.push_back(graph_.parent(vertex));
  record(PlanEvent::Kind::Refuse, ends, verdict.refusal, verdict.obstacle);
  verdicts_[vertex] = std::move(verdict);
}

Refusal DominatorPhases::why_not(std::size_t producer, std::size_t consumer) {
  const Verdict& verdict = verdicts_[producer];
  CHECK(verdict.refusal.reason != Reason::Fused, "what stayed apart from its post-dominator was refused");
  Refusal refusal = verdict.refusal;
  const std::size_t sink = graph_.parent(producer);
  if (verdict.obstacle == none || verdict.obstacle == consumer) return refusal;
  const bool direct = verdict.edge_source == producer;  // the edge in the way is another one of the producer's
  if (verdict.obstacle == sink && !direct) return refusal;
  if (!path_finder_.leads_to(consumer, verdict.obstacle, sink)) {
    refusal.reason = Reason::IntermediateStillUsed;
    refusal.sentence = fmt::format("{} is on another way from {}. The rules do not take it along, so the value is written, "
                                   "and {} reads it from there.",
                                   in_its_kernel(verdict.obstacle), graph_.name(producer), graph_.name(consumer));
  } else if (direct) {
    refusal.reason = Reason::PathTooComplex;
    refusal.sentence = fmt::format("{}, on the way from {} to {}, also reads {} itself, and cannot be taken along.",
                                   graph_.name(verdict.obstacle), graph_.name(producer), graph_.name(sink), graph_.name(producer));
  }
  return refusal;
}

std::string DominatorPhases::in_its_kernel(std::size_t vertex) const {
  const std::size_t anchor = groups_.anchor(vertex);
  return anchor == none || anchor == vertex ? graph_.name(vertex)
                                            : fmt::format("{} (in the kernel of {})", graph_.name(vertex), graph_.name(anchor));
}

// A tuple goes by its operator's id, which may stand beside it.
void DominatorPhases::record(PlanEvent::Kind kind, const std::vector<std::size_t>& vertices, Refusal what, std::size_t other) const {
  if (events_ == nullptr) return;
  PlanEvent event{kind, {}, what.reason, std::move(what.sentence), std::move(what.numbers)};
  event.condition = std::move(what.condition);
  if (other != none) event.other = graph_.node(other);
  for (const std::size_t vertex : vertices) event.nodes.push_back(graph_.node(vertex));
  event.nodes.erase(std::unique(event.nodes.begin(), event.nodes.end()), event.nodes.end());
  events_->push_back(std::move(event));
}

}  // namespace loopglass::passes
