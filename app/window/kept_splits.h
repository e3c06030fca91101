// How a person parted the room inside panes, kept from one start to the next. What nobody has moved
// stays as the view itself parts it.
#pragma once

#include "app/window/panes.h"

class QSettings;
class QSplitter;

namespace loopglass::app {

class KeptSplits : public QObject {
  Q_OBJECT

 public:
  KeptSplits(const Panes& panes, const QSettings& settings, QObject* parent);
  void save(QSettings* settings) const;

 signals:
  void moved();  // by a person

 private:
  struct Split {
    QSplitter* splitter;
    QString key;  // the pane's name, and which of its splitters
  };
  std::vector<Split> splits_;
};

}  // namespace loopglass::app
