// What a person asks of the fusion plan: edges forced or forbidden, and the edits of a partition of
// their own, each with a button that takes it back. Edits can be undone, typed, loaded and saved,
// in the text that `loopglassc fuse --edits` reads.
#pragma once

#include "core/support/filter.h"
#include "views/document/document.h"

#include <QWidget>

#include <variant>

class QAction;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopglass::views {

class UndoActions;

class HandList : public QWidget {
  Q_OBJECT

 public:
  explicit HandList(Document* document, QWidget* parent = nullptr);

  int count() const;  // of what is asked
  void load(const QString& path);
  void save(const QString& path);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 signals:
  void typed();  // into the line for another edit

 private:
  QWidget* make_tools();
  void make_list();
  void make_line();
  void show_list();
  void show_base();
  QTreeWidgetItem* add_row(const QString& what, const std::vector<std::string>& names);
  void add_remove_button(QTreeWidgetItem* row);
  void remove(QTreeWidgetItem* row);
  void select(QTreeWidgetItem* row);
  void take_line();
  Completions complete(std::string_view typed, std::size_t cursor) const;
  void show_problem(const Diagnostic* problem);

  // What a row stands for: an edge, an edit by its place, or many edits that have no rows.
  using Asked = std::variant<std::monostate, fusion::Edge, std::size_t>;

  Document* document_;
  UndoActions* again_;
  QAction *clear_, *load_, *save_;
  QStackedWidget* pages_;
  QTreeWidget* list_;
  std::vector<Asked> asked_;  // by row
  QLineEdit* line_;
  QString taken_;  // what was typed last, until there is a plan by it
  QLabel *problem_, *base_;
  QPushButton* use_;
};

}  // namespace loopglass::views
