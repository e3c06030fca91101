// Several ways to plan the same graph, tried in the background: what each amounts to, and of two
// that a person chooses where they part, on request in the graph too, and how fast they run, timed
// in turns.
#pragma once

#include "core/debug/what_if.h"
#include "views/document/document.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace loopglass::views {

class DifferenceTree;
class OutcomeTable;
class WorkPage;

class PlanTrials : public QWidget {
  Q_OBJECT

 public:
  struct Variant {
    QString title;
    debug::PlanVariant plan;
  };

  PlanTrials(Document* document, QString lane, QWidget* parent = nullptr);

  // Of the last graph. None: `empty` says why. They are tried once the pane is seen.
  void set_variants(std::vector<Variant> variants, const QString& empty);
  void mark(const QString& title);  // the plan in use
  const std::vector<Variant>& variants() const { return variants_; }
  // In their order, once all are tried; what cannot be has a reason instead.
  const std::vector<Result<debug::PlanOutcome>>& outcomes() const { return outcomes_; }
  // Which two are compared, by their places.
  std::size_t first() const { return first_; }
  std::size_t second() const { return second_; }
  void choose(std::size_t first, std::size_t second);
  bool measured() const;  // the two

 signals:
  void chosenChanged();
  void variantActivated(const QString& title);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_content();
  QWidget* make_controls();
  void forget();
  void derive();
  void measure();
  void show_table();
  void show_pair();
  void show_in_graph();
  void notice_compared();
  const debug::PlanOutcome* outcome(std::size_t index) const;

  Document* document_;
  QString lane_, empty_, marked_;
  std::vector<Variant> variants_;
  std::vector<Result<debug::PlanOutcome>> outcomes_;
  std::shared_ptr<const graph::Graph> graph_;  // what they are of
  std::size_t first_ = 0, second_ = 1;
  std::shared_ptr<const fusion::Plan> in_graph_plan_;  // the first of ours that are shown there

  WorkPage* page_;
  OutcomeTable* table_;
  DifferenceTree* tree_;
  QWidget* choice_;
  QComboBox *first_box_, *second_box_;
  QCheckBox* in_graph_;
  QPushButton* measure_;
  QLabel* words_;
};

}  // namespace loopglass::views
