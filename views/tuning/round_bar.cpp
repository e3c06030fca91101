#include "views/tuning/round_bar.h"

#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <QToolButton>

#include <limits>
#include <map>

namespace loopglass::views {

RoundBar::RoundBar(QWidget* parent)
    : QWidget(parent),
      slider_(new QSlider(Qt::Horizontal)),
      back_(new QToolButton),
      on_(new QToolButton),
      words_(new QLabel) {
  setObjectName("roundBar");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 4);
  row->setSpacing(6);
  slider_->setObjectName("roundSlider");
  slider_->setAccessibleName(tr("Round of the search"));
  slider_->setToolTip(
      tr("Goes back over the rounds of the search: what was known after each, and "
         "who was tried in it"));
  slider_->setMinimumWidth(80);
  slider_->setPageStep(4);
  back_->setText("◀");
  back_->setToolTip(tr("One round back"));
  on_->setText("▶");
  on_->setToolTip(tr("One round on"));
  words_->setObjectName("roundWords");
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  words_->installEventFilter(this);
  row->addWidget(back_);
  row->addWidget(slider_, 1);
  row->addWidget(on_);
  row->addWidget(words_, 4);
  connect(back_, &QToolButton::clicked, this, [this] { slider_->setValue(slider_->value() - 1); });
  connect(on_, &QToolButton::clicked, this, [this] { slider_->setValue(slider_->value() + 1); });
  connect(slider_, &QSlider::valueChanged, this, [this] {
    tell();
    emit roundChanged();
  });
  show_run(nullptr);
}

void RoundBar::show_run(const ShownRun* run) {
  const bool was_at_end = is_at_end();
  const bool is_another = !run || run->id != run_.id || run->workload != run_.workload;
  run_ = run ? *run : ShownRun();
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, run_.rounds() + 1);  // one beyond: all of them
  if (was_at_end || is_another) slider_->setValue(slider_->maximum());
  slider_->setEnabled(run_.rounds() > 0);
  tell();
}

bool RoundBar::is_at_end() const { return slider_->value() == slider_->maximum(); }

int RoundBar::round() const {
  return is_at_end() ? std::numeric_limits<int>::max() : slider_->value();
}

void RoundBar::tell() {
  back_->setEnabled(slider_->isEnabled() && slider_->value() > 0);
  on_->setEnabled(slider_->isEnabled() && !is_at_end());
  QString words;
  if (run_.trials.empty()) {
    whole_words_.clear();
    words_->clear();
    return;
  }
  if (is_at_end()) {
    words = tr("all %1").arg(counted(static_cast<std::size_t>(run_.rounds()), "round"));
  } else {
    const int round = slider_->value();
    std::map<std::string, int> ways;
    for (const ShownTrial& trial : run_.trials)
      if (trial.round == round) ++ways[trial.how];
    words = round == 0 ? tr("before the first round")
                       : tr("round %1 of %2").arg(round).arg(run_.rounds());
    QStringList list;
    for (const auto& [how, count] : ways) list << QString("%1 × %2").arg(count).arg(text(how));
    if (!list.isEmpty()) words += ": " + list.join(", ");
  }
  if (const int best = run_.best_until(round()); best >= 0) {
    // Times that were taken once may be luck: at the end the fastest ran in turns.
    const ShownTrial& trial = run_.trials[static_cast<std::size_t>(best)];
    const auto time = [](double ms) { return text(readable_time(Milliseconds(ms))); };
    words += !is_at_end() ? tr(" · best till then, measured once, %1").arg(time(trial.ms))
             : trial.in_turns_ms && trial.number == 0
                 ? tr(" · in turns nothing was worth it; the default schedule %1")
                       .arg(time(*trial.in_turns_ms))
             : trial.in_turns_ms ? tr(" · best in turns %1").arg(time(*trial.in_turns_ms))
                                 : tr(" · best so far %1").arg(time(trial.ms));
  }
  whole_words_ = words;
  words_->setToolTip(words);
  fit_words();
}

void RoundBar::fit_words() {
  words_->setText(words_->fontMetrics().elidedText(whole_words_, Qt::ElideRight, words_->width()));
}

bool RoundBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == words_ && event->type() == QEvent::Resize) fit_words();
  return QWidget::eventFilter(watched, event);
}

}  // namespace loopglass::views
