// loopglass: the window.
#include "app/common/calibration.h"
#include "app/common/exit_codes.h"
#include "app/common/export_options.h"
#include "app/common/model_options.h"
#include "app/common/standard_streams.h"
#include "app/common/worker.h"
#include "app/export/export_command.h"
#include "app/window/calibration_watch.h"
#include "app/window/environment.h"
#include "app/window/main_window.h"
#include "app/window/options.h"
#include "app/window/settings_file.h"
#include "app/window/startup.h"
#include "core/machine/instruction_level.h"
#include "core/support/fault.h"
#include "core/support/stacks.h"
#include "passes/pipeline.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QWindow>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace loopglass::app {
namespace {

// A defect that surfaces while the window handles an event is shown and survived.
class Application : public QApplication {
 public:
  using QApplication::QApplication;
  std::function<void(const Diagnostic&)> on_defect;

  bool notify(QObject* receiver, QEvent* event) override {
    try {
      return QApplication::notify(receiver, event);
    } catch (...) {
      const Diagnostic diagnostic = diagnose_current_exception();
      tell(diagnostic);
      if (on_defect) on_defect(diagnostic);
      return false;
    }
  }
};

bool has_display() {
#ifdef Q_OS_LINUX
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
#else
  return true;
#endif
}

// Screenshots need no display and must look the same everywhere, so they never use one.
bool choose_platform(const WindowOptions& options) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  if (!options.screenshot.isEmpty()) qputenv("QT_QPA_PLATFORM", "offscreen");
  else if (!has_display()) {
    tell({Code::UsageInvalid,
          "there is no display to open a window on",
          {},
          "render to a file with --screenshot FILE, or use loopglassc"});
    return false;
  }
  return true;
}

// What Qt has to say. A display that cannot be had is fatal to it; the offscreen platform remarks
// on every window that it has no window manager.
void take_message(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (message.contains("propagateSizeHints")) return;
  if (type == QtFatalMsg) {
    tell({Code::SystemRefused,
          message.toStdString(),
          {},
          "render to a file with --screenshot FILE, or use loopglassc"});
    std::_Exit(2);
  }
  std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
}

// What was measured is used even where it cannot be kept. Called again after it was interrupted, it
// goes on.
Result<std::shared_ptr<const fusion::CostModel>> measure_host(const views::JobContext& context) {
  static std::vector<runtime::CalibrationRow> begun;  // one job at a time is in its lane
  runtime::CalibrationOptions options;
  options.progress = context.progress;
  options.cancellation = context.cancellation;
  options.begun = &begun;
  const runtime::Calibration calibration = TRY(calibrate_host(options));
  (void)keep(calibration.machine);
  auto model = std::make_shared<fusion::CostModel>(calibration.machine);
  if (const auto known = host_cost_model()) model->add_measurements(known->measurements());
  return model;
}

views::Tone saved_tone(const QSettings& settings) {
  return settings.value("theme").toString() == "light" ? views::Tone::Light : views::Tone::Dark;
}

// A window manager gives a maximised window its size before it shows it, and panes are restored for
// that: else they would be pushed about, and creep from start to start.
void wait_until_shown(const QWidget& window) {
  constexpr int patience_ms = 500, pause_ms = 10;
  QElapsedTimer waited;
  waited.start();
  while (!window.windowHandle()->isExposed() && waited.elapsed() < patience_ms)
    QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents, pause_ms);
}

int run(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == export_switch) {
    prepare_environment();
    qInstallMessageHandler(take_message);
    return static_cast<int>(run_export(argc - 1, argv + 1));
  }
  if (argc == 2 && std::string_view(argv[1]) == worker_switch) {
    const auto ended = be_worker();
    return static_cast<int>(ended ? *ended : refused(ended.error()));
  }
  ParsedOptions parsed = parse_options(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  const WindowOptions& options = parsed.options;
  if (!choose_platform(options)) return 2;
  if (const auto held = check_held_level(); !held) return static_cast<int>(refused(held.error()));
  prepare_environment();

  const bool headless = !options.screenshot.isEmpty();
  qInstallMessageHandler(take_message);
  QApplication::setHighDpiScaleFactorRoundingPolicy(
      Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
  Application application(argc, argv);
  QApplication::setApplicationName("loopglass");
  QApplication::setOrganizationName("loopglass");
  QApplication::setApplicationVersion(LOOPGLASS_VERSION);

  QTemporaryDir scratch;
  // A screenshot shows the window as it comes, not as somebody left it.
  QSettings::setDefaultFormat(QSettings::IniFormat);
  const auto [kept, note] =
      open_settings(headless ? scratch.filePath("settings.ini") : QSettings().fileName());
  QSettings& settings = *kept;
  views::set_theme(options.tone.value_or(saved_tone(settings)));
  views::set_text_scale(settings.value("textScale", 1.0).toDouble());

  SessionOptions session = session_options();
  session.strategy = options.strategy;
  session.workers = std::make_shared<measure::WorkerPool>(own_worker());
  views::Document document(passes::toolchain(), session);
  document.set_cost_model(host_cost_model());
  document.roofline().set_kept_roofs(
      {kept_roofs, [](const roofline::Roofs& roofs) { (void)keep(roofs); }});
  MainWindow window(&document, &settings);
  application.on_defect = [&window](const Diagnostic& diagnostic) {
    window.show_diagnostic(diagnostic);
  };
  if (headless) window.resize(options.size.value_or(usual_size));
  else if (!window.restoreGeometry(settings.value("geometry").toByteArray()))
    window.fit_screen(options.size);
  window.show();
  if (!headless) wait_until_shown(window);
  window.workspaces().use(options.workspace.isEmpty() ? window.workspaces().last_used()
                                                      : options.workspace);

  // A picture waits for nothing that it does not show.
  std::optional<CalibrationWatch> calibration;
  if (!headless && !document.cost_model()->is_calibrated())
    calibration.emplace(&document, measure_host);
  Startup startup(&window, options, note);
  startup.begin();
  return QApplication::exec();
}

}  // namespace
}  // namespace loopglass::app

int main(int argc, char** argv) {
  using namespace loopglass::app;
  loopglass::prepare_stacks();
  prepare_standard_streams();
  int exit = 0;
  try {
    exit = run(argc, argv);
  } catch (...) {
    exit = static_cast<int>(refused(loopglass::diagnose_current_exception()));
  }
  const auto written = finish_output();
  return written ? exit : static_cast<int>(refused(written.error()));
}
