#include "app/window/places.h"

#include "core/pass/position_name.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace loopglass::app {
namespace {

using Kind = SavedSelection::Kind;
using views::Overloaded;
using views::TextPane;

bool is_line(Kind kind) {
  return kind == Kind::LoopLine || kind == Kind::LlvmLine || kind == Kind::AssemblyLine;
}

Kind kind_of(TextPane pane) {
  switch (pane) {
    case TextPane::Loops: return Kind::LoopLine;
    case TextPane::Llvm: return Kind::LlvmLine;
    case TextPane::Assembly: return Kind::AssemblyLine;
  }
  __builtin_unreachable();
}

// The entity of this name in the graph that is shown, else in the latest step that has one.
template <class Find>
auto find_named(const views::Document& document, const Find& find)
    -> decltype(find(*document.history().graph())) {
  if (const auto here = find(*document.history().graph())) return here;
  const auto& steps = document.history().recorded()->steps;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step)
    if (const auto there = find(*step->result)) return there;
  return nullptr;
}

// Of an operator that is not in the graph that is shown, another of that name may be: "conv1#512".
std::string name_in(const views::Document& document, const graph::Node& node) {
  const auto graph = document.history().graph();
  return graph && graph->find(node.id) ? node.name : fmt::format("{}#{}", node.name, node.id.value);
}

const graph::Node* node_named(const views::Document& document, const std::string& name) {
  if (const graph::Node* node =
          find_named(document, [&](const graph::Graph& graph) { return graph.find_node(name); }))
    return node;
  const std::size_t mark = std::min(name.rfind('#'), name.size());
  graph::NodeId id;
  const auto [end, error] = std::from_chars(name.data() + std::min(mark + 1, name.size()),
                                            name.data() + name.size(), id.value);
  if (error != std::errc() || end != name.data() + name.size()) return nullptr;
  return find_named(document, [&](const graph::Graph& graph) {
    const graph::Node* node = graph.find(id);
    return node && node->name == name.substr(0, mark) ? node : nullptr;
  });
}

const graph::Value* value_named(const views::Document& document, const std::string& name) {
  return find_named(document, [&](const graph::Graph& graph) { return graph.find_value(name); });
}

}  // namespace

Places::Places(views::Document* document, Panes* panes, QObject* parent)
    : QObject(parent), document_(document), panes_(panes) {
  // When the document is done with what it tells of.
  const auto go_on_after = [this](auto& stage, auto... changes) {
    (connect(&stage, changes, this, &Places::go_on, Qt::QueuedConnection), ...);
  };
  using views::KernelStage;
  go_on_after(document->history(), &views::HistoryStage::stepChanged);
  go_on_after(document->fusion(), &views::FusionStage::planChanged);
  go_on_after(document->kernels(), &KernelStage::kernelChanged, &KernelStage::machineCodeChanged,
              &KernelStage::llvmStepChanged);
  connect(document, &views::Document::modelChanged, this, &Places::forget);
  connect(&document->selection(), &views::Selection::selectionChanged, this, [this] {
    if (!selecting_ && !document_->selection().empty()) wanted_.reset();
  });
}

// --- here ---

SavedSelection Places::selected() const {
  const auto plan = document_->fusion().plan();
  return std::visit(
      Overloaded{
          [](std::monostate) { return SavedSelection{}; },
          [&](const views::SelectedNode& selected) {
            if (document_->selection().part())
              return SavedSelection{Kind::Fold, {name_in(*document_, *selected.node)}};
            return SavedSelection{Kind::Operators, {name_in(*document_, *selected.node)}};
          },
          [&](const views::SelectedValue& selected) {
            SavedSelection tensor{Kind::Tensor, {selected.value->name}};
            if (const auto edge = panes_->graph()->chosen_edge();
                edge && edge->value == selected.value->id)
              if (const graph::Node* reader = document_->history().graph()->find(edge->consumer))
                tensor.names.push_back(reader->name);
            return tensor;
          },
          [&](const views::SelectedGroup& selected) {
            if (!plan || selected.group.value >= plan->groups.size()) return SavedSelection{};
            return SavedSelection{Kind::Kernel, {plan->group(selected.group).name}};
          },
          [&](const views::SelectedLine& selected) {
            if (!plan || !document_->kernels().group().valid()) return SavedSelection{};
            return SavedSelection{kind_of(selected.pane),
                                  {plan->group(document_->kernels().group()).name},
                                  selected.line};
          },
      },
      document_->selection().current());
}

Place Places::here() const {
  Place place;
  if (const auto history = document_->history().recorded())
    place.at = pass::position_name(document_->history().wanted_position(), *history);
  place.selected = wanted_ ? *wanted_ : selected();
  place.camera = panes_->graph()->camera();
  return place;
}

Places::ShownKernel Places::kernel() const {
  ShownKernel shown;
  const auto plan = document_->fusion().plan();
  if (plan && document_->kernels().group().valid()) {
    shown.name = plan->group(document_->kernels().group()).name;
    if (document_->kernels().kernel()) shown.loop_step = document_->kernels().loop_step();
    if (document_->kernels().machine_code()) shown.llvm_step = document_->kernels().llvm_step();
  }
  if (!wanted_kernel_) return shown;
  ShownKernel wanted = *wanted_kernel_;
  // What it is there of already is not wanted any more.
  if (!wanted.loop_step && wanted.name == shown.name) wanted.loop_step = shown.loop_step;
  return wanted;
}

// --- going there ---

void Places::go_to(const Place& place) {
  const auto history = document_->history().recorded();
  if (!history) return;
  const auto position = place.at.empty() ? pass::Position{history->steps.size() - 1}
                                         : pass::parse_position(place.at, *history);
  if (!position) return emit problem(position.error());
  document_->history().set_position(*position);
  look_at(place);
}

