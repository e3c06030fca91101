// Back, forward, and a list to choose from: the states a text went through.
#pragma once

#include <QStringList>
#include <QWidget>

#include <vector>

class QComboBox;
class QToolButton;

namespace loopglass::views {

class StepChooser : public QWidget {
  Q_OBJECT

 public:
  explicit StepChooser(QWidget* parent = nullptr);

  struct Item {
    QString text;
    QString tooltip;
    bool changed = true;  // steps that changed nothing are greyed
  };
  void set_items(const std::vector<Item>& items);
  void set_current(int index);
  // What is shown is none of the steps, but this.
  void set_aside(const QString& words);
  int current() const;
  int count() const;

 signals:
  void chosen(int index);

 private:
  void show_position();

  QComboBox* list_;
  QToolButton *back_, *forward_;
};

}  // namespace loopglass::views
