// The first stages of the document: model, graph passes, dominators.
#include "views/document/document.h"

#include "core/import_model.h"
#include "views/document/debugger.h"
#include "views/document/lanes.h"
#include "views/document/text.h"

#include <algorithm>

namespace loopglass::views {

Document::Document(Toolchain toolchain, SessionOptions options, QObject* parent)
    : QObject(parent),
      toolchain_(std::move(toolchain)),
      options_(std::move(options)),
      cost_model_(std::make_shared<const fusion::CostModel>(toolchain_.machine)),
      jobs_(new JobQueue(this)),
      selection_(new Selection(this)),
      debugger_(new Debugger(this)) {
  begin_asked_history();
  selection_->setParent(this);
  connect(selection_, &Selection::groupWanted, this, [this](fusion::GroupId group) {
    if (!guessing_) show_kernel(group);  // the kernel would tell what is fused
  });
}

Document::~Document() {
  delete jobs_;  // waits for the work, which may still report to us
}

// --- states of the stages ---

StageState Document::state(Stage stage) const {
  return stages_[static_cast<std::size_t>(stage)].state;
}

const Diagnostic* Document::problem(Stage stage) const {
  const auto& problem = stages_[static_cast<std::size_t>(stage)].problem;
  return problem ? &*problem : nullptr;
}

void Document::set_state(Stage stage, StageState state, std::optional<Diagnostic> problem) {
  stages_[static_cast<std::size_t>(stage)] = {state, std::move(problem)};
  emit stageChanged(stage);
}

void Document::fail_stage(Stage stage, const Diagnostic& diagnostic) {
  if (stage == Stage::Model || stage == Stage::Plan) forget_wanted_benchmark();
  if (diagnostic.code == Code::Cancelled) return set_state(stage, StageState::Empty);
  set_state(stage, StageState::Failed, diagnostic);
  // That an opaque operator has no kernel is no failure of anything: the panes say so.
  if (stage == Stage::Kernel && is_unsupported(diagnostic.code))
    return set_state(Stage::MachineCode, StageState::Failed, diagnostic);
  emit failed(diagnostic);
}

void Document::cancel_work() {
  jobs_->cancel_all();
  forget_wanted_benchmark();
  wanted_position_ = position_;
  if (std::exchange(wanted_llvm_step_, llvm_step_) != llvm_step_) emit llvmStepChanged();
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (stages_[i].state == StageState::Working)
      set_state(static_cast<Stage>(i), StageState::Empty);
}

void Document::drop_kernel() {
  drop_machine_code();
  jobs_->cancel(lanes::kernel);
  kernel_.reset();
  loop_listing_.reset();
  loop_step_ = 0;
  selection_->move_line(TextPane::Loops, 0);
  set_state(Stage::Kernel, StageState::Empty);
  emit kernelChanged();
  emit loopStepChanged();
  selection_->refresh();
}

void Document::drop_machine_code() {
  jobs_->cancel(lanes::machine_code);
  jobs_->cancel(lanes::llvm_step);
  machine_code_.reset();
  llvm_texts_ = {};
  llvm_step_ = wanted_llvm_step_ = 0;
  for (const TextPane pane : {TextPane::Llvm, TextPane::Assembly}) selection_->move_line(pane, 0);
  set_state(Stage::MachineCode, StageState::Empty);
  emit machineCodeChanged();
  emit llvmStepChanged();
}

void Document::drop_times() {
  jobs_->cancel(lanes::benchmark);
  ++benchmark_run_;
  report_.reset();
  is_recalled_ = false;
  round_times_.clear();
  set_state(Stage::Benchmark, StageState::Empty);
}

void Document::drop_plan() {
  jobs_->cancel(lanes::plan);
  plan_.reset();
  group_of_origin_.clear();
  revealed_.clear();
  kernel_group_ = {};
  if (std::holds_alternative<SelectedGroup>(selection_->current())) selection_->clear();
  set_state(Stage::Plan, StageState::Empty);
  drop_times();
  drop_memory_plan();
  drop_kernel();
  emit planChanged();
  emit benchmarkChanged();
}

void Document::drop_history() {
  jobs_->cancel(lanes::dominators);
  jobs_->cancel(lanes::position);
  history_.reset();
  graph_.reset();
  base_graph_.reset();
  pinned_base_.reset();
  position_ = wanted_position_ = {};
  dominators_ = {};
  set_state(Stage::Dominators, StageState::Empty);
  answered_.reset();
  drop_plan();
  compare_plans({});
  show_plan_moment({});
  emit historyChanged();
  emit stepChanged();
  emit dominatorsChanged();
}

void Document::drop_model() {
  jobs_->cancel(lanes::model);
  selection_->clear();
  model_.reset();
  // Letting go of a large model's memory and code takes a while: not on the window's thread.
  QThreadPool::globalInstance()->start([old = std::move(session_)]() mutable { old.reset(); });
  session_.reset();
  source_ = {};
  resume_.reset();
  last_times_.reset();
  workloads_.clear();
  drafts_.clear();
  refused_schedules_.clear();
  handed_schedules_.reset();
  forget_asked_history();
  set_state(Stage::Model, StageState::Empty);
  drop_history();
  returning_to_.clear();
}

// --- stages 1 and 2 ---

void Document::close() {
  jobs_->cancel(lanes::opening);
  forget_wanted_benchmark();
  drop_model();
  emit modelChanged();
}

void Document::open(const std::filesystem::path& path) {
  open({text(path.filename().string()),
        [path]() -> Result<std::filesystem::path> { return path; },
        {},
        text(path.string())});
}

std::string subgraph_path(const ModelSource& source) {
  std::string path;
  for (const std::string& subgraph : source.subgraphs) path += (path.empty() ? "" : "/") + subgraph;
  return path;
}

QString title_of(const ModelSource& source) {
  QString title = source.title;
  for (const std::string& subgraph : source.subgraphs) title += " › " + text(subgraph);
  return title;
}

QString Document::title() const { return title_of(source_); }

void Document::open_subgraph(const std::string& name) {
  ModelSource source = source_;
  source.subgraphs.push_back(name);
  open_other_graph(std::move(source));
}

void Document::leave_subgraphs(std::size_t depth) {
  if (depth >= source_.subgraphs.size()) return;
  ModelSource source = source_;
  source.subgraphs.resize(depth);
  open_other_graph(std::move(source));
}

void Document::open_other_graph(ModelSource source) {
  source.is_other_graph = true;
  if (recall_) source.resume = recall_(source);
  open(std::move(source));
}

// The model there is stays until the other one has been read.
void Document::open(ModelSource source) {
  if (!model_) {
    drop_model();
    source_ = source;
    set_state(Stage::Model, StageState::Working);
    emit modelChanged();
  }
  jobs_->run<Opened>(
      lanes::opening, tr("Opening %1").arg(title_of(source)),
      [source, toolchain = toolchain_,
       options = options_](const JobContext& context) mutable -> Result<Opened> {
        const onnx::Source file = TRY(source.locate());
        if (source.ask_for_shapes) {
          auto inputs = TRY(read_model_inputs(file));
          if (std::any_of(inputs.begin(), inputs.end(), onnx::has_open_shape))
            return Opened{nullptr, nullptr, std::move(inputs), {}};
        }
        options.import.shapes = source.shapes;
        options.import.subgraph = subgraph_path(source);
        options.import.progress = context.progress;
        options.import.cancellation = context.cancellation;
        auto session = std::make_shared<Session>(std::move(toolchain), std::move(options));
        TRY_VOID(session->open(file));
        auto model = TRY(session->model());
        return Opened{
            std::move(session),
            std::move(model),
            {},
            source.resume ? refused_schedules(*source.resume) : std::vector<RefusedSchedule>()};
      },
      [this, source](Opened opened) {
        if (!opened.session) {
          if (!model_) close();
          forget_wanted_benchmark();
          emit shapesWanted(source, opened.open_inputs);
          return;
        }
        accept_model(source, std::move(opened));
      },
      [this](const Diagnostic& diagnostic) {
        if (!model_) return fail_stage(Stage::Model, diagnostic);
        forget_wanted_benchmark();
        if (diagnostic.code != Code::Cancelled) emit failed(diagnostic);
      });
}

void Document::accept_model(const ModelSource& source, Opened opened) {
  // Graphs inside the model are part of it.
  const bool same_model =
      model_ && source_.argument == source.argument && (!source.resume || source.is_other_graph);
  const Asked left = asked();
  drop_model();
  source_ = source;
  source_.ask_for_shapes = false;
  resume_ = std::exchange(source_.resume, nullptr);
  session_ = std::move(opened.session);
  model_ = std::move(opened.model);
  session_->set_cost_model(cost_model_);
  refused_schedules_ = std::move(opened.refused);
  if (resume_) resume_asked();
  if (same_model) keep_of_model(left);
  hand_asked();  // and what was asked while the model was being read
  emit modelChanged();
  derive_history();
}

void Document::derive_history() {
  using History = std::shared_ptr<const pass::GraphHistory>;
  set_state(Stage::Model, StageState::Working);
  jobs_->run<History>(
      lanes::model, tr("Running graph passes"),
      [session = session_](const JobContext& context) {
        return session->graph_history(context.progress, context.cancellation);
      },
      [this](History history) {
        history_ = std::move(history);
        position_ = wanted_position_ = {history_->steps.size() - 1};
        graph_ = history_->steps.back().result;
        if (position_.step > 0) base_graph_ = history_->steps[position_.step - 1].result;
        if (resume_) resume_edges();
        leave_unknown_edges();
        set_state(Stage::Model, StageState::Ready);
        emit historyChanged();
        emit stepChanged();
        derive_dominators();
        derive_plan();
        selection_->refresh();
        if (resume_) resume_place();
        else return_to_place();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Model, diagnostic); });
}

