#include "views/tuning/run_pictures.h"

#include "views/text.h"
#include "views/tuning/failure_list.h"
#include "views/tuning/kernel_shares.h"
#include "views/tuning/knob_chart.h"
#include "views/tuning/knob_map.h"
#include "views/tuning/round_bar.h"
#include "views/tuning/tuning_chart.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

namespace {

// In the order of the choice; the first two are one chart.
enum Picture { OverTrials, Foretold, Knobs, Map, Failures, Kernels };

}  // namespace

RunPictures::RunPictures(QWidget* parent)
    : QWidget(parent),
      choice_(new QComboBox),
      sketch_choice_(new QComboBox),
      stack_(new QStackedWidget),
      chart_(new TuningChart),
      knobs_(new KnobChart),
      map_(new KnobMap),
      failures_(new FailureList),
      shares_(new KernelShares),
      rounds_(new RoundBar) {
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(8, 0, 4, 0);
  choice_->setObjectName("tuningChart");
  choice_->setToolTip(tr("What is drawn of the run"));
  choice_->addItems({tr("times over trials"), tr("foretold against measured"),
                     tr("knobs against speed"), tr("two knobs"), tr("failures"),
                     tr("kernels of the network")});
  sketch_choice_->setObjectName("tuningSketch");
  sketch_choice_->setToolTip(tr("Which sketch's knobs"));
  sketch_choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  sketch_choice_->setMinimumContentsLength(24);
  row->addWidget(choice_);
  row->addWidget(sketch_choice_);
  for (QWidget* picture : std::initializer_list<QWidget*>{chart_, knobs_, map_, failures_, shares_})
    stack_->addWidget(picture);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(bar);
  column->addWidget(stack_, 1);
  column->addWidget(rounds_);
  const auto choose = [this](int trial) { emit trialChosen(run_, trial); };
  connect(chart_, &TuningChart::trialChosen, this, &RunPictures::trialChosen);
  connect(knobs_, &KnobChart::trialChosen, this, choose);
  connect(map_, &KnobMap::trialChosen, this, choose);
  connect(failures_, &FailureList::trialChosen, this, choose);
  connect(knobs_, &KnobChart::valueChosen, this, &RunPictures::valueChosen);
  connect(shares_, &KernelShares::kernelChosen, this, &RunPictures::kernelChosen);
  connect(rounds_, &RoundBar::roundChanged, this, &RunPictures::roundChanged);
  connect(sketch_choice_, &QComboBox::activated, this, &RunPictures::draw);
  connect(choice_, &QComboBox::currentIndexChanged, this, [this](int picture) {
    stack_->setCurrentIndex(std::max(0, picture - 1));
    chart_->set_shows(picture == Foretold ? TuningChart::Shows::Foretold
                                          : TuningChart::Shows::OverTrials);
    draw();
    emit pictureChanged();
  });
}

std::optional<int> RunPictures::round() const {
  return rounds_->is_at_end() ? std::nullopt : std::optional(rounds_->round());
}

bool RunPictures::is_of_network() const { return choice_->currentIndex() == Kernels; }

void RunPictures::show_network(bool shows) {
  if (shows != is_of_network()) choice_->setCurrentIndex(shows ? Kernels : OverTrials);
}

const ShownRun* RunPictures::selected_run() const {
  return runs_ && run_ >= 0 && run_ < std::ssize(*runs_) ? &(*runs_)[static_cast<std::size_t>(run_)]
                                                         : nullptr;
}

int RunPictures::shown_sketch() const {
  const ShownRun* run = selected_run();
  if (!run) return 0;
  return sketch_choice_->currentIndex() > 0 ? sketch_choice_->currentIndex() - 1
                                            : sketch_of_best(*run);
}

void RunPictures::show_runs(const std::vector<ShownRun>& runs, int run, int trial,
                            const std::vector<const ShownRun*>& network) {
  runs_ = &runs;
  run_ = run;
  trial_ = trial;
  shares_->show_kernels(network);
  rounds_->show_run(selected_run());
  draw();
}

void RunPictures::draw() {
  const ShownRun* run = selected_run();
  const int picture = choice_->currentIndex();
  // Knobs are a sketch's: that of the best, or one that is chosen.
  QStringList sketches{tr("the best one's sketch")};
  if (run && run->sketches)
    for (const ShownSketch& sketch : *run->sketches) sketches << text(sketch.name);
  QStringList offered;
  for (int i = 0; i < sketch_choice_->count(); ++i) offered << sketch_choice_->itemText(i);
  if (sketches != offered) {
    sketch_choice_->clear();
    sketch_choice_->addItems(sketches);
  }
  sketch_choice_->setVisible((picture == Knobs || picture == Map) && sketches.size() > 2);
  rounds_->setVisible(picture != Kernels);
  const int round = rounds_->round();
  switch (picture) {
    case OverTrials:
    case Foretold:
      chart_->show_runs(runs_ ? *runs_ : std::vector<ShownRun>(), run_, trial_, round);
      break;
    case Knobs: knobs_->show_run(run, shown_sketch(), round, trial_); break;
    case Map: map_->show_run(run, shown_sketch(), round, trial_); break;
    case Failures: failures_->show_run(run, round); break;
    default: break;
  }
}

}  // namespace loopglass::views
