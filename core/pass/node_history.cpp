#include "core/pass/node_history.h"

#include "core/graph/text_literals.h"
#include "core/support/closest.h"
#include "core/support/counted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>

namespace loopglass::pass {

using graph::NodeId;

namespace {

void add_once(std::vector<NodeId>& list, NodeId node) {
  if (std::find(list.begin(), list.end(), node) == list.end()) list.push_back(node);
}

Moment moment_of(const GraphHistory& history, std::size_t step,
                 std::optional<std::size_t> rewrite) {
  if (!rewrite) return {normalised({step, Report::all}, history), "", ""};
  const Rewrite& made = history.steps[step].rewrites[*rewrite];
  return {normalised({step, *rewrite + 1}, history), made.rule, made.detail};
}

// The constant that stands for a node that is gone, under the name of its result.
std::string constant_of(const graph::Graph& before, const graph::Node& node,
                        const graph::Graph& after) {
  for (const graph::ValueId output : node.outputs) {
    const graph::Value& result = before.value(output);
    const graph::Value* now = after.find_value(result.name);
    if (now != nullptr && now->is_constant() && now->id != output) return now->name;
  }
  return "";
}

// Looks up nodes by the ONNX nodes that they come from.
class OriginIndex {
 public:
  void add(NodeId id, const Origin& origin) {
    for (const std::uint32_t source : origin.sources) nodes_[source].push_back(id);
  }
  std::vector<NodeId> sharing(const Origin& origin) const {
    std::vector<NodeId> found;
    for (const std::uint32_t source : origin.sources)
      if (const auto entry = nodes_.find(source); entry != nodes_.end())
        for (const NodeId id : entry->second) add_once(found, id);
    return found;
  }

