// Models that are opened, and how the stages follow one another.
#include "views/document/document.h"

#include "core/import_model.h"
#include "views/document/debugger.h"
#include "views/document/first_kernel.h"
#include "views/document/lanes.h"
#include "views/text.h"

#include <algorithm>

namespace loopglass::views {

Document::Document(Toolchain toolchain, SessionOptions options, QObject* parent)
    : QObject(parent),
      toolchain_(std::move(toolchain)),
      options_(std::move(options)),
      cost_model_(std::make_shared<const fusion::CostModel>(toolchain_.machine)),
      jobs_(new JobQueue(this)),
      board_(new StageBoard(this)),
      selection_(new Selection(this)) {
  selection_->setParent(this);
  const StageTools tools{jobs_, board_, selection_};
  history_ = new HistoryStage(tools, this);
  fusion_ = new FusionStage(tools, *history_, this);
  memory_ = new MemoryStage(tools, *fusion_, this);
  kernels_ = new KernelStage(tools, *fusion_, this);
  benchmark_ = new BenchmarkStage(tools, *fusion_, this);
  roofline_ = new RooflineStage(tools, *fusion_, options_.workers, this);
  debugger_ = new Debugger(this);
  begin_asked_history();
  connect_stages();
}

Document::~Document() {
  delete jobs_;  // waits for the work, which may still report to us
}

// --- how the stages follow one another ---

void Document::connect_stages() {
  connect(board_, &StageBoard::stageChanged, this, &Document::stageChanged);
  connect(board_, &StageBoard::failed, this, &Document::failed);
  connect(history_, &HistoryStage::historyChanged, selection_, &Selection::follow_history);
  connect(history_, &HistoryStage::made, this, [this] {
    if (resume_) resume_edges();
    leave_unknown_edges();
  });
  connect(history_, &HistoryStage::ready, this, [this] {
    fusion_->derive();
    selection_->refresh();
    if (resume_) resume_place();
    else history_->return_to_place();
  });
  connect(fusion_, &FusionStage::made, this, [this] {
    benchmark_->set_schedules(schedules_digest(asked().schedules));
    answered_ = asked_history_;
  });
  connect(fusion_, &FusionStage::ready, this, [this] {
    benchmark_->show_recalled();
    benchmark_->start_if_wished();
    const fusion::GroupId wanted = selection_->primary_group();
    kernels_->show(wanted.valid() ? wanted
                                  : first_group(*fusion_->plan(), *history_->last_graph(),
                                                std::exchange(kernel_left_, {})));
  });
  connect(fusion_, &FusionStage::replacing, this, &Document::drop_plan);
  connect(fusion_, &FusionStage::refused, this, &Document::refuse_plan);
  // What was chosen while one guessed.
  connect(fusion_, &FusionStage::guessingChanged, this, [this] {
    const fusion::GroupId group = selection_->primary_group();
    if (!fusion_->is_guessing() && fusion_->plan() && group.valid()) kernels_->show(group);
  });
  connect(selection_, &Selection::groupWanted, this, [this](fusion::GroupId group) {
    if (!fusion_->is_guessing()) kernels_->show(group);  // the kernel would tell what is fused
  });
}

void Document::cancel_work() {
  jobs_->cancel_all();
  benchmark_->cancel();
  history_->stay();
  kernels_->stay();
  board_->leave_work();
}

void Document::drop_plan() {
  if (const auto plan = fusion_->plan(); plan && kernels_->group().valid())
    kernel_left_ = plan->group(kernels_->group()).name;
  fusion_->drop([this] {
    benchmark_->drop();
    memory_->drop();
    kernels_->forget();
  });
  benchmark_->tell();
}

void Document::drop_history() {
  history_->drop([this] {
    answered_.reset();
    drop_plan();
    fusion_->compare({});
    fusion_->show_moment({});
  });
}

void Document::set_session(std::shared_ptr<Session> session) {
  session_ = std::move(session);
  for (DocumentStage* stage : std::initializer_list<DocumentStage*>{
           history_, fusion_, memory_, kernels_, benchmark_, roofline_})
    stage->set_session(session_);
}

void Document::drop_model() {
  jobs_->cancel(lanes::model);
  selection_->clear();
  model_.reset();
  // Letting go of a large model's memory and code takes a while: not on the window's thread.
  std::shared_ptr<Session> old = session_;
  set_session(nullptr);
  QThreadPool::globalInstance()->start([old = std::move(old)]() mutable { old.reset(); });
  source_ = {};
  resume_.reset();
  benchmark_->forget_last_times();
  roofline_->forget();
  workloads_.clear();
  drafts_.clear();
  refused_schedules_.clear();
  handed_schedules_.reset();
  forget_asked_history();
  board_->set(Stage::Model, StageState::Empty);
  drop_history();
  history_->forget_place();
  kernel_left_.clear();
}

// --- models ---

void Document::close() {
  jobs_->cancel(lanes::opening);
  benchmark_->forget_wish();
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
namespace {

// Whether somebody has to say an extent, or else one is taken that is usual.
bool leaves_open(const onnx::Signature& input, const onnx::InputBindings& said) {
  if (!onnx::has_open_shape(input) || said.shapes.contains(input.name)) return false;
  return !input.ranked || std::ranges::any_of(input.shape, [&](const onnx::Dimension& axis) {
    return !axis.symbol.empty() && !said.symbols.contains(axis.symbol);
  });
}

}  // namespace

void Document::open(ModelSource source) {
  if (!model_) {
    drop_model();
    source_ = source;
    board_->set(Stage::Model, StageState::Working);
    emit modelChanged();
  }
  jobs_->run<Opened>(
      lanes::opening, tr("Opening %1").arg(title_of(source)),
      [source, toolchain = toolchain_,
       options = options_](const JobContext& context) mutable -> Result<Opened> {
        const onnx::Source file = TRY(source.locate());
        if (source.ask_for_shapes) {
          auto inputs = TRY(read_model_inputs(file));
          if (std::ranges::any_of(inputs, [&](const onnx::Signature& input) {
                return leaves_open(input, source.inputs);
              }))
            return Opened{.open_inputs = std::move(inputs)};
        }
        options.import.shapes = source.inputs.shapes;
        options.import.symbols = source.inputs.symbols;
        options.import.subgraph = subgraph_path(source);
        options.import.progress = context.progress;
        options.import.cancellation = context.cancellation;
        Opened opened;
        const auto read = [&]() -> Result<void> {
          opened.session = std::make_shared<Session>(toolchain, options);
          TRY_VOID(opened.session->open(file));
          opened.model = TRY(opened.session->model());
          return {};
        };
        auto done = read();
        // A model that has changed since it was left is opened all the same.
        const auto leave_out = [&](Code code, std::optional<Diagnostic>& refused, auto&... asked) {
          if (done || refused || (asked.empty() && ...) || done.error().code != code) return;
          refused = std::move(done).error();
          (asked.clear(), ...);
          done = read();
        };
        const auto leave_inputs = [&] {
          leave_out(Code::ShapeBindingInvalid, opened.refused_inputs, options.import.shapes,
                    options.import.symbols);
        };
        if (source.resume) {
          leave_inputs();
          if (!source.is_other_graph)
            leave_out(Code::GraphEntityUnknown, opened.refused_subgraph, options.import.subgraph);
          leave_inputs();
        }
        if (!done) return std::unexpected(std::move(done).error());
        if (source.resume) opened.refused = refused_schedules(*source.resume);
        return opened;
      },
      [this, source](Opened opened) {
        if (!opened.session) {
          if (!model_) close();
          benchmark_->forget_wish();
          emit shapesWanted(source, opened.open_inputs);
          return;
        }
        accept_model(source, std::move(opened));
      },
      [this](const Diagnostic& diagnostic) {
        if (!model_) return board_->fail(Stage::Model, diagnostic);
        benchmark_->forget_wish();
        board_->report(diagnostic);
      });
}

void Document::accept_model(const ModelSource& source, Opened opened) {
  // Graphs inside the model are part of it.
  const bool same_model =
      model_ && source_.argument == source.argument && (!source.resume || source.is_other_graph);
  const Asked left = asked();
  drop_model();
  if (!same_model) fusion_->forget_guesses();
  source_ = source;
  source_.ask_for_shapes = false;
  resume_ = std::exchange(source_.resume, nullptr);
  set_session(std::move(opened.session));
  model_ = std::move(opened.model);
  session_->set_cost_model(cost_model_);
  refused_schedules_ = std::move(opened.refused);
  if (opened.refused_subgraph) source_.subgraphs.clear();
  if (resume_) resume_asked();
  if (opened.refused_subgraph) {
    opened.refused_subgraph->hint = "the model's own graph is open instead";
    resume_problems_.push_back(*std::move(opened.refused_subgraph));
  }
  if (opened.refused_inputs) {
    source_.inputs = {};
    resume_problems_.push_back(*std::move(opened.refused_inputs));
  }
  if (same_model) keep_of_model(left);
  hand_asked();  // and what was asked while the model was being read
  emit modelChanged();
  history_->derive();
}

}  // namespace loopglass::views
