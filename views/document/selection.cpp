#include "views/document/selection.h"

#include "views/document/counterparts.h"
#include "views/document/document.h"
#include "views/document/relations.h"

#include <algorithm>

namespace loopglass::views {
namespace {

// The node or value of this id in the graph of the current step, else in the latest step that has
// it.
template <class Pointer, class Identifier>
Pointer find_in_history(const Document& document, Identifier id) {
  if (const auto graph = document.history().graph(); graph && graph->find(id))
    return graph->share(id);
  if (const auto history = document.history().recorded()) {
    for (auto step = history->steps.rbegin(); step != history->steps.rend(); ++step)
      if (step->result->find(id)) return step->result->share(id);
  }
  return nullptr;
}

}  // namespace

Selection::Selection(const Document* document) : document_(document) {}

void Selection::select_node(graph::NodeId id) {
  auto node = find_in_history<graph::NodePtr>(*document_, id);
  if (node) select(SelectedNode{std::move(node)});
  else clear();
}

void Selection::select_nodes(const std::vector<graph::NodeId>& ids,
                             std::optional<SelectedPart> part) {
  std::vector<graph::NodePtr> found;
  for (const graph::NodeId id : ids)
    if (auto node = find_in_history<graph::NodePtr>(*document_, id))
      found.push_back(std::move(node));
  if (found.empty()) return clear();
  const graph::NodePtr first = found.front();
  select(SelectedNode{first}, std::move(found), std::move(part));
}

void Selection::select_value(graph::ValueId id) {
  auto value = find_in_history<graph::ValuePtr>(*document_, id);
  if (value) select(SelectedValue{std::move(value)});
  else clear();
}

void Selection::select_group(fusion::GroupId id) {
  const auto plan = document_->fusion().plan();
  if (plan && id.valid() && id.value < plan->groups.size()) select(SelectedGroup{id});
  else clear();
}

void Selection::select_line(TextPane pane, int line) { select(SelectedLine{pane, line}); }

void Selection::clear() {
  if (!empty()) select(std::monostate{});
}

void Selection::select(Selected selected) { select(std::move(selected), {}, {}); }

void Selection::select(Selected selected, std::vector<graph::NodePtr> lit,
                       std::optional<SelectedPart> part) {
  current_ = std::move(selected);
  lit_ = std::move(lit);
  part_ = std::move(part);
  relate();
  emit selectionChanged();
  const fusion::GroupId group = primary_group();
  if (group.valid()) emit groupWanted(group);
}

void Selection::refresh() {
  relate();
  emit selectionChanged();
}

// Ids say nothing in another history, where they are others'.
void Selection::follow_history() {
  const auto history = document_->history().recorded();
  if (!history || empty()) return;
  const auto is_of_history = [&](const auto& thing) {
    return std::ranges::any_of(history->steps, [&](const auto& step) {
      return step.result->find(thing->id) && step.result->share(thing->id) == thing;
    });
  };
  const auto last = Counterparts::by_name(history->steps.back().result),
             first = Counterparts::by_name(history->steps.front().result);
  const auto follow = [&](auto& thing) {
    if (is_of_history(thing)) return;
    for (const auto& [there, graph] : {std::pair(&last, history->steps.back().result),
                                       std::pair(&first, history->steps.front().result)})
      if (const auto* same = there->same(*thing)) {
        thing = graph->share(same->id);
        return;
      }
  };
  if (auto* selected = std::get_if<SelectedNode>(&current_)) follow(selected->node);
  if (auto* selected = std::get_if<SelectedValue>(&current_)) follow(selected->value);
  for (graph::NodePtr& node : lit_) follow(node);
}

void Selection::move_line(TextPane pane, int line) {
  auto* selected = std::get_if<SelectedLine>(&current_);
  if (!selected || selected->pane != pane) return;
  if (line > 0) selected->line = line;
  else current_ = std::monostate{};
}

graph::NodePtr Selection::primary_node() const {
  const auto graph = document_->history().graph();
  if (const auto* selected = std::get_if<SelectedNode>(&current_)) {
    if (graph && graph->find(selected->node->id)) return graph->share(selected->node->id);
    if (nodes_.empty()) return selected->node;
  }
  return graph && !nodes_.empty() ? graph->share(*nodes_.begin()) : nullptr;
}

fusion::GroupId Selection::primary_group() const {
  // An operator of another step may have become several; its kernel is that of what it computes.
  if (const auto* selected = std::get_if<SelectedNode>(&current_))
    if (const fusion::GroupId group = document_->fusion().group_of(*selected->node);
        group.valid() && groups_.contains(group))
      return group;
  // Stay with the kernel that is shown when the selection touches several.
  if (groups_.contains(document_->kernels().group())) return document_->kernels().group();
  return groups_.empty() ? fusion::GroupId{} : *groups_.begin();
}

void Selection::relate() {
  nodes_.clear();
  values_.clear();
  groups_.clear();
  for (auto& lines : lines_) lines.clear();
  const auto graph = document_->history().graph();
  if (!graph) return;
  std::visit(Overloaded{
                 [](std::monostate) {},
                 [&](const SelectedNode& selected) { relate_nodes({selected.node}); },
                 [&](const SelectedValue& selected) {
                   // A decision is on a value of the last graph, which another step may not have.
                   const graph::ValueId id = selected.value->id;
                   const bool is_here = graph->find(id);
                   const auto where = is_here ? graph : document_->history().last_graph();
                   if (is_here) values_.insert(id);
                   else if (!where->find(id)) return;
                   std::vector<graph::NodePtr> ends;
                   if (const graph::NodeId producer = where->find(id)->producer; producer.valid())
                     ends.push_back(where->share(producer));
                   else
                     for (const auto& use : where->uses(id)) ends.push_back(where->share(use.node));
                   relate_nodes(ends);
                 },
                 [&](const SelectedGroup& selected) {
                   const auto plan = document_->fusion().plan();
                   const auto last = document_->history().last_graph();
                   if (!plan || selected.group.value >= plan->groups.size()) return;
                   groups_.insert(selected.group);
                   std::vector<graph::NodePtr> members;
                   for (const graph::NodeId id : plan->group(selected.group).nodes)
                     members.push_back(last->share(id));
                   nodes_ = Counterparts(graph).of(members);
                 },
                 [&](const SelectedLine& selected) { relate_line(selected); },
             },
             current_);
  if (!lit_.empty()) nodes_.merge(Counterparts(graph).of(lit_));
}

void Selection::relate_nodes(const std::vector<graph::NodePtr>& nodes) {
  nodes_ = Counterparts(document_->history().graph()).of(nodes);
  const std::set<graph::NodeId> last = Counterparts(document_->history().last_graph()).of(nodes);
  if (const auto plan = document_->fusion().plan()) {
    for (const graph::NodeId id : last)
      if (const auto member = plan->membership.find(id); member != plan->membership.end())
        groups_.insert(member->second);
  }
  if (!groups_.contains(document_->kernels().group())) return;
  if (const auto* listing = document_->kernels().loop_listing()) {
    const std::set<int> lines = lines_of_origin(*listing, last);
    lines_[static_cast<std::size_t>(TextPane::Loops)].assign(lines.begin(), lines.end());
  }
  if (const auto code = document_->kernels().machine_code())
    relate_machine_code(lines_of_origin(code->listings->loops(), last));
}

void Selection::relate_line(const SelectedLine& selected) {
  lines_[static_cast<std::size_t>(selected.pane)] = {selected.line};
  const loop::Listing* shown = document_->kernels().loop_listing();
  const auto code = document_->kernels().machine_code();
  if (!shown) return;
  const bool shows_lowered =
      document_->kernels().loop_step() + 1 == document_->kernels().kernel()->loops.size();

  std::string entity;  // of the loop nest: what the selected line came from
  Origin origin;
  std::set<int> lowered_lines;
  auto& loop_lines = lines_[static_cast<std::size_t>(TextPane::Loops)];
  const auto set_loop_lines = [&](const std::set<int>& lines) {
    loop_lines.assign(lines.begin(), lines.end());
  };

  if (selected.pane == TextPane::Loops) {
    if (selected.line < 1 || selected.line > static_cast<int>(shown->lines.size())) return;
    entity = shown->lines[static_cast<std::size_t>(selected.line - 1)].entity;
    origin = shown->origin_of(selected.line);
    set_loop_lines(lines_of_statement(*shown, selected.line));
    if (code) {
      const loop::Listing& lowered = code->listings->loops();
      const int same = shows_lowered ? selected.line : line_of_entity(lowered, entity);
      lowered_lines =
          same ? lines_of_statement(lowered, same) : lines_of_origin(lowered, nodes_of(origin));
    }
  } else {
    const auto* lines = selected.pane == TextPane::Llvm ? document_->kernels().llvm_lines()
                                                        : document_->kernels().assembly_lines();
    if (!lines || selected.line < 1 || selected.line > static_cast<int>(lines->size())) return;
    const int loop_line = (*lines)[static_cast<std::size_t>(selected.line - 1)].loop_line;
    const loop::Listing& lowered = code->listings->loops();
    if (loop_line < 1 || loop_line > static_cast<int>(lowered.lines.size())) return;  // no mapping
    entity = lowered.lines[static_cast<std::size_t>(loop_line - 1)].entity;
    origin = lowered.origin_of(loop_line);
    lowered_lines = {loop_line};
    if (shows_lowered) set_loop_lines({loop_line});
    else if (const int same = line_of_entity(*shown, entity)) set_loop_lines({same});
    else set_loop_lines(lines_of_origin(*shown, nodes_of(origin)));
  }

  groups_.insert(document_->kernels().group());
  relate_machine_code(lowered_lines);
  std::vector<graph::NodePtr> nodes;
  const auto last = document_->history().last_graph();
  for (const graph::NodeId id : nodes_of(origin))
    if (last->find(id)) nodes.push_back(last->share(id));
  nodes_ = Counterparts(document_->history().graph()).of(nodes);
}

void Selection::relate_machine_code(const std::set<int>& lowered_lines) {
  const auto fill = [&](TextPane pane, const std::vector<codegen::SourceLine>* lines) {
    if (!lines) return;
    auto& found = lines_[static_cast<std::size_t>(pane)];
    std::vector<int> related = lines_from(*lines, lowered_lines);
    related.insert(related.end(), found.begin(), found.end());
    std::sort(related.begin(), related.end());
    related.erase(std::unique(related.begin(), related.end()), related.end());
    found = std::move(related);
  };
  fill(TextPane::Llvm, document_->kernels().llvm_lines());
  fill(TextPane::Assembly, document_->kernels().assembly_lines());
}

}  // namespace loopglass::views
