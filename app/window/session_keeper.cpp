#include "app/window/session_keeper.h"

#include "app/window/main_window.h"
#include "app/window/session_capture.h"
#include "core/pass/position_name.h"
#include "core/support/fault.h"
#include "core/support/whole_file.h"
#include "views/document/debugger.h"
#include "views/document/lanes.h"
#include "views/dominators/dominator_view.h"
#include "views/fusion/fusion_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/iterations/iterations_view.h"
#include "views/text.h"

#include <fmt/format.h>

#include <QFileInfo>
#include <QStatusBar>
#include <QTabWidget>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr int keep_after_ms = 800;

// Not one of those that windows keep by themselves.
bool is_kept(const std::filesystem::path& file) {
  std::error_code error;
  return std::ranges::any_of(kept_sessions(), [&](const KeptSession& kept) {
    return std::filesystem::equivalent(kept.file, file, error);
  });
}

// What is the model's, and not this graph's, is said once in a session.
SavedGraph without_model(SavedGraph graph) {
  graph.asked.request.model.clear();
  graph.asked.request.inputs = {};
  const auto forget = [](SavedAsked& asked) {
    asked.breakpoints.clear();
    asked.bookmarks.clear();
  };
  forget(graph.asked);
  std::ranges::for_each(graph.undo, forget);
  std::ranges::for_each(graph.redo, forget);
  return graph;
}

}  // namespace

SessionKeeper::SessionKeeper(MainWindow* window, Places* places)
    : QObject(window), window_(window), document_(&window->document()), places_(places) {
  writer_.setMaxThreadCount(1);
  timer_.setSingleShot(true);
  timer_.setInterval(keep_after_ms);
  connect(&timer_, &QTimer::timeout, this, &SessionKeeper::write_kept);
  using views::Document;
  connect(document_, &Document::modelChanged, this, &SessionKeeper::follow_model);
  connect(document_, &Document::resumed, this, &SessionKeeper::resume);
  document_->set_recall([this](const views::ModelSource& source) { return recall(source); });
  // What is asked of a graph while another one is being opened belongs to it, too.
  connect(document_, &Document::askedChanged, this, [this] {
    if (leaving_ && document_->model() && document_->model().get() == model_) leaving_ = session();
  });
  connect(&document_->jobs(), &views::JobQueue::changed, this, &SessionKeeper::notice_leaving);
  using views::HistoryStage, views::KernelStage;
  connect(&document_->history(), &HistoryStage::historyChanged, this,
          &SessionKeeper::return_to_place,
          Qt::QueuedConnection);  // the document is not done with it
  const auto keep_after = [this](auto& sender, auto... changes) {
    (connect(&sender, changes, this, &SessionKeeper::changed), ...);
  };
  keep_after(*document_, &Document::askedChanged, &Document::draftsChanged,
             &Document::pipelineChanged);
  keep_after(document_->history(), &HistoryStage::historyChanged, &HistoryStage::stepChanged);
  keep_after(document_->fusion(), &views::FusionStage::planChanged,
             &views::FusionStage::guessingChanged);
  keep_after(document_->kernels(), &KernelStage::kernelChanged, &KernelStage::loopStepChanged,
             &KernelStage::llvmStepChanged);
  keep_after(document_->benchmark(), &views::BenchmarkStage::benchmarkChanged);
  keep_after(document_->roofline(), &views::RooflineStage::changed);
  connect(&document_->selection(), &views::Selection::selectionChanged, this,
          &SessionKeeper::changed);
  views::GraphView* graph = window->panes().graph();
  connect(graph, &views::GraphView::switchesChanged, this, &SessionKeeper::changed);
  const views::DominatorView* dominators = window->panes().dominators();
  connect(dominators, &views::DominatorView::directionChanged, this, &SessionKeeper::changed);
  connect(window->panes().iterations(), &views::IterationsView::lookChanged, this,
          &SessionKeeper::changed);
  for (const views::GraphCanvas* canvas :
       {graph->canvas(), graph->beside()->canvas(), dominators->canvas()})
    connect(canvas, &views::GraphCanvas::viewChanged, this, &SessionKeeper::changed);
  connect(&window->workspaces(), &Workspaces::changed, this, &SessionKeeper::changed);
  connect(window->panes().fusion()->tabs(), &QTabWidget::currentChanged, this,
          &SessionKeeper::changed);
  connect(document_, &Document::stageChanged, this, [this](views::Stage stage) {
    const bool failed = stage == views::Stage::Model && !document_->model() &&
                        document_->state(stage) == views::StageState::Failed;
    if (failed) forget_opening();
  });
  connect(places, &Places::problem, window, &MainWindow::show_diagnostic);
}

