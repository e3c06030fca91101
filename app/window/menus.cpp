#include "app/window/menus.h"

#include "app/window/bookmarks_dialog.h"
#include "app/window/earlier_sessions.h"
#include "app/window/exports.h"
#include "app/window/help.h"
#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "samples/kernel_samples.h"
#include "samples/samples.h"
#include "views/bench/bench_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/document/command_line.h"
#include "views/document/debugger.h"
#include "views/document/trail.h"
#include "views/document/undo_actions.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/timeline/walk_actions.h"
#include "views/tuning/tuning_view.h"
#include "views/widgets/menu_letters.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QMenuBar>

#include <algorithm>

namespace loopglass::app {
namespace {

QString text(const char* source) { return QCoreApplication::translate("Menus", source); }

template <class Action>
QAction* add(QMenu* menu, const QString& title, const QKeySequence& keys, QObject* receiver,
             Action action) {
  QAction* entry = menu->addAction(title);
  entry->setShortcut(keys);
  QObject::connect(entry, &QAction::triggered, receiver, std::move(action));
  return entry;
}

void file_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&File"));
  add(menu, text("&Open…"), QKeySequence::Open, &window, [&window] { window.ask_for_model(); });

  QMenu* recent = menu->addMenu(text("Open &Recent"));
  recent->setObjectName(models_menu);
  QObject::connect(recent, &QMenu::aboutToShow, &window, [&window, recent] {
    recent->clear();
    for (const RecentModel& model : window.recent_models().all())
      add(recent, views::plain(model.words()), {}, &window,
          [&window, model] { window.open_and_ask(model.model, model.inputs); });
    if (recent->isEmpty()) recent->addAction(text("Nothing yet"))->setEnabled(false);
    recent->addSeparator();
    add(recent, text("&Clear"), {}, &window, [&window] { window.recent_models().clear(); });
  });

  QMenu* samples = menu->addMenu(text("Sa&mples"));
  samples->setObjectName(models_menu);
  samples->setToolTipsVisible(true);
  for (const samples::Sample& sample : samples::all_samples()) {
    add(samples, QString::fromStdString(sample.title), {}, &window, [&window, &sample] {
      window.open_and_ask(QString::fromStdString(sample.name));
    })->setToolTip(QString::fromStdString(sample.doc));
  }
  samples->addSeparator();
  for (const samples::KernelSample& sample : samples::all_kernel_samples()) {
    add(samples, QString::fromStdString(sample.title), {}, &window, [&window, &sample] {
      window.open_and_ask(QString::fromStdString(sample.name));
    })->setToolTip(QString::fromStdString(sample.doc));
  }
  QAction* shapes =
      add(menu, text("&Input Shapes…"), {}, &window, [&window] { window.ask_for_shapes(); });
  QObject::connect(menu, &QMenu::aboutToShow, shapes, [&window, shapes] {
    const auto model = window.document().model();
    shapes->setEnabled(model && (std::ranges::any_of(model->inputs, onnx::has_open_shape) ||
                                 !onnx::settings_among(model->inputs).empty()));
  });
  add(menu, text("&Close"), QKeySequence::Close, &window, [&window] { window.document().close(); });
  menu->addSeparator();
  SessionKeeper* sessions = &window.sessions();
  QAction* save = add(menu, text("&Save Session"), QKeySequence("Ctrl+S"), sessions,
                      [sessions] { sessions->save(); });
  QAction* save_as = add(menu, text("Save Session &As…"), QKeySequence("Ctrl+Shift+S"), sessions,
                         [sessions] { sessions->save_as(); });
  const auto enable = [sessions, save, save_as] {
    for (QAction* action : {save, save_as}) action->setEnabled(sessions->can_save());
  };
  QObject::connect(&window.document(), &views::Document::modelChanged, menu, enable);
  enable();
  QMenu* earlier = menu->addMenu(text("&Earlier Sessions"));
  earlier->setToolTipsVisible(true);
  QObject::connect(earlier, &QMenu::aboutToShow, sessions, [sessions, earlier] {
    constexpr std::size_t most = 12;
    earlier->clear();
    for (const EarlierSession& session : earlier_sessions(most))
      add(earlier, views::plain(session.words), {}, sessions, [sessions, file = session.file] {
        sessions->open(file);
      })->setToolTip(session.file);
    if (earlier->isEmpty()) earlier->addAction(text("None yet"))->setEnabled(false);
  });
  menu->addSeparator();
  menu->addMenu(window.exports().make_menu());
  menu->addSeparator();
  add(menu, text("&Quit"), quit_key(), &window, [&window] { window.close(); });
}

void edit_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&Edit"));
  menu->setToolTipsVisible(true);
  auto* again = new views::UndoActions(&window.document(), true, &window);
  // What changes may stand in a pane that is not seen.
  QObject::connect(again, &views::UndoActions::done, &window, &MainWindow::announce);
  menu->addAction(again->undo());
  menu->addAction(again->redo());
}

