// What the command line asked for, done in order as the model becomes ready.
#pragma once

#include "app/window/main_window.h"
#include "app/window/options.h"

#include <QObject>
#include <QTimer>

namespace loopglass::app {

// Carries out --step, --select and --benchmark when the model is there, then, if a screenshot was
// asked for, saves it and leaves the application: 0 for success, 1 when the model could not be
// opened or something was not found.
class Startup : public QObject {
  Q_OBJECT

 public:
  // `note`: to be told once the model is there, since opening one clears what was told before.
  Startup(MainWindow* window, WindowOptions options, std::optional<Diagnostic> note = {},
          QObject* parent = nullptr);
  void begin();

 private:
  enum class Phase : std::uint8_t { Opening, Selecting, Measuring, Saving };
  void look();  // called until nothing is running any more
  void advance();
  void select();
  void finish();

  MainWindow* window_;
  WindowOptions options_;
  std::optional<Diagnostic> note_;
  QTimer timer_;
  Phase phase_ = Phase::Opening;
  int quiet_looks_ = 0;
  bool failed_ = false;
};

}  // namespace loopglass::app