SessionKeeper::~SessionKeeper() {
  document_->set_recall({});
  writer_.waitForDone();
}

// --- opening ---

void SessionKeeper::open(const QString& file, const Instead& instead) {
  const std::filesystem::path path = file.toStdString();
  auto session = read_session(path);
  if (!session) return window_->show_diagnostic(session.error());
  Opening opening;
  if (!keeps_ || !is_kept(path)) {
    session->file = QFileInfo(file).absoluteFilePath().toStdString();
  } else if (auto held = HeldSession::take_up(path); held && *held) {
    opening.held = *std::move(*held);
  }
  session->closed = false;
  opening.file = views::text(session->file);
  Request& request = session->asked.request;
  request.inputs.take(instead.inputs);
  if (!instead.strategy.empty()) request.strategy = instead.strategy;
  opening.session = std::make_shared<const SavedSession>(*std::move(session));
  begin_opening(std::move(opening));
}

bool SessionKeeper::restore() {
  const std::vector<KeptSession> kept = kept_sessions();
  if (kept.empty() || std::ranges::any_of(kept, &KeptSession::in_use)) return false;
  const auto session = read_session(kept.front().file);
  if (session && session->closed) return false;
  // One that was damaged is told of once.
  if (!session && is_damaged(session.error()))
    if (const auto aside = put_aside(kept.front().file)) {
      Diagnostic told = session.error();
      told.hint = fmt::format("it is kept as {}", aside->string());
      window_->show_diagnostic(told);
      return false;
    }
  open(views::text(kept.front().file.string()));
  return session.has_value();
}

void SessionKeeper::begin_opening(Opening opening) {
  views::ModelSource source = source_of(opening.session);
  source.is_other_graph = opening.goes_on;
  opening_ = std::move(opening);
  window_->open(std::move(source));
}

void SessionKeeper::open_bound(onnx::InputBindings inputs) {
  auto now = session();
  if (!now) return;
  now->asked.request.inputs = std::move(inputs);
  // What was measured is of the inputs that were.
  forget_measurements(*now);
  for (SavedGraph& other : now->others) forget_measurements(other);
  Opening opening;
  opening.session = std::make_shared<const SavedSession>(*std::move(now));
  opening.file = file_;
  opening.goes_on = true;
  begin_opening(std::move(opening));
}

void SessionKeeper::forget_opening() { opening_.reset(); }

// Another model is another session, but for the graphs inside one, and its shapes.
void SessionKeeper::follow_model() {
  if (document_->model().get() == model_) return;
  model_ = document_->model().get();
  if (!model_) window_->statusBar()->clearMessage();  // it is of a session that is no longer there
  const std::string model = model_ ? model_name_of(*document_) : std::string();
  const bool opened = model_ && opening_ && opening_->session->asked.request.model == model;
  const bool same = model_ && !opened && kept_ && kept_->asked.request.model == model;
  resuming_ = opened;
  keep_what_is_left(opened);
  if (same || (opened && opening_->goes_on)) return changed();
  const std::optional<SavedSession> left = held_ ? kept_ : std::nullopt;
  end_held();
  if (model_ && !opened) tell_of_earlier(left ? &*left : nullptr);
  file_ = opened ? opening_->file : QString();
  document_->set_session_file(file_);
  file_written_ = QFileInfo(file_).lastModified();
  if (opened) held_ = std::move(opening_->held);
  emit fileChanged();
  changed();
  write_kept();  // what was open before is none to come back to any more
}

