#include "app/window/main_window.h"

#include "app/export/picture.h"
#include "app/window/elided_label.h"
#include "app/window/error_banner.h"
#include "app/window/exports.h"
#include "app/window/layout_keeper.h"
#include "app/window/locator.h"
#include "app/window/menus.h"
#include "app/window/progress_line.h"
#include "app/window/quit_key.h"
#include "app/window/session_capture.h"
#include "app/window/session_keeper.h"
#include "app/window/shape_dialog.h"
#include "app/window/start_page.h"
#include "app/window/toolbar.h"
#include "app/window/wheel_guard.h"
#include "core/fusion/layer_words.h"
#include "core/machine/instruction_level.h"
#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"
#include "samples/samples.h"
#include "views/assembly/assembly_view.h"
#include "views/assembly/code_times.h"
#include "views/bench/bench_view.h"
#include "views/counted.h"
#include "views/document/command_line.h"
#include "views/document/debugger.h"
#include "views/document/trail.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/icicle/icicle_view.h"
#include "views/loops/loop_view.h"
#include "views/text.h"
#include "views/tuning/tuning_view.h"
#include "views/widgets/text_size.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>

namespace loopglass::app {
namespace {

bool is_session(const QString& file) { return is_session_file(file.toStdString()); }

// The model's or session's file among what is being dragged; empty: none.
QString dragged_model(const QDropEvent& event) {
  for (const QUrl& url : event.mimeData()->urls()) {
    const QString file = url.toLocalFile();
    if (url.isLocalFile() && (file.endsWith(".onnx", Qt::CaseInsensitive) || is_session(file)))
      return file;
  }
  return {};
}

}  // namespace

MainWindow::MainWindow(views::Document* document, QSettings* settings)
    : document_(document),
      settings_(settings),
      recent_(new RecentModels(settings, this)),
      panes_(document, this),
      workspaces_(new Workspaces(this, &panes_, settings, this)),
      places_(new Places(document, &panes_, this)),
      sessions_(new SessionKeeper(this, places_)),
      layout_(new LayoutKeeper(this, panes_, workspaces_, settings)),
      locator_(new Locator(document, &panes_, workspaces_, recent_, this)),
      exports_(new Exports(this)) {
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  tool_bar_ = new ToolBar(document, workspaces_, this);
  addToolBar(tool_bar_);
  connect(tool_bar_, &ToolBar::openWanted, this, &MainWindow::ask_for_model);
  connect(tool_bar_, &ToolBar::locatorWanted, this, &MainWindow::open_locator);
  connect(locator_, &Locator::modelChosen, this,
          [this](const RecentModel& model) { open_and_ask(model.model, model.inputs); });
  make_centre();
  make_status_bar();
  build_menus(*this);
  connect(document, &views::Document::failed, this, &MainWindow::show_diagnostic);
  connect(&document->debugger(), &views::Debugger::nothingToStopAt, this,
          &MainWindow::show_nothing_to_stop_at);
  connect(document, &views::Document::shapesWanted, this, &MainWindow::show_shape_dialog);
  connect(document, &views::Document::modelChanged, this, &MainWindow::remember_model);
  connect(sessions_, &SessionKeeper::fileChanged, this, [this] {
    show_title();
    show_command();
  });
  connect(document, &views::Document::decisionWanted, this,
          [this] { panes_.focus(PaneId::Fusion); });
  connect(panes_.tuning(), &views::TuningView::scriptWanted, workspaces_, &Workspaces::open_script);
  connect(document, &views::Document::stageChanged, this, [this](views::Stage stage) {
    if (stage == views::Stage::Model) show_title();
  });
  show_title();
  setAcceptDrops(true);
  // Drops are taken wherever they land, also on panes that would make text of them.
  qApp->installEventFilter(this);
  new QuitKey(this);
  new WheelGuard(this);
}

MainWindow::~MainWindow() {
  qApp->disconnect(this);  // children that go take the focus with them
}

void MainWindow::make_centre() {
  start_page_ = new StartPage(recent_);
  centre_ = new QStackedWidget;
  centre_->addWidget(start_page_);
  centre_->addWidget(panes_.graph());
  setCentralWidget(centre_);
  banner_ = new ErrorBanner(centre_);
  connect(start_page_, &StartPage::modelChosen, this, &MainWindow::open_and_ask);
  connect(start_page_, &StartPage::openWanted, this, &MainWindow::ask_for_model);
  connect(document_, &views::Document::modelWanted, this, &MainWindow::ask_for_model);
  connect(start_page_, &StartPage::sessionChosen, this, [this](const QString& file) {
    banner_->hide();
    sessions_->open(file);
  });
}

void MainWindow::make_status_bar() {
  summary_ = new ElidedLabel;
  summary_->setObjectName("summary");
  news_.setSingleShot(true);
  connect(&news_, &QTimer::timeout, this, &MainWindow::show_summary);
  summary_->setContentsMargins(8, 0, 0, 0);
  statusBar()->addWidget(summary_, 1);
  constexpr int widest_command = 620;
  command_ = new ElidedLabel(widest_command);
  command_->setObjectName("commandLine");
  views::use_code_font(command_);
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  statusBar()->addPermanentWidget(command_);
  statusBar()->addPermanentWidget(new ProgressLine(document_));
  connect(&document_->history(), &views::HistoryStage::stepChanged, this,
          &MainWindow::show_command);
  connect(&document_->fusion(), &views::FusionStage::planChanged, this, &MainWindow::show_command);
  connect(qApp, &QApplication::focusChanged, this, &MainWindow::show_command);
  for (const auto changed :
       {&views::KernelStage::kernelChanged, &views::KernelStage::loopStepChanged,
        &views::KernelStage::llvmStepChanged, &views::KernelStage::machineCodeChanged})
    connect(&document_->kernels(), changed, this, &MainWindow::show_command);
  connect(panes_.graph()->beside(), &views::BesideCanvas::shownChanged, this,
          &MainWindow::show_command);
  connect(panes_.benchmark(), &views::BenchView::optionsChanged, this, &MainWindow::show_command);
  connect(panes_.dominators(), &views::DominatorView::directionChanged, this,
          &MainWindow::show_command);
  connect(panes_.icicle(), &views::IcicleView::shownChanged, this, &MainWindow::show_command);
  connect(panes_.loops(), &views::LoopView::draftShown, this, &MainWindow::show_command);
  connect(panes_.assembly()->times(), &views::CodeTimes::changed, this, &MainWindow::show_command);
  statusBar()->setSizeGripEnabled(false);
  connect(&document_->history(), &views::HistoryStage::stepChanged, this,
          &MainWindow::show_summary);
  for (const auto signal : {&views::FusionStage::planChanged, &views::FusionStage::guessingChanged})
    connect(&document_->fusion(), signal, this, &MainWindow::show_summary);
  connect(&document_->kernels(), &views::KernelStage::kernelChanged, this,
          &MainWindow::show_summary);
  connect(&document_->benchmark(), &views::BenchmarkStage::benchmarkChanged, this,
          &MainWindow::show_summary);
}

void MainWindow::show_title() {
  const views::StageState state = document_->state(views::Stage::Model);
  // A model whose passes were stopped or failed is open still: its page says what can be done.
  const bool open = state == views::StageState::Working || document_->model();
  const bool comes = open && centre_->currentIndex() == 0;
  centre_->setCurrentIndex(open ? 1 : 0);
  // Keys are the graph's from the first one on, not those of whatever box comes first, unless
  // somebody is in a pane.
  const QWidget* focused = focusWidget();
  if (comes && (!focused || start_page_->isAncestorOf(focused) || tool_bar_->isAncestorOf(focused)))
    panes_.graph()->setFocus();
  if (!open) return setWindowTitle(tr("Loopglass"));
  const QString session = QFileInfo(sessions_->file()).fileName();
  setWindowTitle(session.isEmpty() ? tr("%1 — Loopglass").arg(document_->title())
                                   : tr("%1 — %2 — Loopglass").arg(session, document_->title()));
}

void MainWindow::show_summary() {
  if (news_.isActive()) return;
  QStringList parts;
  if (const InstructionLevel* level = held_level())
    parts << tr("as on %1").arg(views::text(level->name));
  if (const auto graph = document_->history().graph())
    parts << views::counted(graph->nodes().size(), "operator");
  // Names of kernels tell what is in them.
  if (const auto plan = document_->fusion().plan(); plan && !document_->fusion().is_guessing()) {
    parts << views::counted(plan->groups.size(), "kernel");
    if (document_->kernels().group().valid())
      parts << QString::fromStdString(fusion::layer_words(plan->group(document_->kernels().group()),
                                                          *document_->history().last_graph()));
  }
  if (const auto report = document_->benchmark().report();
      report && runtime::is_nothing_timed(*report))
    parts << tr("no kernel can be timed");
  else if (report)
    parts << tr("%1 on %2%3, %4")
                 .arg(
                     QString::fromStdString(readable_time(Milliseconds(report->network.median_ms))),
                     views::counted(report->threads, "thread"),
                     document_->benchmark().measured_words().isEmpty()
                         ? QString()
                         : ", " + document_->benchmark().measured_words(),
                     QString::fromStdString(
                         runtime::trust_words(report->network, report->load, report->threads)));
  summary_->set_parts(parts);
}

void MainWindow::announce(const QString& news) {
  summary_->set_full_text(news);
  constexpr int shown_for_ms = 8000;
  news_.start(shown_for_ms);
}

void MainWindow::show_nothing_to_stop_at() {
  announce(document_->debugger().breakpoints().empty()
               ? tr("No breakpoint is set, so there is nothing to stop at: Step > Breakpoints "
                    "(Ctrl+Shift+B) sets one; Ctrl+F9 stops where the selected node changes")
               : tr("Every breakpoint is switched off, so there is nothing to stop at: Step > "
                    "Breakpoints (Ctrl+Shift+B) switches them on"));
}

void MainWindow::show_diagnostic(const Diagnostic& diagnostic) {
  banner_->show_diagnostic(diagnostic);
  emit told(diagnostic);
}

void MainWindow::forget_diagnostic() { banner_->hide(); }

void MainWindow::use_theme(views::Tone tone) {
  settings_->setValue("theme", tone == views::Tone::Dark ? "dark" : "light");
  views::set_theme(tone);
}

void MainWindow::scale_text(double by) {
  views::set_text_scale(views::text_scale() * by);
  settings_->setValue("textScale", views::text_scale());
}

QSize size_on(const QSize& available) {
  constexpr double share = 0.8;
  return (share * QSizeF(available)).toSize().expandedTo(usual_size);
}

void MainWindow::fit_screen(const std::optional<QSize>& asked) {
  const QSize available = screen()->availableSize();
  const QSize wanted = asked.value_or(size_on(available));
  resize(wanted.boundedTo(available));
  // A window manager adds a frame.
  if (wanted.width() >= available.width() || wanted.height() >= available.height())
    setWindowState(windowState() | Qt::WindowMaximized);
}

void MainWindow::open(views::ModelSource source) {
  banner_->hide();
  document_->open(std::move(source));
}

void MainWindow::open(const QString& model, const onnx::InputBindings& inputs) {
  banner_->hide();
  if (is_session(model)) return sessions_->open(model, {inputs, {}});
  sessions_->forget_opening();
  open(source_of(model, inputs));
}

void MainWindow::open_and_ask(const QString& model, const onnx::InputBindings& inputs) {
  if (is_session(model)) return open(model, inputs);
  sessions_->forget_opening();
  views::ModelSource source = source_of(model, inputs);
  source.ask_for_shapes = inputs.shapes.empty();
  open(std::move(source));
}

// With the shapes it was asked for the last time, be it in vain, or those that are usual.
void MainWindow::show_shape_dialog(const views::ModelSource& source,
                                   const std::vector<onnx::Signature>& inputs) {
  onnx::InputBindings known;
  if (const auto asked = asked_inputs_.find(source.argument); asked != asked_inputs_.end())
    known = asked->second;
  else if (const auto recent = recent_->find(source.argument)) known = recent->inputs;
  ask_for_shapes_of(source, inputs, known, [this, source](onnx::InputBindings bound) {
    views::ModelSource opened = source;
    opened.inputs = asked_inputs_[source.argument] = std::move(bound);
    opened.ask_for_shapes = false;
    open(std::move(opened));
  });
}

void MainWindow::ask_for_shapes_of(const views::ModelSource& source,
                                   const std::vector<onnx::Signature>& inputs,
                                   const onnx::InputBindings& usual,
                                   const std::function<void(onnx::InputBindings)>& answer) {
  auto* dialog =
      new ShapeDialog(source.title, inputs, source.inputs.empty() ? usual : source.inputs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [dialog, answer] { answer(dialog->bindings()); });
  dialog->open();
}

void MainWindow::ask_for_shapes() {
  if (!document_->model() || !document_->source().subgraphs.empty()) return;
  ask_for_shapes_of(document_->source(), document_->model()->inputs, {},
                    [this](onnx::InputBindings bound) { sessions_->open_bound(std::move(bound)); });
}

// Only what could be opened comes back in the list.
void MainWindow::remember_model() {
  const views::ModelSource& source = document_->source();
  if (document_->model() && !sessions_->file().isEmpty())
    return recent_->add({sessions_->file(), {}});
  if (document_->model() && !source.argument.isEmpty() && source.subgraphs.empty())
    recent_->add({source.argument, source.inputs});
}

QString MainWindow::folder() const { return settings_->value("folder").toString(); }

void MainWindow::ask_for_model() {
  const QString path = QFileDialog::getOpenFileName(
      this, tr("Open a model or a session"), folder(),
      tr("Models, kernels and sessions (*.onnx *.te *.loops *.loopglass);;All files (*)"));
  if (path.isEmpty()) return;
  settings_->setValue("folder", QFileInfo(path).absolutePath());
  open_and_ask(path);
}

bool MainWindow::save_screenshot(const QString& path) {
  const auto saved = write_image(grab().toImage(), path.toStdString());
  if (!saved) show_diagnostic(saved.error());
  return saved.has_value();
}

void MainWindow::open_locator() { locator_->open_above(this); }

void MainWindow::step_kernel(int by) {
  const auto plan = document_->fusion().plan();
  if (!plan || plan->groups.empty()) return;
  const int count = static_cast<int>(plan->groups.size());
  const fusion::GroupId now = document_->kernels().group();
  const int next = now.valid() ? (static_cast<int>(now.value) + by + count) % count : 0;
  document_->kernels().select(fusion::GroupId{static_cast<std::uint32_t>(next)});
}

void MainWindow::watch_selected() {
  const auto* selected = std::get_if<views::SelectedNode>(&document_->selection().current());
  if (!selected) return;
  pass::Breakpoint breakpoint;
  breakpoint.node = selected->node->name;
  if (const auto added = document_->debugger().add(breakpoint); !added)
    show_diagnostic(added.error());
}

QString MainWindow::command() const {
  if (!document_->history().recorded()) return {};
  if (const Pane* pane = panes_.focused(); pane && pane->command)
    if (const QString of_pane = pane->command(); !of_pane.isEmpty()) return of_pane;
  const QString both = views::beside_command(*document_, panes_.graph()->beside()->shown());
  return both.isEmpty() ? views::place_command(*document_) : both;
}

void MainWindow::show_command() {
  const QString command = this->command();
  command_->setToolTip(
      tr("What this shows, on the command line (Ctrl+Shift+C copies it):\n%1").arg(command));
  command_->set_full_text(command);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  sessions_->flush();
  layout_->keep();
  QMainWindow::closeEvent(event);
}

// Reaches us only when no pane had a use for the key.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) views::leave(*document_);
  else QMainWindow::keyPressEvent(event);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget = qobject_cast<QWidget*>(watched);
  // Before whoever has the keyboard makes something of it.
  if (event->type() == QEvent::KeyPress && banner_->isVisible() && widget &&
      widget->window() == this && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    banner_->hide();
    return true;
  }
  const bool drag = event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove ||
                    event->type() == QEvent::Drop;
  if (!drag || !widget || widget->window() != this) return false;
  auto* drop = static_cast<QDropEvent*>(event);
  const QString model = dragged_model(*drop);
  if (model.isEmpty()) return false;
  drop->acceptProposedAction();
  if (event->type() == QEvent::Drop) open_and_ask(model);
  return true;
}

}  // namespace loopglass::app
