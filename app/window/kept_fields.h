// What a person set in fields that say how something is to be done the next time (how many trials,
// on how many threads), kept from one start to the next. Such a field has a name and
// views::keep_value().
#pragma once

#include <QVariant>
#include <QWidget>

#include <vector>

class QSettings;

namespace loopglass::app {

class KeptFields : public QObject {
  Q_OBJECT

 public:
  KeptFields(QWidget* window, const QSettings& settings, QObject* parent);
  // What is as it was from the beginning is not written down: a later version may begin otherwise.
  void save(QSettings* settings) const;

 signals:
  void changed();

 private:
  struct Field {
    QWidget* widget;
    QString key;
    QVariant initial;
  };
  std::vector<Field> fields_;
};

}  // namespace loopglass::app