void Places::look_at(const Place& place) {
  if (place.camera) panes_->graph()->look_at(*place.camera);
  wanted_kernel_.reset();
  wanted_ = place.selected;
  selecting_ = true;
  panes_->graph()->stay_and([this] { document_->selection().clear(); });
  selecting_ = false;
  go_on();
}

void Places::show(ShownKernel kernel) {
  if (!kernel.name.empty()) wanted_kernel_ = std::move(kernel);
  kernel_asked_ = false;
  go_on();
}

void Places::forget() {
  wanted_.reset();
  wanted_kernel_.reset();
}

void Places::go_on() {
  if (!document_->history().recorded() || document_->history().is_walking()) return;
  if (wanted_kernel_ && show_wanted_kernel()) wanted_kernel_.reset();
  if (!wanted_) return;
  const SavedSelection wanted = *wanted_;
  selecting_ = true;
  bool done = false;
  const auto select_wanted = [&] { done = select(wanted); };
  panes_->graph()->beside()->stay_and([&] { panes_->dominators()->stay_and(select_wanted); });
  selecting_ = false;
  if (done) wanted_.reset();
}

std::optional<fusion::GroupId> Places::group_named(const std::string& name) const {
  const auto& groups = document_->fusion().plan()->groups;
  const auto group = std::ranges::find(groups, name, &fusion::Group::name);
  if (group == groups.end()) return {};
  return group->id;
}

bool Places::select(const SavedSelection& wanted) {
  views::Selection& selection = document_->selection();
  views::GraphView* graph = panes_->graph();
  if (wanted.kind == Kind::Nothing) return true;
  if (wanted.kind == Kind::Tensor) return select_tensor(wanted);
  if (is_line(wanted.kind)) return select_line(wanted);
  if (wanted.kind == Kind::Fold) return select_fold(wanted);
  if (wanted.kind == Kind::Operators) {
    std::vector<graph::NodeId> ids;
    for (const std::string& name : wanted.names)
      if (const graph::Node* node = node_named(*document_, name)) ids.push_back(node->id);
    graph->stay_and([&] {
      if (ids.size() == 1) selection.select_node(ids.front());
      else if (!ids.empty()) selection.select_nodes(ids);
    });
    return true;
  }
  if (document_->state(views::Stage::Plan) == views::StageState::Failed) return true;
  if (!document_->fusion().plan()) return false;
  if (const auto group = group_named(wanted.names.front()))
    graph->stay_and([&] { selection.select_group(*group); });
  return true;
}

// Where it is open, or nothing is folded, the operator it was named by.
bool Places::select_fold(const SavedSelection& wanted) {
  if (!panes_->graph()->knows_folds()) return false;
  const graph::Node* node = node_named(*document_, wanted.names.front());
  if (node && !panes_->graph()->select_fold_of(node->id))
    panes_->graph()->stay_and([&] { document_->selection().select_node(node->id); });
  return true;
}

bool Places::select_tensor(const SavedSelection& wanted) {
  const graph::Value* value = value_named(*document_, wanted.names.front());
  if (!value) return true;
  const graph::Node* reader =
      wanted.names.size() > 1 ? document_->history().graph()->find_node(wanted.names[1]) : nullptr;
  if (reader) panes_->graph()->choose_edge({value->id, reader->id});
  else panes_->graph()->stay_and([&] { document_->selection().select_value(value->id); });
  return true;
}

// When its kernel is shown at the step it is to be shown at.
bool Places::select_line(const SavedSelection& wanted) {
  if (!document_->fusion().plan() || wanted_kernel_)
    return document_->state(views::Stage::Plan) == views::StageState::Failed;
  const auto group = group_named(wanted.names.front());
  if (!group) return true;
  if (document_->kernels().group() != *group) {
    document_->kernels().show(*group);
    return false;
  }
  const auto failed = [this](views::Stage stage) {
    return document_->state(stage) == views::StageState::Failed;
  };
  const bool loops = wanted.kind == Kind::LoopLine, llvm = wanted.kind == Kind::LlvmLine;
  const bool there = loops  ? document_->kernels().loop_listing() != nullptr
                     : llvm ? document_->kernels().llvm_lines() != nullptr
                            : document_->kernels().assembly_lines() != nullptr;
  if (!there) return failed(views::Stage::Kernel) || failed(views::Stage::MachineCode);
  panes_->graph()->stay_and([&] {
    document_->selection().select_line(loops  ? TextPane::Loops
                                       : llvm ? TextPane::Llvm
                                              : TextPane::Assembly,
                                       wanted.line);
  });
  return true;
}

bool Places::show_wanted_kernel() {
  if (!document_->fusion().plan())
    return document_->state(views::Stage::Plan) == views::StageState::Failed;
  const auto group = group_named(wanted_kernel_->name);
  if (!group) return true;
  if (document_->kernels().group() != *group) {
    if (std::exchange(kernel_asked_, true)) return true;  // somebody chose another one
    document_->kernels().show(*group);
    return false;
  }
  if (document_->state(views::Stage::Kernel) == views::StageState::Failed) return true;
  if (!document_->kernels().kernel()) return false;
  if (const auto step = std::exchange(wanted_kernel_->loop_step, {}))
    document_->kernels().set_loop_step(*step);
  if (!wanted_kernel_->llvm_step) return true;
  if (document_->state(views::Stage::MachineCode) == views::StageState::Failed) return true;
  if (!document_->kernels().machine_code()) return false;
  document_->kernels().set_llvm_step(*wanted_kernel_->llvm_step);
  return true;
}

}  // namespace loopglass::app