// What is open stays until the other has been read, and is gone when that is told.
void SessionKeeper::notice_leaving() {
  const bool opens = document_->jobs().busy(views::lanes::opening);
  if (std::exchange(opens_, opens) == opens || !opens) return;
  leaving_ = session();
}

std::shared_ptr<const SavedSession> SessionKeeper::recall(const views::ModelSource& source) {
  forget_opening();
  const auto left = left_.find(subgraph_path(source));
  auto session = this->session();
  if (left == left_.end() || !session) return nullptr;
  const Request now = session->asked.request;
  static_cast<SavedGraph&>(*session) = left->second;
  session->asked.request.model = now.model;
  session->asked.request.inputs = now.inputs;
  Opening opening;
  opening.session = std::make_shared<const SavedSession>(*std::move(session));
  opening.goes_on = true;
  opening_ = std::move(opening);
  return opening_->session;
}

// Whoever comes back to a graph of the model finds it as it was left: what was asked of it, what
// was selected and looked at, and what was measured.
void SessionKeeper::keep_what_is_left(bool is_resumed) {
  returning_.reset();
  const auto left = std::exchange(leaving_, {});
  const bool same_model =
      document_->model() && left && left->asked.request.model == model_name_of(*document_);
  if (is_resumed && !opening_->goes_on) {
    left_.clear();
    for (const SavedGraph& graph : opening_->session->others)
      left_.insert_or_assign(graph.asked.request.subgraph, graph);
    return;
  }
  if (!same_model) return left_.clear();
  left_.insert_or_assign(left->asked.request.subgraph, without_model(*left));
  const auto known = left_.find(subgraph_path(document_->source()));
  if (known != left_.end() && !is_resumed) returning_ = known->second;
}

void SessionKeeper::return_to_place() {
  if (!returning_ || !document_->history().recorded()) return;
  const SavedGraph back = *std::exchange(returning_, {});
  places_->go_to(back.place);
  places_->show({back.kernel, back.loop_step, back.llvm_step});
}

// What was open is no longer, and can be taken up again from the start page.
void SessionKeeper::end_held() {
  timer_.stop();
  if (held_ && kept_ && keeps_) {
    SavedSession ended = *kept_;
    ended.closed = true;
    writer_.start(
        [file = held_->file(), ended = std::move(ended)] { (void)write_session(file, ended); });
    writer_.waitForDone();
  }
  held_.reset();
  kept_.reset();
  file_.clear();
}

// --- keeping ---

void SessionKeeper::keep() {
  keeps_ = true;
  QThreadPool::globalInstance()->start([] { forget_old_sessions(); });
  changed();
}

void SessionKeeper::changed() {
  if (keeps_ && document_->model() && !timer_.isActive()) timer_.start();
}

std::optional<SavedSession> SessionKeeper::session() const {
  if (!document_->model()) return {};
  if (resuming_) {
    if (opening_) return with_others(*opening_->session);
    return kept_;
  }
  // Between two histories the place is that in the one before; before the first there is none.
  SavedSession session =
      document_->history().recorded() ? SavedSession{} : kept_.value_or(SavedSession{});
  if (session.asked.request.subgraph != subgraph_path(document_->source()))
    static_cast<SavedGraph&>(session) = {};
  capture_asked(*document_, session);
  session.file = file_.toStdString();
  session.closed = false;
  if (!document_->history().recorded()) return with_others(std::move(session));
  session.place = places_->here();
  if (const auto& base = document_->history().pinned_base())
    session.compared_with = pass::position_name(*base, *document_->history().recorded());
  Places::ShownKernel kernel = places_->kernel();
  session.kernel = std::move(kernel.name);
  session.loop_step = kernel.loop_step;
  session.llvm_step = kernel.llvm_step;
  session.times = document_->benchmark().last_times();
  session.roofline = document_->roofline().last();
  capture_view(*window_, session);
  return with_others(std::move(session));
}

