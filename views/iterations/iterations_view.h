// The kernel's nest played step by step: two axes of a block as a grid that lights up in the
// order of execution, what each iteration touches in memory, and how soon cache lines are used
// again; at the step of the schedule that is shown and, beside it, before that step.
#pragma once

#include "core/locality/carried.h"
#include "core/locality/iterations.h"
#include "core/locality/reuse.h"
#include "core/saved_session.h"
#include "views/document/document.h"

#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>
#include <string>

class QComboBox;
class QLabel;
class QSlider;
class QSplitter;
class QToolButton;

namespace loopglass::views {

class IterationGrid;
class SeenWatch;
class ReuseTable;
class TouchedMemory;

class IterationsView : public QWidget {
  Q_OBJECT

 public:
  explicit IterationsView(Document* document, QWidget* parent = nullptr);

  int step() const;  // that is shown, from 0
  void show_step(int step);
  void play(bool on);

  // What is chosen and where it stands, or is about to; to be shown again once this kernel is
  // there, at this step of its schedule (nullopt, empty: whichever).
  SavedIterations saved() const;
  void resume(const SavedIterations& saved, const std::string& kernel,
              std::optional<std::size_t> loop_step);

 signals:
  void lookChanged();

 private:
  // A nest's side of the pane.
  struct Side {
    QWidget* page;
    QLabel* title;
    IterationGrid* grid;
    TouchedMemory* memory;
    std::shared_ptr<const locality::Iterations> iterations;
    std::shared_ptr<const locality::CarriedDependences> dependences;
  };
  // What follows from a nest, computed in the background.
  struct Followed {
    std::shared_ptr<const locality::Iterations> iterations;
    std::shared_ptr<const locality::CarriedDependences> dependences;
    std::shared_ptr<const locality::Reuse> reuse;
  };
  struct Answer {
    Followed now;
    std::optional<Followed> before;
  };

  struct Wanted {
    SavedIterations look;
    std::string kernel;
    std::optional<std::size_t> loop_step;
  };

  QWidget* make_tools();
  Side make_side();
  void show_or_leave(bool is_seen);
  void refresh();  // what is shown is of another nest
  void accept(const Answer& answer);
  void fill_blocks();
  void fill_axes();
  void show_axes();
  void show_words();
  void fail(const Diagnostic& problem);
  void clear();
  void chosen();  // by a person, instead of what was wanted
  bool is_wanted_here() const;
  // The nests after the schedule's step that is shown, and before it; null: there is none.
  const loop::Func* nest() const;
  const loop::Func* nest_before() const;
  std::string title_of(std::size_t step) const;

  Document* document_;
  SeenWatch* watch_;
  Side now_, before_;
  QSplitter* sides_;
  QComboBox *block_, *down_, *across_;
  QToolButton *play_, *compare_;
  QSlider* slider_;
  QLabel *words_, *problem_;
  ReuseTable* table_;
  QTimer clock_;
  std::optional<Wanted> wanted_;
  std::string initial_shown_;  // the nest before its schedule
  bool stale_ = true, filling_ = false;
};

}  // namespace loopglass::views