void pane_entries(MainWindow& window, QMenu* menu) {
  QMenu* panes = menu->addMenu(text("&Panes"));
  int number = 1;
  for (const Pane& pane : window.panes().all()) {
    const QKeySequence keys =
        number <= 9 ? QKeySequence(QString("Ctrl+%1").arg(number)) : QKeySequence();
    add(panes, pane.dock->windowTitle(), keys, &window,
        [&window, id = pane.id] { window.panes().focus(id); });
    ++number;
  }
  panes->addSeparator();
  for (const Pane& pane : window.panes().all()) {
    QAction* toggle = pane.dock->toggleViewAction();
    toggle->setText(text("Show %1").arg(pane.dock->windowTitle()));
    // What is asked for is to be seen, and not behind another tab.
    QObject::connect(toggle, &QAction::triggered, &window, [&window, id = pane.id](bool is_shown) {
      if (is_shown) window.panes().focus(id);
    });
    panes->addAction(toggle);
  }
}

void workspace_entries(MainWindow& window, QMenu* menu) {
  QMenu* workspaces = menu->addMenu(text("&Workspace"));
  workspaces->setToolTipsVisible(true);
  auto* group = new QActionGroup(&window);
  int number = 1;
  for (const Workspace& workspace : all_workspaces()) {
    QAction* entry =
        add(workspaces, workspace.title, QKeySequence(QString("Ctrl+Alt+%1").arg(number % 10)),
            &window, [&window, name = workspace.name] { window.workspaces().use(name); });
    entry->setToolTip(workspace.doc);
    entry->setCheckable(true);
    entry->setActionGroup(group);
    QObject::connect(&window.workspaces(), &Workspaces::changed, entry,
                     [&window, entry, name = workspace.name] {
                       entry->setChecked(window.workspaces().current() == name);
                     });
    ++number;
  }
  workspaces->addSeparator();
  add(workspaces, text("&Restore Default"), {}, &window,
      [&window] { window.workspaces().restore_default(); });
}