SavedSession SessionKeeper::with_others(SavedSession session) const {
  session.others.clear();
  for (const auto& [path, graph] : left_)
    if (path != session.asked.request.subgraph) session.others.push_back(graph);
  return session;
}

void SessionKeeper::write_kept() {
  if (!keeps_) return;
  auto session = this->session();
  if (!session || (session == kept_ && !unwritten_)) return;
  if (!held_) {
    auto begun = HeldSession::begin(session->asked.request.model);
    if (!begun) return told_written(begun.error());
    held_ = *std::move(begun);
  }
  kept_ = std::move(session);
  writer_.start([this, file = held_->file(), session = *kept_] {
    std::optional<Diagnostic> problem;
    try {
      auto written = make_folder_of(file, session_file);  // which somebody may have tidied away
      if (written) written = write_session(file, session);
      if (!written) problem = written.error();
    } catch (...) {
      problem = diagnose_current_exception();
    }
    QMetaObject::invokeMethod(this, [this, problem] { told_written(problem); });
  });
}

void SessionKeeper::told_written(const std::optional<Diagnostic>& problem) {
  unwritten_ = problem.has_value();
  if (!problem) return problem_.clear();
  if (std::exchange(problem_, problem->what) == problem->what) return;
  Diagnostic told = *problem;
  told.what = "what is done here is not kept: " + told.what;
  told.hint = "File > Save Session As keeps it elsewhere; LOOPGLASS_STATE names another folder";
  window_->show_diagnostic(told);
}

void SessionKeeper::flush() {
  timer_.stop();
  write_kept();
  writer_.waitForDone();
}

// --- bookmarks ---

// "fold-batch-norm:3, conv1": the place, and what is selected there.
void SessionKeeper::add_bookmark() {
  if (!document_->history().recorded()) return;
  std::vector<Bookmark> bookmarks = document_->asked().bookmarks;
  Bookmark bookmark{{}, subgraph_path(document_->source()), places_->here()};
  bookmark.name = bookmark.place.at;
  for (const std::string& name : bookmark.place.selected.names) bookmark.name += ", " + name;
  const std::string name = bookmark.name;
  const auto is_taken = [&] {
    return std::ranges::find(bookmarks, bookmark.name, &Bookmark::name) != bookmarks.end();
  };
  for (int number = 2; is_taken(); ++number) bookmark.name = fmt::format("{} ({})", name, number);
  window_->statusBar()->showMessage(tr("Bookmark %1").arg(views::text(bookmark.name)),
                                    note_shown_ms);
  bookmarks.push_back(std::move(bookmark));
  document_->set_bookmarks(std::move(bookmarks));
}

// One in another of the model's graphs opens that, as it was left; what is asked of the edges and
// kernels of this one is not of its.
void SessionKeeper::go_to(const Bookmark& bookmark) {
  if (bookmark.subgraph == subgraph_path(document_->source()))
    return places_->go_to(bookmark.place);
  auto session = this->session();
  if (!session) return;
  Request& request = session->asked.request;
  if (const auto left = left_.find(bookmark.subgraph); left != left_.end()) {
    const Request now = request;
    static_cast<SavedGraph&>(*session) = left->second;
    request.model = now.model;
    request.inputs = now.inputs;
  } else {
    if (request.strategy == "manual") request.strategy = request.edits.base;
    request.forced = request.forbidden = {};
    request.edits = {};
    session->undo.clear();
    session->redo.clear();
    forget_measurements(*session);
  }
  request.subgraph = bookmark.subgraph;
  session->compared_with.clear();
  session->kernel.clear();
  session->place = bookmark.place;
  Opening opening;
  opening.session = std::make_shared<const SavedSession>(*std::move(session));
  opening.goes_on = true;
  begin_opening(std::move(opening));
}

}  // namespace loopglass::app
