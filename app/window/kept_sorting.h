// By which columns a person sorted tables that have a name, kept from one start to the next.
#pragma once

#include <QHeaderView>

#include <vector>

class QSettings;
class QTableView;

namespace loopglass::app {

class KeptSorting : public QObject {
  Q_OBJECT

 public:
  KeptSorting(QWidget* window, const QSettings& settings, QObject* parent);
  // What is sorted as it was from the beginning is not written down: a later version may begin
  // otherwise.
  void save(QSettings* settings) const;

 signals:
  void changed();

 private:
  struct Sorting {
    int column = -1;
    Qt::SortOrder order = Qt::AscendingOrder;
    friend bool operator==(const Sorting&, const Sorting&) = default;
  };
  struct Table {
    QTableView* view;
    QString key;
    Sorting initial;
  };
  static Sorting sorting_of(const QTableView& table);

  std::vector<Table> tables_;
};

}  // namespace loopglass::app