void view_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&View"));
  add(menu, text("&Go to…"), QKeySequence("Ctrl+K"), &window, [&window] { window.open_locator(); });
  auto* trail = new views::SelectionTrail(&window.document(), &window);
  QAction* back =
      add(menu, text("&Back"), QKeySequence("Alt+Left"), trail, [trail] { trail->go_back(); });
  QAction* forward = add(menu, text("F&orward"), QKeySequence("Alt+Right"), trail,
                         [trail] { trail->go_forward(); });
  const auto enable = [trail, back, forward] {
    back->setEnabled(trail->can_go_back());
    forward->setEnabled(trail->can_go_forward());
  };
  QObject::connect(trail, &views::SelectionTrail::changed, menu, enable);
  enable();
  add(menu, text("&Find in Pane"), QKeySequence::Find, &window,
      [&window] { window.panes().find(); });
  menu->addSeparator();
  pane_entries(window, menu);
  workspace_entries(window, menu);
  menu->addSeparator();
  views::GraphView* graph = window.panes().graph();
  add(menu, text("F&it Graph"), {}, graph, [graph] { graph->canvas()->fit(); });
  add(menu, text("Second Graph &Canvas"), QKeySequence("F8"), graph,
      [graph] { graph->beside()->toggle(); });
  QMenu* beside = menu->addMenu(text("B&eside the Graph"));
  QObject::connect(beside, &QMenu::aboutToShow, graph,
                   [graph, beside] { graph->fill_beside_menu(*beside); });
  QMenu* switches = menu->addMenu(text("Shown in &the Graph"));
  switches->setToolTipsVisible(true);
  QObject::connect(switches, &QMenu::aboutToShow, graph,
                   [graph, switches] { graph->fill_switch_menu(*switches); });
  QMenu* fold = menu->addMenu(text("Fold the Grap&h"));
  QObject::connect(fold, &QMenu::aboutToShow, graph,
                   [graph, fold] { graph->fill_fold_menu(*fold); });
  QMenu* colors = menu->addMenu(text("Colo&ur of Boxes"));
  colors->setToolTipsVisible(true);
  QObject::connect(colors, &QMenu::aboutToShow, graph,
                   [graph, colors] { graph->fill_color_menu(*colors); });
  menu->addSeparator();
  add(menu, text("&Dark or Light"), QKeySequence("Ctrl+Shift+L"), &window, [&window] {
    window.use_theme(views::theme().tone == views::Tone::Dark ? views::Tone::Light
                                                              : views::Tone::Dark);
  });
  QAction* larger =
      add(menu, text("&Larger Text"), {}, &window, [&window] { window.scale_text(1.15); });
  larger->setShortcuts({QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")});
  add(menu, text("S&maller Text"), QKeySequence("Ctrl+-"), &window,
      [&window] { window.scale_text(1 / 1.15); });
  add(menu, text("&Normal Text"), QKeySequence("Ctrl+0"), &window,
      [&window] { window.scale_text(1 / views::text_scale()); });
  add(menu, text("Full &Screen"), QKeySequence("Alt+Return"), &window,
      [&window] { window.setWindowState(window.windowState() ^ Qt::WindowFullScreen); });
}

void step_menu(MainWindow& window) {
  using views::Walk;
  QMenu* menu = window.menuBar()->addMenu(text("&Step"));
  menu->setToolTipsVisible(true);
  views::Document* document = &window.document();
  auto* walks = new views::WalkActions(document, true, &window);
  for (const Walk walk : {Walk::PassForward, Walk::PassBack, Walk::RewriteForward,
                          Walk::RewriteBack, Walk::Start, Walk::End})
    menu->addAction(walks->action(walk));
  menu->addSeparator();
  views::Debugger* debugger = &document->debugger();
  add(menu, text("To the Next S&top"), QKeySequence("F9"), debugger,
      [debugger] { debugger->run(pass::Direction::Forward); });
  add(menu, text("Back to the &Last Stop"), QKeySequence("Shift+F9"), debugger,
      [debugger] { debugger->run(pass::Direction::Backward); });
  QAction* watch = add(menu, text("Break When the Selected Node &Changes"), QKeySequence("Ctrl+F9"),
                       &window, [&window] { window.watch_selected(); });
  add(menu, text("&Breakpoints…"), QKeySequence("Ctrl+Shift+B"), &window,
      [&window] { window.panes().focus(PaneId::Breakpoints); });
  QObject::connect(
      &document->selection(), &views::Selection::selectionChanged, watch, [document, watch] {
        watch->setEnabled(
            std::holds_alternative<views::SelectedNode>(document->selection().current()));
      });
  watch->setEnabled(false);
  menu->addSeparator();
  add(menu, text("&Difference"), QKeySequence("Ctrl+D"), &window,
      [&window] { window.panes().focus(PaneId::Difference); });
  add(menu, text("P&in This Step to Compare With"), QKeySequence("Ctrl+Shift+D"), document,
      [document] { document->history().pin_base(document->history().position()); });
  add(menu, text("C&ompare With the Step Before"), {}, document,
      [document] { document->history().pin_base({}); });
  menu->addSeparator();
  add(menu, text("Pipeli&ne…"), QKeySequence("Ctrl+Shift+P"), &window,
      [&window] { window.panes().focus(PaneId::Pipeline); });
  add(menu, text("Copy the Command for This Step"), QKeySequence("Ctrl+Shift+C"), &window,
      [&window] {
        QApplication::clipboard()->setText(window.command());
        window.announce(text("Copied: %1").arg(window.command()));
      });
  QAction* again =
      add(menu, text("Run Passes &Again"), {}, document, [document] { document->run_passes(); });
  again->setToolTip(text("When the passes were stopped or failed"));
  const auto enable = [document, again] { again->setEnabled(document->can_run_passes()); };
  QObject::connect(document, &views::Document::stageChanged, menu, enable);
  enable();
}

void bookmarks_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("B&ookmarks"));
  views::Document* document = &window.document();
  SessionKeeper* sessions = &window.sessions();
  QAction* mark = add(menu, text("&Add Here"), QKeySequence("Ctrl+B"), sessions,
                      [sessions] { sessions->add_bookmark(); });
  QAction* manage =
      add(menu, text("&Rename or Remove…"), {}, &window, [&window] { show_bookmarks(window); });
  menu->addSeparator();
  QObject::connect(menu, &QMenu::aboutToShow, &window, [menu, document, sessions] {
    const QList<QAction*> entries = menu->actions().mid(3);
    for (QAction* entry : entries) delete entry;
    for (const Bookmark& bookmark : document->asked().bookmarks)
      add(menu, views::plain(views::text(bookmark.name)), {}, sessions,
          [sessions, bookmark] { sessions->go_to(bookmark); });
    if (document->asked().bookmarks.empty()) menu->addAction(text("None yet"))->setEnabled(false);
  });
  const auto enable = [document, mark, manage] {
    mark->setEnabled(document->history().recorded() != nullptr);
    manage->setEnabled(!document->asked().bookmarks.empty());
  };
  QObject::connect(&document->history(), &views::HistoryStage::historyChanged, menu, enable);
  QObject::connect(document, &views::Document::askedChanged, menu, enable);
  enable();
}

