#include "core/fusion/edge_card.h"

#include "core/fusion/edge_kind.h"
#include "core/support/check.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace loopglass::fusion {

std::string_view name(Handing handing) {
  switch (handing) {
    case Handing::Memory: return "memory";
    case Handing::Nest: return "one nest";
    case Handing::Nests: return "nests of one kernel";
    case Handing::Nothing: return "no code";
    case Handing::Unknown: return "unknown";
  }
  throw InternalError("handing outside its enumeration");
}

EdgeCards::EdgeCards(std::shared_ptr<const graph::Graph> graph, std::shared_ptr<const Plan> plan,
                     std::shared_ptr<const Plan> told)
    : graph_(std::move(graph)),
      plan_(std::move(plan)),
      told_(std::move(told)),
      rules_(*graph_),
      savings_(rules_, *plan_),
      post_dominators_(*graph_, graph::Direction::PostDominators) {}

EdgeCard EdgeCards::operator()(const Decision& decision, const MakeNests& make_nests) const {
  EdgeCard card{
      decision.value, decision.producer, decision.consumer, decision.fused, {}, {}, {}, {}, {}};
  card.nests = nests(decision, make_nests);
  card.path = path(decision);
  card.kinds = kinds(decision, card.path);
  card.traffic = savings_.traffic(decision);
  tell_workspace(card);
  card.steps = steps_of(*told_, decision, post_dominators_.parent(decision.producer));
  return card;
}

// The fusion rules count what nests hand on; what they pad or put together first the lowering adds.
void EdgeCards::tell_workspace(EdgeCard& card) const {
  const std::int64_t lowered = card.nests.workspace_bytes.value_or(0);
  if (lowered == 0 || !card.traffic) return;
  const std::int64_t by_rules = card.traffic->together.kept;
  card.nests.sentence +=
      fmt::format(" As it is lowered, the kernel has a workspace of {}", readable_bytes(lowered));
  card.nests.sentence +=
      lowered == by_rules
          ? "."
          : fmt::format("; the fusion rules count {}, without paddings.", readable_bytes(by_rules));
}

// --- the loops ---

namespace {

// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

// The nest that writes or reads the tensor in question; null: none.
const SketchedNest* touching(const std::vector<SketchedNest>& nests) {
  const auto found = std::ranges::find_if(nests, &SketchedNest::touches);
  return found == nests.end() ? nullptr : &*found;
}

}  // namespace

namespace {

// Every iteration of the nest reads one element.
std::optional<double> times_read(const SketchedNest& nest, std::int64_t elements) {
  double iterations = 1;
  for (const SketchedLoop& loop : nest.loops) {
    if (!loop.extent || loop.walk == Walk::Elsewhere) return std::nullopt;
    iterations *= static_cast<double>(*loop.extent);
  }
  return elements > 0 ? std::optional(iterations / static_cast<double>(elements)) : std::nullopt;
}

}  // namespace

// Each end has the names that its own kernel's loops have everywhere.
CardNests EdgeCards::nests(const Decision& decision, const MakeNests& make_nests) const {
  const auto names_in_kernel = [&](graph::NodeId end) {
    return LoopNames(*graph_, plan_->group(plan_->group_of(end)).nodes);
  };
  const LoopNames names = names_in_kernel(decision.producer);
  const LoopNames others = decision.fused ? names : names_in_kernel(decision.consumer);
  CardNests nests;
  for (const auto& [node, called, into] : {std::tuple{decision.producer, &names, &nests.producer},
                                           {decision.consumer, &others, &nests.consumer}}) {
    auto found = sketch(*graph_, node, decision.value, *called);
    if (!found) {
      nests.missing = fmt::format("The loops of {} are not known: {}.", graph_->node(node).name,
                                  found.error().what);
      return nests;
    }
    *into = *std::move(found);
  }
  // A padding reads each element once; the windows behind it read what it has made of them.
  for (const SketchedNest& nest : nests.consumer)
    if (nest.touches)
      if (const auto times =
              times_read(nest, element_count(graph_->value(decision.value).type.shape));
          times && *times > nests.times_read.value_or(0))
        nests.times_read = times;
  if (decision.fused)
    hand_on(decision, make_nests(plan_->group_of(decision.producer)), names, nests);
  else hand_on_apart(decision, nests);
  return nests;
}

