// What an edge is worth, measured: the plan with and without the edge forced or forbidden, timed in
// turns in the background, once nothing else runs there. One click asks for it and measures; what
// was asked is undone like anything else.
#pragma once

#include "core/debug/what_if.h"
#include "views/document/document.h"
#include "views/fusion/hand_menu.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace loopglass::views {

class TimeBars;

class EdgeTrial : public QWidget {
  Q_OBJECT

 public:
  explicit EdgeTrial(Document* document, QWidget* parent = nullptr);

  // Asks for it; to be put beside the other actions.
  QPushButton* button() const { return measure_; }
  void show_decision(const fusion::Decision& decision, bool hidden);
  bool working() const { return trial_ && trial_->state < State::Done; }

 private:
  enum class State : std::uint8_t { Waiting, Measuring, Done, Failed };
  struct Trial {
    fusion::Edge edge;
    Wish wish;
    PlanAsked asked;              // with the wish
    fusion::Constraints without;  // it
    std::shared_ptr<const graph::Graph> graph;
    State state = State::Waiting;
    QString words;                             // as HTML
    std::vector<debug::PlanOutcome> outcomes;  // without the wish and with it; once it is done
  };
  using Pair = std::vector<debug::PlanOutcome>;

  Wish wish_to_try() const;
  void begin();
  void start();  // once nothing else runs
  void accept(const Pair& pair);
  void fail(const QString& words);
  void stop();
  void report(const QString& what, double fraction);
  void notice_plan();
  void show_state();
  QString edge_words(const fusion::Edge& edge) const;

  Document* document_;
  fusion::Edge edge_;
  bool fused_ = false, hidden_ = false;
  std::optional<Trial> trial_;  // the last one; of whatever edge
  int round_ = 0;               // reports of earlier trials are dropped
  bool had_focus_ = false;      // the button, when the last one was asked for

  QPushButton *measure_, *stop_;
  QProgressBar* bar_;
  TimeBars* times_;
  QLabel* words_;
};

}  // namespace loopglass::views
