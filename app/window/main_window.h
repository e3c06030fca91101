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

class QLabel;
class QSettings;
class QStackedWidget;

namespace loopglass::app {

class ErrorBanner;
class Locator;
class StartPage;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow(views::Document* document, QSettings* settings);
  ~MainWindow() override;

  views::Document& document() const { return *document_; }
  Panes& panes() { return panes_; }
  Workspaces& workspaces() { return *workspaces_; }
  RecentModels& recent_models() { return *recent_; }

  // A file, a folder with model.onnx in it, or the name of a sample.
  void open(const QString& model, const std::map<std::string, Shape>& shapes = {});
  // The same, but asks for the dimensions that the model leaves open where `shapes` says nothing.
  void open_and_ask(const QString& model, const std::map<std::string, Shape>& shapes = {});
  void show_diagnostic(const Diagnostic& diagnostic);
  void use_theme(views::Tone tone);
  // Before it is shown first: this size, or the whole screen where that is too large.
  void fit_screen(const QSize& wanted);

  // What menus and buttons ask for.
  void ask_for_model();
  void ask_for_shapes();  // of the model that is open
  void ask_for_screenshot();
  bool save_screenshot(const QString& path);
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
  views::ModelSource source_of(const QString& model, const std::map<std::string, Shape>& shapes) const;
  void show_shape_dialog(const views::ModelSource& source,
                         const std::vector<onnx::Signature>& inputs);
  void remember_model();
  void make_centre();
  void make_status_bar();
  void show_title();
  void show_summary();
  void show_command(const QString& command);

  views::Document* document_;
  QSettings* settings_;
  RecentModels* recent_;
  Panes panes_;
  Workspaces* workspaces_;
  Locator* locator_;
  ErrorBanner* banner_;
  StartPage* start_page_;
  QStackedWidget* centre_;
  QLabel *summary_, *command_;
};

}  // namespace loopglass::app
