// Ctrl+K: type a part of a name, go to the node, kernel, value or step.
#pragma once

#include "views/document/lookup.h"

#include <QDialog>

class QLineEdit;
class QListWidget;

namespace loopglass::app {

class Locator : public QDialog {
  Q_OBJECT

 public:
  explicit Locator(views::Document* document, QWidget* parent = nullptr);
  void open_above(QWidget* window);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void search(const QString& query);
  void choose();

  views::Document* document_;
  QLineEdit* query_;
  QListWidget* results_;
  std::vector<views::Found> found_;
};

}  // namespace loopglass::app
