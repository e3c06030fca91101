// Ctrl+K: type a part of a name, go to the node, kernel, value, step, pane or workspace, do what a
// menu has, take a preset of passes, or open the sample or the model that was open before.
#pragma once

#include "app/window/panes.h"
#include "app/window/recent_models.h"
#include "app/window/workspaces.h"
#include "views/document/lookup.h"

#include <QDialog>

class QLineEdit;
class QListWidget;
class QMenu;

namespace loopglass::app {

class Locator : public QDialog {
  Q_OBJECT

 public:
  Locator(views::Document* document, const Panes* panes, Workspaces* workspaces,
          const RecentModels* recent, QWidget* parent);
  void open_above(QWidget* window);

 signals:
  void modelChosen(const RecentModel& model);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Entry {
    QString name, detail;
    std::function<void()> go;  // none: it cannot be chosen now
    bool is_model = false;     // in the place of what is open
  };
  void add_places(const QString& query);
  // Entries of the menu and of those in it; `path`: of titles, "File".
  // `submenus`: titles of those that it is in, each with a space behind it.
  void add_actions(const QString& query, QMenu& menu, const QString& path,
                   const QString& submenus = {});
  void add_presets(const QString& query);
  void add_models(const QString& query);
  void search(const QString& query);
  void choose();

  views::Document* document_;
  const Panes* panes_;
  Workspaces* workspaces_;
  const RecentModels* recent_;
  QLineEdit* query_;
  QListWidget* results_;
  std::vector<Entry> entries_;
  std::size_t place_count_ = 0;  // of its first, which are panes and workspaces
};

}  // namespace loopglass::app
