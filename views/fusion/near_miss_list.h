// Nearest misses: the edges that are kept apart, by the memory traffic that fusing would save, each
// with the smallest change that would make it legal, and a button that makes the change where a
// person can.
#pragma once

#include "core/fusion/near_miss.h"
#include "views/document/document.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QStandardItemModel;
class QTableView;

namespace loopglass::views {

class WorkPage;

class NearMissList : public QWidget {
  Q_OBJECT

 public:
  explicit NearMissList(Document* document, QWidget* parent = nullptr);

  const std::vector<fusion::NearMiss>& misses() const { return misses_; }  // empty until found
  std::size_t limit() const;                                               // how many are wanted

 signals:
  void limitChanged();
  void edgeChosen(const fusion::Edge& edge);  // before its tensor is selected

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_content();
  void forget();
  void derive();
  void accept(std::shared_ptr<const fusion::Plan> plan, std::vector<fusion::NearMiss> misses);
  void add_row(std::size_t index, const QString& saved);
  const fusion::NearMiss* current() const;
  const fusion::Decision& decision_of(const fusion::NearMiss& miss) const;
  void show_current();
  void make_change();
  void open_menu(QPoint at);

  Document* document_;
  WorkPage* page_;
  QStandardItemModel* rows_;
  QTableView* table_;
  QComboBox* limit_;
  QLabel *count_, *detail_;
  QPushButton* change_;
  std::shared_ptr<const fusion::Plan> plan_;  // what the misses are of
  std::vector<fusion::NearMiss> misses_;
};

}  // namespace loopglass::views
