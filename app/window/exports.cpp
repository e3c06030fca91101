#include "app/window/exports.h"

#include "app/export/drawings.h"
#include "app/export/heat_legend.h"
#include "app/export/page.h"
#include "app/window/main_window.h"
#include "core/support/readable_bytes.h"
#include "views/dominators/dominator_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/graph/heat.h"
#include "views/theme_scope.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QMenu>

#include <algorithm>

namespace loopglass::app {
namespace {

const QString lane = "export";
const QString drawn_forms = "SVG (*.svg);;PDF (*.pdf);;PNG (*.png)";

}  // namespace

Exports::Exports(MainWindow* window) : QObject(window), window_(window) {
  // What is being written would be of two plans.
  connect(&window->document(), &views::Document::askedChanged, this, [this] {
    views::JobQueue& jobs = window_->document().jobs();
    if (!jobs.busy(lane)) return;
    jobs.cancel(lane);
    window_->show_diagnostic(
        {Code::Cancelled, "what was being exported has changed meanwhile", {}, "export it again"});
  });
}

QString Exports::model() const { return window_->document().title(); }

// Of times that an earlier window measured.
QString Exports::with_date(const QString& title) const {
  const QString when = window_->document().benchmark().measured_words();
  return when.isEmpty() ? title : title + ", " + when;
}

// --- the menu ---

QMenu* Exports::make_menu() {
  auto* menu = new QMenu(tr("E&xport"), window_);
  menu->setToolTipsVisible(true);
  views::Document* document = &window_->document();
  const auto add = [&](const QString& text, const QString& tip, const QString& name,
                       const QString& forms, void (Exports::*act)(const QString&),
                       const std::function<bool()>& there_is) {
    QAction* action = menu->addAction(text + "…");
    action->setToolTip(tip);
    QString title = text;
    title.remove('&');
    connect(action, &QAction::triggered, this, [=, this] {
      ask(title, name, forms, [this, act](const QString& file) { (this->*act)(file); });
    });
    connect(menu, &QMenu::aboutToShow, action,
            [action, there_is] { action->setEnabled(there_is()); });
  };
  const auto has_plan = [document] {
    return document->fusion().plan() != nullptr && document->history().graph() != nullptr;
  };
  add(tr("&Graph"),
      tr("All of the graph at this step, with kernels and verdicts as they are shown"), "graph",
      drawn_forms, &Exports::export_graph, has_plan);
  add(tr("&Dominator Tree"), tr("At this step"), "dominators", drawn_forms,
      &Exports::export_dominators, [document] { return document->history().graph() != nullptr; });
  add(tr("&Memory"), tr("Where intermediates live"), "memory", drawn_forms, &Exports::export_memory,
      has_plan);
  add(tr("&Benchmark Rounds"), tr("Of the last benchmark"), "rounds", drawn_forms,
      &Exports::export_rounds, [document] { return document->benchmark().report() != nullptr; });
  add(tr("&Roofline"), tr("Kernels that were judged, under the roofs of the machine"), "roofline",
      drawn_forms, &Exports::export_roofline,
      [document] { return !document->roofline().kernels().empty(); });
  menu->addSeparator();
  add(tr("&Page for a Browser"),
      tr("Graph, verdicts, steps, loop nests and assembly in one HTML file, linked as here"),
      "session", "HTML (*.html)", &Exports::export_page, has_plan);
  menu->addSeparator();
  QMenu* views = menu->addMenu(tr("&View as Picture"));
  connect(views, &QMenu::aboutToShow, this, [this, views] { add_views(views); });
  add_views(views);
  QAction* whole = menu->addAction(tr("&Window as Picture…"));
  whole->setShortcut(QKeySequence("Ctrl+Shift+E"));
  connect(whole, &QAction::triggered, this, [this] {
    ask(tr("Window as Picture"), "window", "PNG (*.png)",
        [this](const QString& file) { export_view(window_, file); });
  });
  return menu;
}

// Those that can be seen.
void Exports::add_views(QMenu* menu) {
  menu->clear();
  const auto add = [&](const QString& title, QWidget* view) {
    connect(menu->addAction(title + "…"), &QAction::triggered, this, [this, title, view] {
      ask(title, title.toLower().replace(' ', '-'), "PNG (*.png)",
          [this, view](const QString& file) { export_view(view, file); });
    });
  };
  if (window_->panes().graph()->isVisible()) add(tr("Graph"), window_->panes().graph());
  for (const Pane& pane : window_->panes().all())
    if (pane.dock->widget()->isVisible() && !pane.dock->widget()->visibleRegion().isEmpty())
      add(pane.dock->windowTitle(), pane.dock->widget());
  if (menu->isEmpty()) menu->addAction(tr("Nothing is shown"))->setEnabled(false);
}

void Exports::ask(const QString& title, const QString& name, const QString& forms,
                  const std::function<void(const QString&)>& act) {
  const QString first_ending = forms.mid(forms.indexOf("*.") + 1).section(')', 0, 0);
  const QString model = views::file_stem(this->model());
  QString suggestion = (model.isEmpty() ? QString() : model + "-") + name + first_ending;
  if (!folder_.isEmpty()) suggestion = folder_ + "/" + suggestion;
  QString form;
  QString file =
      QFileDialog::getSaveFileName(window_, tr("Export: %1").arg(title), suggestion, forms, &form);
  if (file.isEmpty()) return;
  // A name without an ending has that of the form that was chosen.
  if (QFileInfo(file).suffix().isEmpty())
    file += form.mid(form.indexOf("*.") + 1).section(')', 0, 0);
  folder_ = QFileInfo(file).absolutePath();
  act(file);
}

// --- the files ---

void Exports::run(const QString& file,
                  const std::function<Result<void>(const views::JobContext&, FileFormat)>& work,
                  Exported what) {
  const auto format = file_format(what, file.toStdString());
  if (!format) return window_->show_diagnostic(format.error());
  // Jobs hand back a value.
  window_->document().jobs().run<bool>(
      lane, tr("Exporting %1").arg(QFileInfo(file).fileName()),
      [work, format = *format](const views::JobContext& context) -> Result<bool> {
        TRY_VOID(work(context, format));
        return true;
      },
      [this, file](bool) { tell_written(file); },
      [this](const Diagnostic& problem) { window_->show_diagnostic(problem); }, this);
}

void Exports::tell_written(const QString& file) {
  window_->forget_diagnostic();
  window_->announce(
      tr("Wrote %1, %2").arg(file, QString::fromStdString(readable_bytes(QFileInfo(file).size()))));
  emit written(file);
}

void Exports::export_graph(const QString& file) {
  views::Document& document = window_->document();
  std::shared_ptr<const views::CanvasPicture> shown;
  {
    const views::ThemeScope light(views::Tone::Light);
    shown = window_->panes().graph()->picture();
  }
  if (!shown)
    return window_->show_diagnostic({Code::UsageInvalid,
                                     "the graph is not drawn yet",
                                     {},
                                     "export it when its layout is there"});
  const QString place =
      title_of_place(model(), *document.history().recorded(), document.history().position());
  const std::string colors = window_->panes().graph()->switches().colors;
  const bool is_timed = std::ranges::any_of(views::all_measures, [&](views::Measure measure) {
    return views::is_timed(measure) && views::measure_key(measure) == colors;
  });
  const QString title = is_timed ? with_date(place) : place;
  const views::Measure measure = window_->panes().graph()->measure();
  // A second canvas has its boxes under the same scale.
  const double own = window_->panes().graph()->greatest_heat();
  const double greatest =
      own > 0 ? std::max(own, window_->panes().graph()->beside()->greatest_heat()) : 0;
  run(
      file,
      [=](const views::JobContext& context, FileFormat format) -> Result<void> {
        Picture picture = TRY(canvas_picture(title, tr("As the window shows it"), shown));
        if (greatest > 0) picture = with_heat_legend(std::move(picture), measure, greatest);
        return write_picture(picture, format, file.toStdString(), context.progress,
                             context.cancellation);
      },
      Exported::Graph);
}

void Exports::export_dominators(const QString& file) {
  views::Document& document = window_->document();
  run(
      file,
      [session = document.session(), place = pass::to_text(document.history().position()),
       direction = window_->panes().dominators()->direction(),
       file](const views::JobContext& context, FileFormat format) -> Result<void> {
        return write_picture(
            TRY(dominator_picture(*session, place, direction, context.cancellation)), format,
            file.toStdString(), context.progress, context.cancellation);
      },
      Exported::Dominators);
}

// The plan comes from a job; its chart is a widget, and paints here.
void Exports::export_memory(const QString& file) {
  const auto format = file_format(Exported::Memory, file.toStdString());
  if (!format) return window_->show_diagnostic(format.error());
  using PlanPtr = std::shared_ptr<const runtime::MemoryPlan>;
  views::Document& document = window_->document();
  document.jobs().run<PlanPtr>(
      lane, tr("Exporting %1").arg(QFileInfo(file).fileName()),
      [session = document.session()](const views::JobContext& context) -> Result<PlanPtr> {
        return session->memory_plan(context.progress, context.cancellation);
      },
      [this, file, format = *format, graph = document.history().last_graph(),
       groups = document.fusion().plan()](const PlanPtr& plan) {
        const auto picture = memory_picture(model(), plan, graph, groups);
        const Result<void> done = picture ? write_picture(*picture, format, file.toStdString())
                                          : std::unexpected(picture.error());
        if (done) return tell_written(file);
        window_->show_diagnostic(done.error());
      },
      [this](const Diagnostic& problem) { window_->show_diagnostic(problem); }, this);
}

// Small enough to be done at once.
void Exports::export_rounds(const QString& file) {
  const views::Document& document = window_->document();
  const auto format = file_format(Exported::Rounds, file.toStdString());
  if (!format) return window_->show_diagnostic(format.error());
  if (!document.benchmark().report()) return;
  const auto done =
      write_picture(rounds_picture(with_date(model()), document.benchmark().round_times(),
                                   *document.benchmark().report()),
                    *format, file.toStdString());
  if (done) return tell_written(file);
  window_->show_diagnostic(done.error());
}

void Exports::export_roofline(const QString& file) {
  const views::RooflineStage& judged = window_->document().roofline();
  const auto format = file_format(Exported::Roofline, file.toStdString());
  if (!format) return window_->show_diagnostic(format.error());
  if (judged.kernels().empty()) return;
  NetworkRoofline network{judged.roofs(), {}, {}};
  for (const JudgedKernel& kernel : judged.kernels()) network.kernels.push_back(kernel.newest);
  const QString when = judged.measured_words();
  const auto done = write_picture(
      roofline_picture(when.isEmpty() ? model() : model() + ", " + when, std::move(network)),
      *format, file.toStdString());
  if (done) return tell_written(file);
  window_->show_diagnostic(done.error());
}

void Exports::export_page(const QString& file) {
  views::Document& document = window_->document();
  PageRequest request{
      model().toStdString(), pass::to_text(pass::Position{document.history().step()}),
      document.benchmark().report(), document.benchmark().measured_words().toStdString()};
  run(
      file,
      [session = document.session(), request, file](const views::JobContext& context, FileFormat) {
        return write_page(*session, request, file.toStdString(), context.progress,
                          context.cancellation);
      },
      Exported::Page);
}

void Exports::export_view(QWidget* view, const QString& file) {
  const auto done = write_image(view->grab().toImage(), file.toStdString());
  if (done) return tell_written(file);
  window_->show_diagnostic(done.error());
}

}  // namespace loopglass::app