void EdgeCards::hand_on_apart(const Decision& decision, CardNests& nests) const {
  nests.sentence = "They are two kernels: the tensor goes from one to the other through memory.";
  for (const graph::NodeId end : {decision.producer, decision.consumer}) {
    if (!rules_.needs_no_code(positions(*graph_, plan_->group(plan_->group_of(end))))) continue;
    nests.handing = Handing::Nothing;
    nests.sentence = fmt::format(
        "They are two kernels, but that of {} needs no code: nothing is moved between them.",
        graph_->node(end).name);
  }
}

void EdgeCards::hand_on(const Decision& decision, const Result<KernelNests>& made,
                        const LoopNames& names, CardNests& nests) const {
  const auto say = [&](Handing handing, std::string sentence) {
    nests.handing = handing;
    nests.sentence = std::move(sentence);
  };
  if (!made)
    return say(Handing::Unknown, fmt::format("They are one kernel, but it cannot be scheduled: {}.",
                                             made.error().what));
  if (made->is_view)
    return say(Handing::Nothing, "They are one kernel that needs no code: its results lie ready.");
  nests.workspace_bytes = made->workspace_bytes;
  const auto holding = [&](std::initializer_list<graph::NodeId> nodes) {
    std::vector<const KernelNests::Nest*> found;
    for (const KernelNests::Nest& nest : made->nests)
      if (std::ranges::all_of(nodes,
                              [&](graph::NodeId node) { return nest.operators.contains(node); }))
        found.push_back(&nest);
    return found;
  };
  for (const graph::NodeId end : {decision.producer, decision.consumer})
    if (holding({end}).empty())
      return say(Handing::Nothing, fmt::format("They are one kernel, in which {} needs no code.",
                                               graph_->node(end).name));
  const auto both = holding({decision.producer, decision.consumer});
  if (both.empty())
    return say(
        Handing::Nests,
        fmt::format("They are loop nests of one kernel, one after the other: that of {} reads what "
                    "that of {} has left.",
                    graph_->node(decision.consumer).name, graph_->node(decision.producer).name));
  nests.handing = Handing::Nest;
  share(both, decision, names, nests);
  // Where only a border is made together, as with a padding before a depthwise convolution.
  for (const graph::NodeId end : {decision.producer, decision.consumer})
    if (const std::size_t alone = holding({end}).size() - both.size(); alone > 0)
      nests.sentence +=
          fmt::format(" {} has {} besides.", graph_->node(end).name,
                      alone == 1 ? "a loop nest of its own" : "loop nests of its own");
}

namespace {

// How far the loops of the two go together in the nest: as far as any statement of one and any of
// the other.
std::string sharing_words(const KernelNests::Nest& nest, const Decision& decision) {
  const std::string alone = "They share a loop nest";
  std::optional<std::vector<std::string>> common;
  for (const auto& one : nest.statements) {
    if (!one.operators.contains(decision.producer)) continue;
    if (one.operators.contains(decision.consumer))
      return alone + ", in which one statement computes both.";
    for (const auto& other : nest.statements) {
      if (!other.operators.contains(decision.consumer)) continue;
      const auto [end, unused] = std::ranges::mismatch(one.loops, other.loops);
      std::vector<std::string> loops(one.loops.begin(), end);
      if (!common || loops.size() > common->size()) common = std::move(loops);
    }
  }
  if (!common) return alone + ".";
  if (common->empty())
    return "They are in one loop nest of the kernel, but in no loop of it together.";
  const bool one = common->size() == 1;
  return fmt::format("They share the {} {} of a loop nest; in {} each has loops of its own.",
                     one ? "loop" : "loops", listed(*common), one ? "it" : "them");
}

}  // namespace

