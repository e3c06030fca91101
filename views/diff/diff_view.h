// What differs between the graph at the position and what it is compared with: counts, nodes, and
// the text form line by line. Worked out in the background, and only while someone can see it.
#pragma once

#include "views/diff/diff_model.h"
#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTabWidget;
class QTableView;

namespace loopglass::views {

class DiffView : public QWidget {
  Q_OBJECT

 public:
  explicit DiffView(Document* document, QWidget* parent = nullptr);
  const Comparison* comparison() const { return comparison_.get(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QTableView* make_table(QAbstractItemModel* model);
  void refresh_later();
  void refresh();
  void show_comparison(std::shared_ptr<const Comparison> comparison);
  void show_heading();

  Document* document_;
  CountModel* counts_;
  NodeDiffModel* nodes_;
  QLabel* heading_;
  QTabWidget* tabs_;
  QPlainTextEdit* text_;
  std::shared_ptr<const Comparison> comparison_;
  bool pending_ = false;
};

}  // namespace loopglass::views
