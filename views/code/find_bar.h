// A line to search with, at the foot of a pane: Ctrl+F opens it, return and shift+return go on and
// back, escape closes it. What is searched is the pane's business.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace loopglass::views {

class FindBar : public QWidget {
  Q_OBJECT

 public:
  explicit FindBar(const QString& placeholder, QWidget* parent = nullptr);

  void open();
  void close_bar();
  QString text() const;
  // "3 of 17"; none current: "17 found".
  void show_count(int current, int count);

 signals:
  void textChanged(const QString& text);  // empty when closed
  void next();
  void previous();
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QLineEdit* line_;
  QLabel* count_;
};

}  // namespace loopglass::views
