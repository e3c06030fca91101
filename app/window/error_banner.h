// A line that tells what went wrong, with its number and what to do about it. It lies over the foot
// of a widget, so that nothing moves when it comes and goes; it stays until it is dismissed and
// stops nobody from working.
#pragma once

#include "core/support/diagnostic.h"

#include <QFrame>

#include <optional>

namespace loopglass::app {

class WrappedText;

class ErrorBanner : public QFrame {
  Q_OBJECT

 public:
  // In the same window as `over`, and higher than it where the text takes more.
  explicit ErrorBanner(QWidget* over);
  void show_diagnostic(const Diagnostic& diagnostic);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  void write();  // in the theme's colours
  void apply_theme();

  QWidget* over_;
  WrappedText* text_;
  std::optional<Diagnostic> shown_;
};

}  // namespace loopglass::app
