// Why the phases of TVM's fusion (DominatorPhases) merged or left apart, in words.
#include "core/support/check.h"
#include "passes/fusion/dominator_phases.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

using fusion::Reason;
using fusion::Refusal;

std::string DominatorPhases::Condition::words() const {
  return between == at_sink ? fmt::format("{} at most", fusion::name(between))
                            : fmt::format("{} at most on the path, {} at most at its end",
                                          fusion::name(between), fusion::name(at_sink));
}

// The rule that let the path become one kernel, with what it found there.
Refusal DominatorPhases::passed(const Condition& condition, const std::string& edges,
                                const std::vector<std::size_t>& path) const {
  const std::size_t source = path.front(), sink = path.back();
  const std::string from = graph_.name(source), to = graph_.name(sink);
  const std::string_view joined = fusion::name(graph_.joined_kind(source)),
                         end = fusion::name(groups_.kind(sink));
  Refusal why{Reason::Fused, fmt::format("phase {}: ", phase_), {}, {}};
  why.sentence = fmt::format("In phase {}, {} ({}) goes with its post-dominator {}:", phase_, from,
                             fusion::name(groups_.own_kind(source)), to);
  if (!edges.empty()) {
    why.condition += fmt::format("path kind({} .. {}) = {}, must be {}; ", from, to, joined, edges);
    why.sentence += fmt::format(" the edges on the path join to {},", joined);
  }
  if (path.size() > 2) {
    Kind most = Kind::Elementwise;
    for (auto vertex = path.begin() + 1; *vertex != sink; ++vertex)
      most = std::max(most, groups_.kind(*vertex));
    why.condition += fmt::format("kind(groups between) = {}, must be {} at most; ",
                                 fusion::name(most), fusion::name(condition.between));
    why.sentence +=
        fmt::format(" the {} groups between are {} at most,", path.size() - 2, fusion::name(most));
  }
  why.condition += fmt::format("kind(group of {}) = {}, must be {} at most", to, end,
                               fusion::name(condition.at_sink));
  why.sentence += fmt::format("{} the group of {} is {}, where {} at most is allowed.",
                              why.sentence.ends_with(':') ? "" : " and", to, end,
                              fusion::name(condition.at_sink));
  why.numbers = {{"phase", phase_}, {"operators on the path", static_cast<double>(path.size())}};
  return why;
}

namespace {

// Why a chain of rows is computed in bands, or not: what was asked, and in words.
std::string bands_condition(const RowBands& bands, const std::string& scaled) {
  const auto asked = [&](const char* what, const char* relation) {
    return fmt::format("phase 3: {}({}) = {}, must be {} {}", what, scaled, bands.found, relation,
                       bands.limit);
  };
  switch (bands.verdict) {
    case BandsVerdict::Worth:
    case BandsVerdict::LittleIsHandedOn: return asked("bytes", ">");
    case BandsVerdict::FewRows: return asked("rows", ">");
    case BandsVerdict::RowsTooLong: return asked("bytes of a row", "<=");
    case BandsVerdict::MuchIsReadAgain: return asked("bytes read again by bands", "<=");
  }
  return {};
}

std::string_view against_bands(BandsVerdict verdict) {
  switch (verdict) {
    case BandsVerdict::Worth: break;
    case BandsVerdict::LittleIsHandedOn: return "what they hand on stays near as it is";
    case BandsVerdict::FewRows: return "there are hardly more rows than a band has";
    case BandsVerdict::RowsTooLong: return "the rows are so long that no band of them stays near";
    case BandsVerdict::MuchIsReadAgain:
      return "each band would read the keys and values again, which is more than what they hand on";
  }
  return {};
}

}  // namespace

Refusal DominatorPhases::verdict_on_bands(const fusion::RowChain& chain) const {
  const auto name_of = [&](std::size_t position) {
    return graph_.name(graph_.vertex_of(position));
  };
  Refusal verdict{Reason::Fused,
                  bands_condition(chain.bands, name_of(chain.scaled)),
                  {},
                  {{"phase", 3}, {"bytes", static_cast<double>(chain.handed_on.bytes())}}};
  const std::string scores = name_of(chain.scores), softmax = name_of(chain.softmax),
                    weighed = name_of(chain.weighed);
  if (chain.is_worth_bands()) {
    verdict.sentence = fmt::format(
        "In phase 3, {} goes with the softmax of its rows, {}, and the product behind that, {}: "
        "the default schedule computes them in bands of rows, so that what is handed on, {} KiB, "
        "stays near.",
        scores, softmax, weighed, chain.handed_on.bytes() / 1024);
  } else {
    verdict.reason = Reason::SecondAnchor;
    verdict.sentence = fmt::format(
        "{}, {} and {} each need a loop nest of their own. In bands of rows they would be one "
        "kernel, but {}.",
        scores, softmax, weighed, against_bands(chain.bands.verdict));
  }
  return verdict;
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
  verdict.refusal.condition =
      fmt::format("kind(group of {}) = {}, must be {}", graph_.name(obstacle), fusion::name(kind),
                  condition.words());
  verdict.refusal.numbers = {{"kind", static_cast<double>(kind)}};
  const Kind own = groups_.own_kind(source);
  std::string& sentence = verdict.refusal.sentence;
  if (own == Kind::OutElementwiseFusable && kind == Kind::OutElementwiseFusable) {
    verdict.refusal.reason = Reason::SecondAnchor;
    sentence = two_anchors(source, obstacle);
  } else if (obstacle != sink) {
    verdict.refusal.reason =
        own == Kind::Injective ? Reason::PathNotInjective : Reason::PathTooComplex;
    sentence = fmt::format("{}, on the path from {} to {}, is {}, and cannot be taken along.",
                           in_its_kernel(obstacle), graph_.name(source), graph_.name(sink),
                           fusion::name(kind));
  } else if (own == Kind::Injective && graph_.kind(sink) <= Kind::Injective && anchor != sink) {
    verdict.refusal.reason = Reason::DeferredToPhase1;
    sentence = fmt::format(
        "{} itself could take {} in. But Injective operators wait for phase 1, and by then {} had "
        "taken {}.",
        graph_.name(sink), graph_.name(source),
        anchor == none ? "another kernel" : graph_.name(anchor), graph_.name(sink));
  } else {
    verdict.refusal.reason = Reason::SinkKind;
    sentence = fmt::format("{} is {}, which takes nothing in that is {}.", in_its_kernel(sink),
                           fusion::name(kind), fusion::name(own));
  }
  return verdict;
}

