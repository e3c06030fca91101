// One line at the foot of a pane: the command that shows the same without a window, and a button
// that copies it.
#pragma once

#include <QWidget>

class QLineEdit;

namespace loopglass::views {

class CommandBar : public QWidget {
  Q_OBJECT

 public:
  explicit CommandBar(QWidget* parent = nullptr);
  void set_command(const QString& command);  // empty: nothing to copy, and the bar is hidden
  QString command() const;

 private:
  QLineEdit* text_;
};

}  // namespace loopglass::views
