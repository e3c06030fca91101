#include "app/window/main_window.h"

#include "app/common/model_argument.h"
#include "app/window/error_banner.h"
#include "app/window/locator.h"
#include "app/window/menus.h"
#include "app/window/progress_line.h"
#include "app/window/shape_dialog.h"
#include "app/window/start_page.h"
#include "app/window/toolbar.h"
#include "samples/samples.h"
#include "views/document/command_line.h"
#include "views/document/counted.h"
#include "views/document/debugger.h"
#include "views/graph/graph_view.h"

#include <QApplication>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

namespace loopglass::app {
namespace {

// The model file among what is being dragged; empty: none.
QString dragged_model(const QDropEvent& event) {
  for (const QUrl& url : event.mimeData()->urls())
    if (url.isLocalFile() && url.toLocalFile().endsWith(".onnx", Qt::CaseInsensitive))
      return url.toLocalFile();
  return {};
}

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

}  // namespace

MainWindow::MainWindow(views::Document* document, QSettings* settings)
    : document_(document),
      settings_(settings),
      recent_(new RecentModels(settings, this)),
      panes_(document, this),
      workspaces_(new Workspaces(this, &panes_, settings, this)),
      locator_(new Locator(document, &panes_, workspaces_, this)) {
  setDockNestingEnabled(true);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  auto* tool_bar = new ToolBar(document, workspaces_, this);
  addToolBar(tool_bar);
  connect(tool_bar, &ToolBar::openWanted, this, &MainWindow::ask_for_model);
  connect(tool_bar, &ToolBar::locatorWanted, this, &MainWindow::open_locator);
  make_centre();
  make_status_bar();
  build_menus(*this);
  connect(document, &views::Document::failed, this, &MainWindow::show_diagnostic);
  connect(document, &views::Document::shapesWanted, this, &MainWindow::show_shape_dialog);
  connect(document, &views::Document::modelChanged, this, &MainWindow::remember_model);
  connect(document, &views::Document::decisionWanted, this,
          [this] { panes_.focus(PaneId::Fusion); });
  connect(document, &views::Document::stageChanged, this, [this](views::Stage stage) {
    if (stage == views::Stage::Model) show_title();
  });
  show_title();
  setAcceptDrops(true);
  // Drops are taken wherever they land, also on panes that would make text of them.
  qApp->installEventFilter(this);
}

MainWindow::~MainWindow() = default;

void MainWindow::make_centre() {
  banner_ = new ErrorBanner;
  start_page_ = new StartPage(recent_);
  centre_ = new QStackedWidget;
  centre_->addWidget(start_page_);
  centre_->addWidget(panes_.graph());
  auto* column = new QWidget;
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(centre_, 1);
  setCentralWidget(column);
  connect(start_page_, &StartPage::modelChosen, this, &MainWindow::open_and_ask);
  connect(start_page_, &StartPage::openWanted, this, &MainWindow::ask_for_model);
}

void MainWindow::make_status_bar() {
  summary_ = new QLabel;
  summary_->setContentsMargins(8, 0, 0, 0);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  statusBar()->addWidget(summary_, 1);
  command_ = new QLabel;
  command_->setObjectName("commandLine");
  command_->setFont(views::theme().code_font());
  command_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  statusBar()->addPermanentWidget(command_);
  statusBar()->addPermanentWidget(new ProgressLine(document_));
  connect(document_, &views::Document::stepChanged, this, [this] {
    show_command(document_->history() ? views::place_command(*document_) : QString());
  });
  connect(document_, &views::Document::historyChanged, this, [this] {
    if (document_->history()) show_command(views::passes_command(*document_));
  });
  statusBar()->setSizeGripEnabled(false);
  for (const auto signal : {&views::Document::stepChanged, &views::Document::planChanged,
                            &views::Document::kernelChanged, &views::Document::benchmarkChanged,
                            &views::Document::guessingChanged})
    connect(document_, signal, this, &MainWindow::show_summary);
}

void MainWindow::show_title() {
  const views::StageState state = document_->state(views::Stage::Model);
  // A model whose passes were stopped or failed is open still: its page says what can be done.
  const bool open = state == views::StageState::Working || document_->model();
  centre_->setCurrentIndex(open ? 1 : 0);
  setWindowTitle(open ? tr("%1 — Loopglass").arg(document_->title()) : tr("Loopglass"));
}

void MainWindow::show_summary() {
  QStringList parts;
  if (const auto graph = document_->graph()) parts << views::counted(graph->nodes().size(), "node");
  // Names of kernels tell what is in them.
  if (const auto plan = document_->plan(); plan && !document_->is_guessing()) {
    parts << views::counted(plan->groups.size(), "kernel");
    if (document_->kernel_group().valid())
      parts << QString::fromStdString(plan->group(document_->kernel_group()).name);
  }
  if (const auto report = document_->benchmark_report())
    parts << QString("%1 ms on %2")
                 .arg(report->network.median_ms, 0, 'f', 3)
                 .arg(views::counted(report->threads, "thread"));
  summary_->setText(parts.join("   ·   "));
}

void MainWindow::show_diagnostic(const Diagnostic& diagnostic) {
  banner_->show_diagnostic(diagnostic);
  emit told(diagnostic);
}

void MainWindow::use_theme(views::Tone tone) {
  settings_->setValue("theme", tone == views::Tone::Dark ? "dark" : "light");
  views::set_theme(tone);
}

void MainWindow::fit_screen(const QSize& wanted) {
  const QSize available = screen()->availableSize();
  resize(wanted.boundedTo(available));
  // A window manager adds a frame.
  if (wanted.width() >= available.width() || wanted.height() >= available.height())
    setWindowState(windowState() | Qt::WindowMaximized);
}

views::ModelSource MainWindow::source_of(const QString& model,
                                         const std::map<std::string, Shape>& shapes) const {
  return {title_of(model), [name = model.toStdString()] { return find_model(name); }, shapes, model};
}

void MainWindow::open(const QString& model, const std::map<std::string, Shape>& shapes) {
  banner_->hide();
  document_->open(source_of(model, shapes));
}

void MainWindow::open_and_ask(const QString& model, const std::map<std::string, Shape>& shapes) {
  banner_->hide();
  views::ModelSource source = source_of(model, shapes);
  source.ask_for_shapes = shapes.empty();
  document_->open(std::move(source));
}

// With the shapes it had the last time, or those that are usual.
void MainWindow::show_shape_dialog(const views::ModelSource& source,
                                   const std::vector<onnx::Signature>& inputs) {
  std::map<std::string, Shape> known = source.shapes;
  if (known.empty())
    if (const auto recent = recent_->find(source.argument)) known = recent->shapes;
  auto* dialog = new ShapeDialog(source.title, inputs, known, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, source, dialog] {
    views::ModelSource opened = source;
    opened.shapes = dialog->shapes();
    opened.ask_for_shapes = false;
    banner_->hide();
    document_->open(std::move(opened));
  });
  dialog->open();
}