void EdgeCards::share(const std::vector<const KernelNests::Nest*>& both, const Decision& decision,
                      const LoopNames& names, CardNests& nests) const {
  nests.sentence = both.size() == 1 ? sharing_words(*both.front(), decision)
                                    : fmt::format("They share {} loop nests.", both.size());
  std::set<std::string> reasons;
  for (const KernelNests::Nest* nest : both) {
    const auto shown = shared_nest(*nest, decision, names);
    if (!shown) reasons.insert(shown.error());
    else if (std::ranges::find(nests.shared, loops_text(*shown), &loops_text) == nests.shared.end())
      nests.shared.push_back(*shown);
  }
  for (const std::string& reason : reasons)
    nests.sentence +=
        fmt::format(" {} loops are not shown: {}.", both.size() == 1 ? "Its" : "Some", reason);
}

// That of the one operator that reduces there, if one does: what is computed before goes into the
// loops that read it, and what comes after into those that give the result. Else that of the last
// operator, which the others are computed in. Of several reductions nobody can say here.
std::expected<SketchedNest, std::string> EdgeCards::shared_nest(const KernelNests::Nest& nest,
                                                                const Decision& decision,
                                                                const LoopNames& names) const {
  if (!nest.reduces) return std::unexpected("whose reduction runs there is not known");
  if (nest.reduces->size() > 1) {
    std::vector<std::string> reducing;
    for (const graph::NodeId node : *nest.reduces)
      if (graph_->find(node)) reducing.push_back(graph_->node(node).name);
    return std::unexpected(
        fmt::format("{} reduce there, each along loops of its own", listed(reducing)));
  }
  Nodes sharing;
  for (const graph::NodeId node : nest.operators)
    if (graph_->find(node)) sharing.push_back(graph_->position(node));
  std::ranges::sort(sharing);
  const std::size_t owner =
      nest.reduces->empty() ? sharing.back() : graph_->position(*nest.reduces->begin());
  const std::size_t consumer = graph_->position(decision.consumer);
  const Nodes after = reached_within(rules_, sharing, {consumer}, true);
  const bool before = owner == consumer || std::ranges::binary_search(after, owner);
  const graph::Node& node = *graph_->nodes()[owner];
  graph::ValueId value = node.outputs.front();
  if (!nest.reduces->empty() && before)
    for (const BlockRules::Read& read : rules_.reads(owner))
      if (std::ranges::binary_search(sharing, read.producer))
        value = rules_.outputs(read.producer)[read.output].value;
  if (owner == consumer || node.id == decision.producer) value = decision.value;
  const auto nests = sketch(*graph_, node.id, value, names);
  const SketchedNest* own = nests ? touching(*nests) : nullptr;
  const bool reduces = own && std::ranges::any_of(own->loops, &SketchedLoop::reduction);
  // Which of an operator's several nests it is must not be guessed.
  if (own == nullptr || reduces != !nest.reduces->empty())
    return std::unexpected(fmt::format("which of the nests of {} it is cannot be told", node.name));
  SketchedNest shared = *own;
  // How it walks over another tensor than the edge's says nothing here.
  if (value != decision.value)
    for (SketchedLoop& loop : shared.loops) loop.walk = Walk::None;
  return shared;
}

// --- kinds and the path ---