void kernel_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&Kernel"));
  views::Document* document = &window.document();
  add(menu, text("&Next Kernel"), QKeySequence("Ctrl+Down"), &window,
      [&window] { window.step_kernel(1); });
  add(menu, text("&Previous Kernel"), QKeySequence("Ctrl+Up"), &window,
      [&window] { window.step_kernel(-1); });
  menu->addSeparator();
  add(menu, text("Loop Nest: Step &Forward"), QKeySequence("Ctrl+F10"), document,
      [document] { document->kernels().set_loop_step(document->kernels().loop_step() + 1); });
  add(menu, text("Loop Nest: Step &Back"), QKeySequence("Ctrl+Shift+F10"), document, [document] {
    if (document->kernels().loop_step() > 0)
      document->kernels().set_loop_step(document->kernels().loop_step() - 1);
  });
  menu->addSeparator();
  const auto tuning = [&window] {
    window.panes().focus(PaneId::Tuning);
    return window.panes().tuning();
  };
  add(menu, text("&Tune"), {}, &window, [tuning] { tuning()->tune(); });
  add(menu, text("Tune &All Kernels"), {}, &window, [tuning] { tuning()->tune_all(); });
  add(menu, text("&Hold or Go On Tuning"), {}, &window, [tuning] { tuning()->toggle_pause(); });
  add(menu, text("Stop T&uning"), {}, &window, [tuning] { tuning()->stop(); });
  menu->addSeparator();
  QMenu* strategies = menu->addMenu(text("Fusion &Strategy"));
  strategies->setToolTipsVisible(true);
  auto* group = new QActionGroup(&window);
  for (const fusion::Strategy& strategy : document->toolchain().strategies) {
    const QString name = QString::fromStdString(strategy.name);
    QAction* entry =
        add(strategies, name, {}, document, [document, name] { document->set_strategy(name); });
    entry->setToolTip(QString::fromStdString(strategy.doc));
    entry->setCheckable(true);
    entry->setActionGroup(group);
    entry->setChecked(document->strategy() == name);
    QObject::connect(&document->fusion(), &views::FusionStage::planChanged, entry,
                     [document, entry, name] { entry->setChecked(document->strategy() == name); });
  }
}

void benchmark_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&Benchmark"));
  add(menu, text("&Run"), QKeySequence("F5"), &window, [&window] {
    window.panes().focus(PaneId::Benchmark);
    window.panes().benchmark()->run();
  });
  add(menu, text("&Stop"), QKeySequence("Shift+F5"), &window,
      [&window] { window.panes().benchmark()->stop(); });
}

void help_menu(MainWindow& window) {
  QMenu* menu = window.menuBar()->addMenu(text("&Help"));
  add(menu, text("&Keys"), QKeySequence("F1"), &window, [&window] { show_keys(window); });
  add(menu, text("&About Loopglass"), {}, &window, [&window] { show_about(window); });
}

}  // namespace

void build_menus(MainWindow& window) {
  file_menu(window);
  edit_menu(window);
  view_menu(window);
  step_menu(window);
  bookmarks_menu(window);
  kernel_menu(window);
  benchmark_menu(window);
  help_menu(window);
  // Behind what fills those that are made when they are about to be seen.
  for (QMenu* menu : window.menuBar()->findChildren<QMenu*>()) {
    const auto give = [menu] { views::give_letters(*menu); };
    QObject::connect(menu, &QMenu::aboutToShow, menu, give);
    give();
  }
}

QKeySequence quit_key() { return QKeySequence("Ctrl+Q"); }

}  // namespace loopglass::app
