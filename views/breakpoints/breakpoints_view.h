// Breakpoints and watchpoints: a line to write one in, which says in words what it means as one
// types; the list of them; and the places at which they stop.
#pragma once

#include "core/pass/breakpoints.h"
#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopglass::views {

class BreakpointsView : public QWidget {
  Q_OBJECT

 public:
  explicit BreakpointsView(Document* document, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_line();
  QWidget* make_buttons();
  void explain();
  void add();
  void show_breakpoints();
  void show_stops();
  void show_position();
  void remove_current();
  void tell_run(const pass::Stop* stop);
  void go_to_row(const QTreeWidgetItem* row);

  Document* document_;
  QLineEdit* line_;
  QLabel *words_, *outcome_;
  QToolButton *add_, *remove_, *forward_, *back_;
  QTreeWidget *list_, *stops_;
  bool filling_ = false;
};

}  // namespace loopglass::views