// --- stage 3 ---

std::shared_ptr<const graph::DominatorTree> Document::dominators(graph::Direction direction) const {
  return dominators_[static_cast<std::size_t>(direction)];
}

void Document::derive_dominators() {
  using Trees = std::array<std::shared_ptr<const graph::DominatorTree>, 2>;
  dominators_ = {};
  set_state(Stage::Dominators, StageState::Working);
  emit dominatorsChanged();
  jobs_->run<Trees>(
      lanes::dominators, tr("Dominator trees"),
      [session = session_, position = position_,
       graph = graph_](const JobContext&) -> Result<Trees> {
        Trees trees;
        for (const auto direction :
             {graph::Direction::Dominators, graph::Direction::PostDominators}) {
          auto& tree = trees[static_cast<std::size_t>(direction)];
          if (position.rewrites == pass::Report::all)
            tree = TRY(session->dominators(position.step, direction));
          else tree = std::make_shared<const graph::DominatorTree>(*graph, direction);
        }
        return trees;
      },
      [this](Trees trees) {
        dominators_ = std::move(trees);
        set_state(Stage::Dominators, StageState::Ready);
        emit dominatorsChanged();
      },
      [this](const Diagnostic& diagnostic) { fail_stage(Stage::Dominators, diagnostic); });
}

}  // namespace loopglass::views