namespace {

// Of all values that run between the two.
PatternKind kind_between(const BlockRules& rules, std::size_t from, std::size_t to) {
  PatternKind kind = PatternKind::Elementwise;
  for (const BlockRules::Read& read : rules.reads(to))
    if (read.producer == from)
      kind = std::max(kind, edge_kind(rules, rules.outputs(from)[read.output].value, to));
  return kind;
}

// All that lies on a way from `from` to its post-dominator `to`; ascending.
std::set<std::size_t> all_between(const BlockRules& rules, std::size_t from, std::size_t to) {
  std::set<std::size_t> found{from, to};
  std::vector<std::size_t> stack{from};
  while (!stack.empty()) {
    const std::size_t node = stack.back();
    stack.pop_back();
    for (const std::size_t next : rules.successors(node))
      if (found.insert(next).second) stack.push_back(next);
  }
  return found;
}

// With as few edges as can be; all ways from `from` lead to `to`.
std::vector<std::size_t> shortest_way(const BlockRules& rules, std::size_t from, std::size_t to) {
  std::map<std::size_t, std::size_t> before{{from, from}};
  std::queue<std::size_t> waiting({from});
  while (!before.contains(to)) {
    CHECK(!waiting.empty(), "all ways lead to the post-dominator");
    const std::size_t node = waiting.front();
    waiting.pop();
    for (const std::size_t next : rules.successors(node))
      if (before.try_emplace(next, node).second) waiting.push(next);
  }
  std::vector<std::size_t> way{to};
  while (way.back() != from) way.push_back(before.at(way.back()));
  std::ranges::reverse(way);
  return way;
}

}  // namespace

CardPath EdgeCards::path(const Decision& decision) const {
  const graph::NodeId sink = post_dominators_.parent(decision.producer);
  CardPath path;
  if (!sink.valid()) {
    path.missing = why_no_path(decision.producer);
    return path;
  }
  const std::size_t from = graph_->position(decision.producer), to = graph_->position(sink);
  const auto stop = [&](std::size_t position) {
    std::optional<PatternKind> edge;
    if (!path.stops.empty())
      edge = kind_between(rules_, graph_->position(path.stops.back().node), position);
    path.stops.push_back({graph_->nodes()[position]->id, rules_.relay_kind(position), edge});
  };
  stop(from);
  for (const std::size_t position : shortest_way(rules_, graph_->position(decision.consumer), to))
    stop(position);
  for (const std::size_t position : all_between(rules_, from, to))
    path.between.push_back(graph_->nodes()[position]->id);
  return path;
}

std::string EdgeCards::why_no_path(graph::NodeId producer) const {
  const graph::Node& node = graph_->node(producer);
  if (std::ranges::any_of(node.outputs,
                          [&](graph::ValueId value) { return graph_->is_output(value); }))
    return fmt::format("{} is a result of the network, so no operator post-dominates it.",
                       node.name);
  return fmt::format(
      "No operator lies on every path from {} through what reads it ({}) to the results: there is "
      "no common post-dominator.",
      node.name, counted(rules_.successors(graph_->position(producer)).size(), "operator"));
}

CardKinds EdgeCards::kinds(const Decision& decision, const CardPath& path) const {
  const std::size_t from = graph_->position(decision.producer),
                    to = graph_->position(decision.consumer);
  CardKinds kinds{rules_.relay_kind(from),
                  rules_.relay_kind(to),
                  edge_kind(rules_, decision.value, to),
                  {},
                  {}};
  const graph::Node& reader = graph_->node(decision.consumer);
  for (std::size_t k = 0; k < reader.inputs.size(); ++k)
    if (reader.inputs[k] == decision.value)
      kinds.read = std::max(kinds.read, rules_.operand_kinds(to)[k]);
  if (path.stops.empty()) return kinds;
  // The post-dominator itself leads on.
  for (const graph::NodeId node : path.between) {
    if (node == path.stops.back().node) continue;
    const std::size_t position = graph_->position(node);
    for (const std::size_t next : rules_.successors(position))
      kinds.path = std::max(kinds.path.value_or(PatternKind::Elementwise),
                            kind_between(rules_, position, next));
  }
  return kinds;
}

}  // namespace loopglass::fusion