void MainWindow::ask_for_shapes() {
  if (document_->model() && document_->source().subgraphs.empty())
    show_shape_dialog(document_->source(), document_->model()->inputs);
}

// Only what could be opened comes back in the list.
void MainWindow::remember_model() {
  const views::ModelSource& source = document_->source();
  if (document_->model() && !source.argument.isEmpty() && source.subgraphs.empty())
    recent_->add({source.argument, source.shapes});
}

void MainWindow::ask_for_model() {
  const QString folder = settings_->value("folder").toString();
  const QString path = QFileDialog::getOpenFileName(this, tr("Open a model"), folder,
                                                    tr("ONNX models (*.onnx);;All files (*)"));
  if (path.isEmpty()) return;
  settings_->setValue("folder", QFileInfo(path).absolutePath());
  open_and_ask(path);
}

void MainWindow::ask_for_screenshot() {
  const QString path = QFileDialog::getSaveFileName(this, tr("Export screenshot"), "loopglass.png",
                                                    tr("PNG images (*.png)"));
  if (!path.isEmpty()) save_screenshot(path);
}

bool MainWindow::save_screenshot(const QString& path) {
  if (grab().save(path, "PNG")) return true;
  show_diagnostic({Code::FileUnwritable,
                   "the screenshot cannot be written to '" + path.toStdString() + "'",
                   {},
                   "check that the folder exists and may be written to"});
  return false;
}

void MainWindow::open_locator() { locator_->open_above(this); }

void MainWindow::step_kernel(int by) {
  const auto plan = document_->plan();
  if (!plan || plan->groups.empty()) return;
  const int count = static_cast<int>(plan->groups.size());
  const fusion::GroupId now = document_->kernel_group();
  const int next = now.valid() ? (static_cast<int>(now.value) + by + count) % count : 0;
  document_->set_kernel(fusion::GroupId{static_cast<std::uint32_t>(next)});
}

void MainWindow::watch_selected() {
  const auto* selected = std::get_if<views::SelectedNode>(&document_->selection().current());
  if (!selected) return;
  pass::Breakpoint breakpoint;
  breakpoint.node = selected->node->name;
  if (const auto added = document_->debugger().add(breakpoint); !added)
    show_diagnostic(added.error());
}

// What was just done, as one would do it without the window.
void MainWindow::show_command(const QString& command) {
  command_->setToolTip(
      tr("What this shows, on the command line (Ctrl+Shift+C copies it):\n%1").arg(command));
  command_->setText(command_->fontMetrics().elidedText(command, Qt::ElideMiddle, 620));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  workspaces_->save();
  settings_->setValue("geometry", saveGeometry());
  QMainWindow::closeEvent(event);
}

// Reaches us only when no pane had a use for the key.
void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape)
    document_->selection().clear();
  else
    QMainWindow::keyPressEvent(event);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  const auto* widget = qobject_cast<QWidget*>(watched);
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
