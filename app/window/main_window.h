// The window: the graph in the middle, docks around it, and what ties them to the document. Each
// subject has a file of its own (panes, workspaces, menus, tool bar, start page, locator, banner).
#pragma once

#include "app/window/panes.h"
#include "app/window/recent_models.h"
#include "app/window/workspaces.h"
#include "samples/samples.h"
#include "views/document/document.h"
#include "views/theme.h"

#include <QMainWindow>
#include <QSize>
#include <QTimer>
#include <functional>

#include <optional>

class QSettings;
class QStackedWidget;

namespace loopglass::app {

class ElidedLabel;
class ErrorBanner;
class Exports;
class LayoutKeeper;
class Locator;
class Places;
class SessionKeeper;
class StartPage;
class ToolBar;

// Of pictures, and at least of windows whose screen has room.
inline constexpr QSize usual_size{1600, 1000};
QSize size_on(const QSize& available);  // on such a screen, of a window at first

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(views::Document* document, QSettings* settings);
  ~MainWindow() override;

  views::Document& document() const { return *document_; }
  Panes& panes() { return panes_; }
  Workspaces& workspaces() { return *workspaces_; }
  RecentModels& recent_models() { return *recent_; }
  SessionKeeper& sessions() { return *sessions_; }
  QString folder() const;  // where a person opened something last
  Exports& exports() { return *exports_; }

  // A file, a folder with model.onnx in it, the name of a sample, or a session's file.
  void open(const QString& model, const onnx::InputBindings& inputs = {});
  // The same, but asks for the dimensions that the model leaves open where `inputs` says nothing.
  void open_and_ask(const QString& model, const onnx::InputBindings& inputs = {});
  void open(views::ModelSource source);
  void show_diagnostic(const Diagnostic& diagnostic);
  void forget_diagnostic();  // what was tried has worked after all
  void use_theme(views::Tone tone);
  void scale_text(double by);  // kept for the next time
  // Before it is shown first: this size, or the whole screen where that is too large.
  // Of the size that is asked for, or what suits the screen.
  void fit_screen(const std::optional<QSize>& asked);

  // What menus and buttons ask for.
  void ask_for_model();
  void ask_for_shapes();  // of the model that is open
  bool save_screenshot(const QString& path);
  void announce(const QString& news);  // at the foot of the window, for a while
  QString command() const;             // what is shown, on the command line
  void open_locator();
  void step_kernel(int by);  // to the next or previous kernel of the plan
  void watch_selected();     // stop where the selected node changes or goes

 signals:
  void told(const Diagnostic& diagnostic);  // something was shown in the banner

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_shape_dialog(const views::ModelSource& source,
                         const std::vector<onnx::Signature>& inputs);
  void ask_for_shapes_of(const views::ModelSource& source,
                         const std::vector<onnx::Signature>& inputs,
                         const onnx::InputBindings& usual,
                         const std::function<void(onnx::InputBindings)>& answer);
  void remember_model();
  void make_centre();
  void make_status_bar();
  void show_title();
  void show_summary();
  void show_nothing_to_stop_at();
  void show_command();

  views::Document* document_;
  QSettings* settings_;
  RecentModels* recent_;
  Panes panes_;
  Workspaces* workspaces_;
  Places* places_;
  SessionKeeper* sessions_;
  LayoutKeeper* layout_;
  Locator* locator_;
  Exports* exports_;
  ErrorBanner* banner_;
  ToolBar* tool_bar_;
  StartPage* start_page_;
  QStackedWidget* centre_;
  ElidedLabel *summary_, *command_;
  // Of models that this window was asked to open, by their argument; some could not be.
  std::map<QString, onnx::InputBindings> asked_inputs_;
  QTimer news_;  // runs while news stand in the place of the summary
};

}  // namespace loopglass::app
