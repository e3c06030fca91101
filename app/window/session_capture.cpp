#include "app/window/session_capture.h"

#include "app/common/model_argument.h"
#include "app/window/main_window.h"
#include "core/graph/node_filter.h"
#include "core/support/closest.h"
#include "samples/samples.h"
#include "views/canvas/minimap.h"
#include "views/document/command_line.h"
#include "views/document/saved_asked.h"
#include "views/dominators/dominator_view.h"
#include "views/fusion/fusion_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/graph/heat.h"
#include "views/iterations/iterations_view.h"
#include "views/text.h"

#include <fmt/format.h>

#include <QDir>
#include <QFileInfo>
#include <QTabWidget>

#include <algorithm>
#include <mutex>

namespace loopglass::app {
namespace {

constexpr std::size_t most_changes = 100;  // that are kept to be undone

// What to call the model: half of all files are called model.onnx, and their folders tell more.
QString title_of(const QString& model) {
  if (const QFileInfo info(model); info.exists()) {
    const QString name = info.isDir() ? "model.onnx" : info.fileName();
    if (name != "model.onnx") return name;
    return (info.isDir() ? QDir(info.absoluteFilePath()) : info.absoluteDir()).dirName() + "/" +
           name;
  }
  const samples::Sample* sample = samples::find_sample(model.toStdString());
  return sample ? QString::fromStdString(sample->title) : model;
}

// Finds a model's file and stamps it before it is read, in the job that reads it.
class StampedModel {
 public:
  StampedModel(std::string name, std::string hint)
      : name_(std::move(name)), hint_(std::move(hint)), stamp_(std::make_shared<Stamp>()) {}

  Result<onnx::Source> operator()() const {
    auto source = find_model(name_);
    if (!source && !hint_.empty()) {
      source.error().code = Code::SessionModelMissing;
      source.error().hint = hint_;
    }
    std::error_code error;
    if (!source || !std::filesystem::exists(name_, error)) return source;  // none, or a sample
    const ModelStamp stamp = TRY(loopglass::stamp_of(source->path));
    const std::scoped_lock lock(stamp_->mutex);
    stamp_->value = stamp;
    return source;
  }
  std::optional<ModelStamp> stamp() const {
    const std::scoped_lock lock(stamp_->mutex);
    return stamp_->value;
  }

