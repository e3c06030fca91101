#include "app/window/startup.h"

#include "app/common/exit_codes.h"
#include "app/common/standard_streams.h"
#include "app/window/session_keeper.h"
#include "core/runtime/thread_pool.h"
#include "views/document/lookup.h"
#include "views/fusion/fusion_view.h"

#include <QApplication>
#include <QTabWidget>

namespace loopglass::app {
namespace {

constexpr int look_every_ms = 40;
// Jobs follow upon jobs, and views settle after them: quiet for this many looks is done.
constexpr int quiet_looks_needed = 5;

}  // namespace

Startup::Startup(MainWindow* window, WindowOptions options, std::optional<Diagnostic> note,
                 QObject* parent)
    : QObject(parent), window_(window), options_(std::move(options)), note_(std::move(note)) {
  connect(&timer_, &QTimer::timeout, this, &Startup::look);
}

// A picture asks nobody, and nobody goes on where it was.
void Startup::begin() {
  SessionKeeper& sessions = window_->sessions();
  const bool is_picture = !options_.screenshot.isEmpty();
  if (is_picture) connect(window_, &MainWindow::told, this, &tell);
  else sessions.keep();
  if (options_.model.isEmpty() && !is_picture && !options_.fresh) sessions.restore();
  else if (is_session_file(options_.model.toStdString()))
    sessions.open(options_.model, {options_.inputs, options_.strategy});
  else if (!options_.model.isEmpty() && is_picture) window_->open(options_.model, options_.inputs);
  else if (!options_.model.isEmpty()) window_->open_and_ask(options_.model, options_.inputs);
  timer_.start(look_every_ms);
}

void Startup::look() {
  if (!window_->document().jobs().idle()) quiet_looks_ = 0;
  else if (++quiet_looks_ >= quiet_looks_needed) {
    quiet_looks_ = 0;
    advance();
  }
}

void Startup::advance() {
  views::Document& document = window_->document();
  if (QApplication::activeModalWidget()) return;  // somebody is being asked for shapes
  switch (phase_) {
    case Phase::Opening:
      phase_ = Phase::Selecting;
      if (!options_.model.isEmpty() &&
          document.state(views::Stage::Model) != views::StageState::Ready)
        failed_ = true;
      else select();
      if (note_ && !failed_) window_->show_diagnostic(*note_);
      return;
    case Phase::Selecting:
      phase_ = Phase::Measuring;
      if (options_.benchmark && document.fusion().plan())
        document.benchmark().start(runtime::hardware_threads());
      return;
    case Phase::Measuring: phase_ = Phase::Saving; return;
    case Phase::Saving: return finish();
  }
}

void Startup::select() {
  views::Document& document = window_->document();
  const auto refuse = [this](Diagnostic problem) {
    failed_ = true;
    window_->show_diagnostic(problem);
  };
  // A session has its own.
  if (!options_.workspace.isEmpty()) window_->workspaces().use(options_.workspace);
  if (!options_.step.empty() && document.history().recorded()) {
    const auto place = pass::parse_position(options_.step, *document.history().recorded());
    if (place) document.history().set_position(*place);
    else refuse(place.error());
  }
  if (!options_.select.isEmpty() && !views::select_named(document, options_.select))
    refuse({Code::GraphEntityUnknown,
            "no node, kernel or value is named '" + options_.select.toStdString() + "'",
            "--select",
            {}});
  if (!options_.tab.isEmpty()) {
    window_->panes().focus(PaneId::Fusion);
    window_->panes().fusion()->tabs()->setCurrentIndex(
        static_cast<int>(views::FusionView::tab_names().indexOf(options_.tab)));
  }
  if (document.state(views::Stage::Plan) == views::StageState::Failed) failed_ = true;
}

void Startup::finish() {
  timer_.stop();
  if (options_.screenshot.isEmpty()) return;
  if (!window_->save_screenshot(options_.screenshot)) failed_ = true;
  QApplication::exit(static_cast<int>(failed_ ? Exit::Refused : Exit::Good));
}

}  // namespace loopglass::app
