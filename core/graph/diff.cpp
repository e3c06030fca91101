#include "core/graph/diff.h"

#include "core/graph/text_literals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::graph {

namespace {

using Kind = Difference::Kind;

std::string origin_text(const Origin& origin) {
  return fmt::format("{}", fmt::join(origin.sources, ", "));
}

// Where a value comes from, for when its name does not tell two apart.
std::string with_source(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.is_constant()) return value_name(value.name) + " (constant)";
  if (!value.producer) return value_name(value.name) + " (input)";
  return fmt::format("{} ({} #{})", value_name(value.name),
                     operator_name(graph.node(value.producer)), value.producer.value);
}

std::string operand(const Graph& graph, const Node& node, std::size_t index) {
  if (index >= node.inputs.size()) return "none";
  return node.inputs[index] ? value_name(graph.value(node.inputs[index]).name) : "_";
}

void compare_inputs(const Graph& before_graph, const Node& before, const Graph& after_graph,
                    const Node& after, std::vector<Difference>& found) {
  for (std::size_t i = 0; i < std::max(before.inputs.size(), after.inputs.size()); ++i) {
    const bool both = i < before.inputs.size() && i < after.inputs.size();
    if (both && before.inputs[i] == after.inputs[i]) continue;
    Difference difference{Kind::Inputs, i, fmt::format("input {}", i),
                          operand(before_graph, before, i), operand(after_graph, after, i)};
    if (difference.before == difference.after) {
      difference.before = with_source(before_graph, before.inputs[i]);
      difference.after = with_source(after_graph, after.inputs[i]);
    }
    found.push_back(std::move(difference));
  }
}

void compare_attributes(const ops::Attributes& before, const ops::Attributes& after,
                        std::vector<Difference>& found) {
  constexpr std::int64_t shown_elements = 16;
  const auto text = [](const ops::AttributeValue* value) {
    return value ? attribute_literal(*value, shown_elements) : "none";
  };
  std::map<std::string, std::pair<const ops::AttributeValue*, const ops::AttributeValue*>> all;
  for (const auto& [name, value] : before.all()) all[name].first = &value;
  for (const auto& [name, value] : after.all()) all[name].second = &value;
  for (const auto& [name, values] : all) {
    const auto& [old_value, new_value] = values;
    if (old_value && new_value &&
        ops::Attributes{{name, *old_value}} == ops::Attributes{{name, *new_value}})
      continue;
    found.push_back({Kind::Attribute, 0, "attribute " + name, text(old_value), text(new_value)});
  }
}

void compare_types(const Graph& before_graph, const Node& before, const Graph& after_graph,
                   const Node& after, std::vector<Difference>& found) {
  const auto text = [](const Graph& graph, const Node& node, std::size_t index) {
    return index < node.outputs.size() ? to_string(graph.value(node.outputs[index]).type) : "none";
  };
  for (std::size_t i = 0; i < std::max(before.outputs.size(), after.outputs.size()); ++i) {
    std::string old_type = text(before_graph, before, i), new_type = text(after_graph, after, i);
    if (old_type == new_type) continue;
    found.push_back({Kind::Type, i, i == 0 ? "type" : fmt::format("type of result {}", i),
                     std::move(old_type), std::move(new_type)});
  }
}

std::vector<Difference> differences(const Value& before, const Value& after) {
  std::vector<Difference> found;
  if (before.name != after.name)
    found.push_back({Kind::Name, 0, "name", value_name(before.name), value_name(after.name)});
  if (before.type != after.type)
    found.push_back({Kind::Type, 0, "type", to_string(before.type), to_string(after.type)});
  const bool same_constant =
      before.is_constant() == after.is_constant() &&
      (!before.is_constant() || before.constant.data() == after.constant.data() ||
       before.constant.same_content(after.constant));
  if (!same_constant) {
    const auto text = [](const Value& value) {
      return value.is_constant() ? tensor_elements(value.constant, 16) : "none";
    };
    found.push_back({Kind::Constant, 0, "elements", text(before), text(after)});
  }
  return found;
}