 private:
  struct Stamp {
    std::mutex mutex;
    std::optional<ModelStamp> value;
  };
  std::string name_, hint_;  // the hint: where there is no such model
  std::shared_ptr<Stamp> stamp_;
};

// "loop1.body/if2.then_branch" as its parts, each an operator's name, which may hold slashes, and
// an attribute's, which may not.
std::vector<std::string> parts_of(const std::string& subgraph) {
  std::vector<std::string> parts;
  bool in_attribute = false;
  for (const char c : subgraph) {
    const bool begins = parts.empty() || (c == '/' && in_attribute);
    if (begins) parts.emplace_back();
    in_attribute = c == '.' || (in_attribute && c != '/');
    if (c != '/' || !begins || parts.size() == 1) parts.back() += c;
  }
  return parts;
}

}  // namespace

std::string model_name_of(const views::Document& document) {
  const QString model = document.source().argument;
  const QFileInfo info(model);
  const bool is_file = info.exists() || model.contains('/');
  return (is_file ? info.absoluteFilePath() : model).toStdString();
}

void capture_asked(const views::Document& document, SavedSession& session) {
  const views::Asked& now = document.asked();
  const auto graph = document.history().last_graph();
  const auto saved = [&](const views::Asked& asked) {
    return to_saved(asked, asked.same_passes(now) ? graph.get() : nullptr);
  };
  session.asked = saved(now);
  Request& request = session.asked.request;
  request.model = model_name_of(document);
  request.inputs = document.source().inputs;
  request.subgraph = subgraph_path(document.source());
  session.undo.clear();
  session.redo.clear();
  const auto& states = document.asked_history().states();
  const std::size_t at = document.asked_history().at();
  for (std::size_t i = at - std::min(at, most_changes); i < at; ++i)
    session.undo.push_back(saved(states[i]));
  for (std::size_t i = at + 1; i < std::min(states.size(), at + 1 + most_changes); ++i)
    session.redo.push_back(saved(states[i]));
  session.workloads.clear();
  const auto keep_workloads = [&](const SavedAsked& asked) {
    for (const SavedSchedule& schedule : asked.schedules)
      if (const auto nest = document.workloads().find(schedule.workload);
          nest != document.workloads().end())
        session.workloads.insert(*nest);
  };
  session.drafts.clear();
  for (const auto& [workload, draft] : document.drafts()) session.drafts.push_back(draft);
  keep_workloads(session.asked);
  std::ranges::for_each(session.undo, keep_workloads);
  std::ranges::for_each(session.redo, keep_workloads);
  session.stamp = stamp_of_source(document.source());
  session.changed_only = document.history().walks_changes_only();
}

void capture_view(MainWindow& window, SavedSession& session) {
  views::GraphView::Switches switches = window.panes().graph()->switches();
  session.kernels = switches.kernels;
  session.verdicts = switches.verdicts;
  session.ghosts = switches.ghosts;
  session.guesses = window.document().fusion().saved_guesses();
  session.follow = switches.follow;
  session.marks = std::move(switches.marks);
  session.folds = std::move(switches.folds);
  session.colors = std::move(switches.colors);
  session.map_corner = std::move(switches.map_corner);
  session.beside = window.panes().graph()->beside()->saved();
  session.dominators = window.panes().dominators()->saved();
  session.iterations = window.panes().iterations()->saved();
  session.workspace = window.workspaces().current().toStdString();
  session.fusion_page = views::FusionView::tab_names()
                            .at(window.panes().fusion()->tabs()->currentIndex())
                            .toStdString();
}

std::vector<Diagnostic> unknown_in_view(const SavedSession& session) {
  std::vector<Diagnostic> unknown;
  for (const std::string& mark : session.marks)
    if (auto filter = graph::parse_node_filter(mark); !filter) {
      filter.error().where = "$.view.marks: " + filter.error().where;
      unknown.push_back(std::move(filter).error());
    }
  const auto look_up = [&](const std::string& name, const std::string& what, const char* where,
                           const std::vector<std::string>& known) {
    if (name.empty() || std::ranges::find(known, name) != known.end()) return;
    unknown.push_back({Code::UsageInvalid, fmt::format("there is no {} '{}'", what, name), where,
                       did_you_mean(name, known)});
  };
  std::vector<std::string> colors, workspaces, pages;
  for (const views::Measure measure : views::all_measures)
    colors.push_back(views::measure_key(measure));
  for (const Workspace& workspace : all_workspaces())
    workspaces.push_back(workspace.name.toStdString());
  for (const QString& page : views::FusionView::tab_names()) pages.push_back(page.toStdString());
  look_up(session.colors, "colouring", "$.view.colors", colors);
  look_up(session.map_corner, "corner for the map", "$.view.map", views::Minimap::corner_names());
  look_up(session.folds.by, "folding", "$.view.folds.by", {"blocks", "names"});
  look_up(session.workspace, "workspace", "$.view.workspace", workspaces);
  look_up(session.fusion_page, "page of decisions", "$.view.fusion_page", pages);
  return unknown;
}

views::ModelSource source_of(const QString& model, const onnx::InputBindings& inputs,
                             const std::string& hint) {
  return {title_of(model), StampedModel(model.toStdString(), hint), inputs, model};
}

views::ModelSource source_of(std::shared_ptr<const SavedSession> session) {
  const Request& request = session->asked.request;
  views::ModelSource source = source_of(
      views::text(request.model), request.inputs,
      "the session is about this model: bring it back, or write in the session's file where "
      "it is");
  source.subgraphs = parts_of(request.subgraph);
  source.resume = std::move(session);
  return source;
}

std::optional<ModelStamp> stamp_of_source(const views::ModelSource& source) {
  const auto* stamped = source.locate.target<StampedModel>();
  return stamped ? stamped->stamp() : std::nullopt;
}

}  // namespace loopglass::app
