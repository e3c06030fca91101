// A line above the panes that tells what went wrong, with its number and what to do about it. It
// stays until it is dismissed and stops nobody from working.
#pragma once

#include "core/support/diagnostic.h"

#include <QFrame>

namespace loopglass::app {

class WrappedText;

class ErrorBanner : public QFrame {
  Q_OBJECT

 public:
  explicit ErrorBanner(QWidget* parent = nullptr);
  void show_diagnostic(const Diagnostic& diagnostic);

 private:
  void apply_theme();

  WrappedText* text_;
};

}  // namespace loopglass::app