DominatorPhases::Verdict DominatorPhases::refused_edge(Kind most, const std::string& condition,
                                                       const std::vector<std::size_t>& path) const {
  const std::size_t source = path.front(), sink = path.back();
  for (const std::size_t from : path) {
    if (from == sink) break;
    for (const DominatorGraph::Edge& edge : graph_.edges(from)) {
      if (edge.kind <= most) continue;
      Verdict verdict{refused_read(source, sink, from, edge), edge.consumer, from};
      // The rule is about the path; the edge is what makes it so.
      verdict.refusal.condition =
          fmt::format("path kind({} .. {}) = {}, must be {}", graph_.name(source),
                      graph_.name(sink), fusion::name(graph_.joined_kind(source)), condition);
      if (from != source || edge.consumer != sink)
        verdict.refusal.condition +=
            fmt::format("; kind({} -> {}) = {}", graph_.name(from), graph_.name(edge.consumer),
                        fusion::name(edge.kind));
      verdict.refusal.numbers.emplace_back("kind", static_cast<double>(edge.kind));
      return verdict;
    }
  }
  throw InternalError("no edge on the path is of the kind that was joined");
}

Refusal DominatorPhases::why_not(std::size_t producer, std::size_t consumer) {
  const Verdict& verdict = verdicts_[producer];
  CHECK(verdict.refusal.reason != Reason::Fused,
        "what stayed apart from its post-dominator was refused");
  Refusal refusal = verdict.refusal;
  const std::size_t sink = graph_.parent(producer);
  if (refusal.reason == Reason::SinkIsTuple && consumer != sink)
    return before_tuple(producer, consumer, std::move(refusal));
  if (verdict.obstacle == none || verdict.obstacle == consumer) return refusal;
  // The edge in the way is another one of the producer's.
  const bool direct = verdict.edge_source == producer;
  if (verdict.obstacle == sink && !direct) {
    // How the sink reads what comes to it is no property of this edge.
    if (refusal.reason == Reason::EdgeNotElementwise) refusal.reason = Reason::SinkKind;
    return refusal;
  }
  if (!path_finder_.leads_to(consumer, verdict.obstacle, sink)) {
    refusal.reason = Reason::IntermediateStillUsed;
    refusal.sentence = fmt::format(
        "{} is on another path from {}. The rules do not take it along, so the value is written, "
        "and {} reads it from there.",
        in_its_kernel(verdict.obstacle), graph_.name(producer), operator_name(consumer));
  } else if (direct) {
    refusal.reason = Reason::PathTooComplex;
    refusal.sentence = fmt::format(
        "{}, on the path from {} to {}, also reads {} itself, and cannot be taken along.",
        graph_.name(verdict.obstacle), graph_.name(producer), graph_.name(sink),
        graph_.name(producer));
  }
  return refusal;
}

Refusal DominatorPhases::before_tuple(std::size_t producer, std::size_t consumer,
                                      Refusal refusal) const {
  const std::string name = graph_.name(producer), reader = graph_.name(consumer);
  const auto& edges = graph_.edges(producer);
  const auto edge = std::find_if(edges.begin(), edges.end(), [&](const DominatorGraph::Edge& each) {
    return each.consumer == consumer;
  });
  CHECK(edge != edges.end(), "a verdict is of an edge");
  if (groups_.own_kind(producer) == Kind::OutElementwiseFusable &&
      (edge->kind == Kind::OutElementwiseFusable || edge->kind == Kind::CommReduce))
    return {Reason::SecondAnchor,
            fmt::format("kind({} -> {}) = {}, must be Elementwise", name, reader,
                        fusion::name(edge->kind)),
            two_anchors(producer, consumer),
            {{"kind", static_cast<double>(edge->kind)}}};
  refusal.reason = Reason::IntermediateStillUsed;
  refusal.sentence = fmt::format(
      "All that {} leads to meets in {}, which do not take it in. So its value is written, and {} "
      "reads it from there.",
      in_its_kernel(producer), graph_.name(graph_.parent(producer)), operator_name(consumer));
  return refusal;
}

const std::string& DominatorPhases::operator_name(std::size_t vertex) const {
  return graph_.rules().graph().nodes()[graph_.position(vertex)]->name;
}

std::string DominatorPhases::in_its_kernel(std::size_t vertex) const {
  const std::size_t anchor = groups_.anchor(vertex);
  return anchor == none || anchor == vertex
             ? graph_.name(vertex)
             : fmt::format("{} (in the kernel of {})", graph_.name(vertex), graph_.name(anchor));
}

}  // namespace loopglass::passes