void compare_nodes(const Graph& before, const Graph& after, Diff& diff) {
  // A node that is gone stands where it stood: before the survivor that followed it.
  std::unordered_map<NodeId, std::vector<NodePtr>> gone;  // by that survivor
  std::vector<NodePtr> waiting;  // for one; at last: those after all survivors
  for (const NodePtr& node : before.nodes()) {
    if (after.find(node->id) == nullptr) waiting.push_back(node);
    else if (!waiting.empty()) gone[node->id] = std::exchange(waiting, {});
  }
  const auto add = [&](NodeDiff entry) {
    diff.index[entry.id] = diff.nodes.size();
    diff.nodes.push_back(std::move(entry));
  };
  // Between two survivors, what went comes before what came.
  std::vector<NodePtr> added;
  const auto add_between = [&](const std::vector<NodePtr>& removed) {
    for (const NodePtr& node : removed) add({node->id, Change::Removed, node, nullptr, {}});
    for (const NodePtr& node : std::exchange(added, {}))
      add({node->id, Change::Added, nullptr, node, {}});
  };
  for (const NodePtr& node : after.nodes()) {
    const Node* old = before.find(node->id);
    if (old == nullptr) {
      added.push_back(node);
      continue;
    }
    const auto found_gone = gone.find(node->id);
    add_between(found_gone == gone.end() ? std::vector<NodePtr>{} : found_gone->second);
    std::vector<Difference> found;
    if (old != node.get()) found = differences(before, *old, after, *node);
    if (found.empty()) ++diff.same_nodes;
    else add({node->id, Change::Changed, before.share(node->id), node, std::move(found)});
  }
  add_between(waiting);
}

void compare_values(const Graph& before, const Graph& after, Diff& diff) {
  const std::vector<ValuePtr> olds = before.values(), news = after.values();
  auto o = olds.begin();
  auto n = news.begin();
  while (o != olds.end() || n != news.end()) {
    if (n == news.end() || (o != olds.end() && (*o)->id < (*n)->id)) {
      diff.values.push_back({(*o)->id, Change::Removed, *o, nullptr, {}});
      ++o;
    } else if (o == olds.end() || (*n)->id < (*o)->id) {
      diff.values.push_back({(*n)->id, Change::Added, nullptr, *n, {}});
      ++n;
    } else {
      std::vector<Difference> found;
      if (*o != *n) found = differences(**o, **n);
      if (found.empty()) ++diff.same_values;
      else diff.values.push_back({(*o)->id, Change::Changed, *o, *n, std::move(found)});
      ++o;
      ++n;
    }
  }
}

}  // namespace

std::string_view name(Change change) {
  switch (change) {
    case Change::Same: return "same";
    case Change::Added: return "added";
    case Change::Removed: return "removed";
    case Change::Changed: return "changed";
  }
  __builtin_unreachable();
}

std::vector<Difference> differences(const Graph& before_graph, const Node& before,
                                    const Graph& after_graph, const Node& after) {
  std::vector<Difference> found;
  if (before.name != after.name) found.push_back({Kind::Name, 0, "name", before.name, after.name});
  if (before.op != after.op || operator_name(before) != operator_name(after))
    found.push_back({Kind::Operator, 0, "operator", operator_name(before), operator_name(after)});
  compare_inputs(before_graph, before, after_graph, after, found);
  compare_attributes(before.attributes, after.attributes, found);
  compare_types(before_graph, before, after_graph, after, found);
  if (before.origin != after.origin)
    found.push_back(
        {Kind::Origin, 0, "origin", origin_text(before.origin), origin_text(after.origin)});
  return found;
}

std::string to_text(const std::vector<Difference>& differences) {
  std::string text;
  for (const Difference& difference : differences)
    text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", difference.what,
                        difference.before, difference.after);
  return text;
}

Diff diff(const Graph& before, const Graph& after) {
  Diff diff;
  if (&before == &after) {
    diff.same_nodes = before.nodes().size();
    diff.same_values = before.values().size();
    return diff;
  }
  compare_nodes(before, after, diff);
  compare_values(before, after, diff);
  diff.interface_changed = before.inputs() != after.inputs() || before.outputs() != after.outputs();
  return diff;
}

std::size_t Diff::count(Change change) const {
  if (change == Change::Same) return same_nodes;
  return static_cast<std::size_t>(std::count_if(
      nodes.begin(), nodes.end(), [&](const NodeDiff& node) { return node.change == change; }));
}

Change Diff::of(NodeId node) const {
  const NodeDiff* found = find(node);
  return found == nullptr ? Change::Same : found->change;
}

const NodeDiff* Diff::find(NodeId node) const {
  const auto found = index.find(node);
  return found == index.end() ? nullptr : &nodes[found->second];
}

}  // namespace loopglass::graph