 private:
  std::unordered_map<std::uint32_t, std::vector<NodeId>> nodes_;
};

}  // namespace

std::string_view name(Presence presence) {
  switch (presence) {
    case Presence::Absent: return "absent";
    case Presence::Created: return "created";
    case Presence::Unchanged: return "unchanged";
    case Presence::Changed: return "changed";
    case Presence::Removed: return "removed";
  }
  __builtin_unreachable();
}

NodeHistory::NodeHistory(std::shared_ptr<const GraphHistory> history, const GraphAt& graph_at)
    : history_(std::move(history)) {
  for (const graph::NodePtr& node : history_->steps.front().result->nodes()) {
    Life& life = this->life(node->id);
    life.imported = true;
    life.born = {{0, Report::all}, "", ""};
    see(life, node);
  }
  for (std::size_t step = 0; step < history_->steps.size(); ++step) {
    events_.push_back(node_events(*history_, step, graph_at));
    for (const NodeEvent& event : events_.back()) record(step, event);
    link_by_origin(step);
  }
}

Life& NodeHistory::life(NodeId node) {
  const auto [entry, is_new] = index_.try_emplace(node, lives_.size());
  if (is_new) {
    lives_.emplace_back();
    lives_.back().id = node;
    // Should nothing say when it was made, then it was now.
    lives_.back().born.position.step = events_.empty() ? 0 : events_.size() - 1;
  }
  return lives_[entry->second];
}

void NodeHistory::see(Life& life, const graph::NodePtr& node) {
  if (!node) return;
  if (!life.first) life.first = node;
  life.last = node;
  if (std::find(life.names.begin(), life.names.end(), node->name) != life.names.end()) return;
  life.names.push_back(node->name);
  names_[node->name].push_back(life.id);
}

void NodeHistory::link(NodeId parent, NodeId child) {
  if (parent == child) return;
  add_once(life(parent).children, child);
  add_once(life(child).parents, parent);
}

void NodeHistory::record(std::size_t step, const NodeEvent& event) {
  const Moment moment = moment_of(*history_, step, event.rewrite);
  Life& life = this->life(event.node);
  switch (event.kind) {
    case NodeEvent::Kind::Created:
      life.born = moment;
      see(life, event.after);
      for (const NodeId parent : event.others) link(parent, event.node);
      return;
    case NodeEvent::Kind::Removed:
      life.gone = moment;
      life.into = event.others;
      if (event.others.empty() && event.before)
        life.constant =
            constant_of(*event.graph_before, *event.before, *history_->steps[step].result);
      for (const NodeId child : event.others) link(event.node, child);
      return;
    case NodeEvent::Kind::Changed:
    case NodeEvent::Kind::Renamed:
      see(life, event.after);
      life.changes.push_back({moment, event.differences});
      return;
  }
}

// New nodes of which no rewrite says what they were made from come from those that share an origin
// with them: the ones that went in the same step, whose place they take, or, where none did, those
// that were there before it.
void NodeHistory::link_by_origin(std::size_t step) {
  std::vector<NodeEvent>& events = events_[step];
  OriginIndex gone, earlier;
  std::unordered_map<NodeId, NodeEvent*> removals;
  std::vector<NodeEvent*> orphans;
  for (NodeEvent& event : events) {
    if (!event.others.empty()) continue;
    if (event.kind == NodeEvent::Kind::Created && event.after) orphans.push_back(&event);
    if (event.kind != NodeEvent::Kind::Removed || !event.before) continue;
    gone.add(event.node, event.before->origin);
    removals[event.node] = &event;
  }
  if (orphans.empty()) return;
  for (const graph::NodePtr& node : history_->steps[step - 1].result->nodes())
    earlier.add(node->id, node->origin);
  for (NodeEvent* orphan : orphans) {
    orphan->others = gone.sharing(orphan->after->origin);
    for (const NodeId parent : orphan->others) {
      add_once(removals.at(parent)->others, orphan->node);
      add_once(life(parent).into, orphan->node);
    }
    if (orphan->others.empty()) orphan->others = earlier.sharing(orphan->after->origin);
    for (const NodeId parent : orphan->others) link(parent, orphan->node);
  }
}

const Life* NodeHistory::find(NodeId node) const {
  const auto found = index_.find(node);
  return found == index_.end() ? nullptr : &lives_[found->second];
}

Presence NodeHistory::presence(NodeId node, std::size_t step) const {
  const graph::Node* now = history_->at(step).find(node);
  const graph::Node* earlier = step == 0 ? nullptr : history_->at(step - 1).find(node);
  if (now == nullptr) return earlier == nullptr ? Presence::Absent : Presence::Removed;
  if (earlier == nullptr) return Presence::Created;
  if (now == earlier) return Presence::Unchanged;
  const std::vector<Life::Change>& changes = find(node)->changes;
  const bool changed = std::any_of(changes.begin(), changes.end(), [&](const Life::Change& change) {
    return change.moment.position.step == step;
  });
  return changed ? Presence::Changed : Presence::Unchanged;
}

std::vector<Presence> NodeHistory::presences(NodeId node) const {
  std::vector<Presence> all;
  for (std::size_t step = 0; step < history_->steps.size(); ++step)
    all.push_back(presence(node, step));
  return all;
}

std::vector<NodeId> NodeHistory::named(std::string_view name) const {
  const auto found = names_.find(std::string(name));
  return found == names_.end() ? std::vector<NodeId>{} : found->second;
}

Result<NodeId> NodeHistory::resolve(std::string_view name_or_id,
                                    std::optional<std::size_t> step) const {
  if (step && *step < history_->steps.size())
    if (const graph::Node* node = history_->at(*step).find_node(name_or_id)) return node->id;
  if (const std::vector<NodeId> found = named(name_or_id); !found.empty()) return found.back();
  if (name_or_id.starts_with('#')) {
    NodeId id{0};
    const char* end = name_or_id.data() + name_or_id.size();
    const auto [rest, status] = std::from_chars(name_or_id.data() + 1, end, id.value);
    if (status == std::errc{} && rest == end && find(id) != nullptr) return id;
  }
  std::vector<std::string> known, parts;
  for (const auto& [name, nodes] : names_) {
    known.push_back(name);
    if (name.starts_with(fmt::format("{}/", name_or_id))) parts.push_back(name);
  }
  std::ranges::sort(known);
  std::ranges::sort(parts);
  if (!parts.empty()) {
    const std::size_t all = parts.size();
    constexpr std::size_t most_named = 8;
    parts.resize(std::min(all, most_named));
    return fail(Code::GraphEntityUnknown,
                fmt::format("'{}' came into the graph as the operators that it is made of, {}",
                            name_or_id, counted(all, "operator")),
                {},
                fmt::format("ask for one of them: {}{}", fmt::join(parts, ", "),
                            all > most_named ? ", ..." : ""));
  }
  return fail(Code::GraphEntityUnknown, fmt::format("no operator was ever named '{}'", name_or_id),
              {}, did_you_mean(name_or_id, known));
}

std::vector<NodeId> NodeHistory::reach(NodeId node, std::vector<NodeId> Life::*next) const {
  std::vector<NodeId> found{node};
  std::unordered_map<NodeId, bool> seen{{node, true}};
  for (std::size_t i = 0; i < found.size(); ++i)
    if (const Life* life = find(found[i]))
      for (const NodeId other : life->*next)
        if (seen.emplace(other, true).second) found.push_back(other);
  found.erase(found.begin());
  return found;
}

std::vector<NodeId> NodeHistory::ancestors(NodeId node) const {
  return reach(node, &Life::parents);
}
std::vector<NodeId> NodeHistory::descendants(NodeId node) const {
  return reach(node, &Life::children);
}

std::vector<NodeId> NodeHistory::at_step(NodeId node, std::size_t step) const {
  const graph::Graph& graph = history_->at(step);
  if (graph.find(node) != nullptr) return {node};
  const Life* life = find(node);
  if (life == nullptr) return {};
  std::vector<NodeId> found = step < life->born.position.step ? ancestors(node) : descendants(node);
  std::erase_if(found, [&](NodeId other) { return graph.find(other) == nullptr; });
  return found;
}

std::string NodeHistory::name_of(NodeId node) const {
  const Life* life = find(node);
  return life == nullptr || !life->last ? fmt::format("#{}", node.value) : life->last->name;
}

std::string NodeHistory::names_of(const std::vector<NodeId>& nodes) const {
  std::vector<std::string> names;
  for (const NodeId node : nodes) {
    const Life* life = find(node);
    names.push_back(life != nullptr && life->last
                        ? fmt::format("{} ({})", life->last->name, operator_name(*life->last))
                        : name_of(node));
  }
  if (names.empty()) return "";
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::vector<std::string> NodeHistory::story(NodeId node) const {
  const Life* life = find(node);
  if (life == nullptr) return {};
  const auto when = [&](const Moment& moment) {
    const auto& step = history_->steps[moment.position.step];
    return fmt::format("in step {} ({}{})", moment.position.step, step.pass.name,
                       moment.rule.empty() ? "" : ": " + moment.rule);
  };
  const auto why = [](const Moment& moment) {
    return moment.detail.empty() ? "" : fmt::format(": {}", moment.detail);
  };
  std::vector<std::string> sentences;
  if (life->imported) sentences.push_back("imported with the network");
  else
    sentences.push_back(fmt::format("made {}{}{}", when(life->born),
                                    life->parents.empty() ? "" : " from " + names_of(life->parents),
                                    why(life->born)));
  for (const Life::Change& change : life->changes)
    sentences.push_back(
        fmt::format("changed {}: {}", when(change.moment), graph::to_text(change.differences)));
  if (!life->gone) sentences.push_back("still there at the end");
  else if (!life->into.empty())
    sentences.push_back(fmt::format("made into {} {}{}", names_of(life->into), when(*life->gone),
                                    why(*life->gone)));
  else if (!life->constant.empty())
    sentences.push_back(fmt::format("became the constant {} {}{}",
                                    graph::value_name(life->constant), when(*life->gone),
                                    why(*life->gone)));
  else sentences.push_back(fmt::format("removed {}{}", when(*life->gone), why(*life->gone)));
  return sentences;
}

}  // namespace loopglass::pass
