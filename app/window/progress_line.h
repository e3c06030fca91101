// The right end of the status bar: what is being worked on, how far it is, and a button to stop it.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QProgressBar;
class QToolButton;

namespace loopglass::app {

class ElidedLabel;

class ProgressLine : public QWidget {
  Q_OBJECT

 public:
  explicit ProgressLine(views::Document* document, QWidget* parent = nullptr);

  // As high as with work, so that the window above stays as it is when some begins.
  QSize minimumSizeHint() const override;

 private:
  void show_progress();

  views::Document* document_;
  ElidedLabel* title_;
  QProgressBar* bar_;
  QToolButton* cancel_;
};

}  // namespace loopglass::app
