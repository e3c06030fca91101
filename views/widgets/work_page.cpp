#include "views/widgets/work_page.h"

#include "views/theme.h"
#include "views/widgets/problem_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopglass::views {

WorkPage::WorkPage(QWidget* content, JobQueue& jobs, QString lane, QWidget* parent)
    : QStackedWidget(parent),
      jobs_(jobs),
      lane_(std::move(lane)),
      text_(new QLabel),
      bar_(new QProgressBar),
      cancel_(new QPushButton(tr("Stop"))),
      again_(new QPushButton) {
  text_->setObjectName("workText");
  text_->setWordWrap(true);
  text_->setMinimumWidth(1);  // a word without end makes no window wide
  text_->setAlignment(Qt::AlignCenter);
  text_->setTextFormat(Qt::RichText);
  bar_->setTextVisible(false);
  bar_->setMaximumWidth(320);
  bar_->setMaximumHeight(10);
  cancel_->setObjectName("workStop");
  again_->setObjectName("workAgain");
  auto* page = new QWidget;
  page->setAutoFillBackground(true);
  page->setBackgroundRole(QPalette::Base);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(16, 12, 16, 12);
  column->addStretch();
  column->addWidget(text_);
  auto* line = new QHBoxLayout;
  line->addStretch();
  line->addWidget(bar_, 1);
  line->addWidget(cancel_);
  line->addWidget(again_);
  line->addStretch();
  column->addLayout(line);
  column->addStretch();
  addWidget(page);
  addWidget(content);
  connect(cancel_, &QPushButton::clicked, this, [this] { jobs_.cancel(lane_); });
  // Later, when a newer job in the lane has had time to take the place of an older one.
  connect(&jobs_, &JobQueue::changed, this, &WorkPage::notice_cancelled, Qt::QueuedConnection);
  connect(again_, &QPushButton::clicked, this, &WorkPage::againWanted);
}

void WorkPage::show_message(const QString& text, const QString& again) {
  working_ = false;
  text_->setText(text.toHtmlEscaped());
  bar_->hide();
  cancel_->hide();
  again_->setText(again);
  again_->setVisible(!again.isEmpty());
  setCurrentIndex(0);
}

void WorkPage::show_problem(const Diagnostic& problem) {
  show_message({}, tr("Try Again"));
  text_->setText(problem_text(problem));
}

void WorkPage::show_content() {
  working_ = false;
  setCurrentIndex(1);
}

WorkPage::Follow WorkPage::begin(const QString& what) {
  show_message(what + "…");
  working_ = true;
  bar_->setRange(0, 0);
  bar_->show();
  cancel_->show();
  const int work = ++work_;
  using Report = std::pair<QString, double>;
  const auto tell = handed_over<Report>(
      jobs_, this, [this, work](const Report& told) { report(work, told.first, told.second); });
  return [tell](const JobContext& context) -> Progress {
    return [tell, progress = context.progress](std::string_view told, double fraction) {
      if (progress) progress(told, fraction);
      tell({QString::fromUtf8(told.data(), static_cast<qsizetype>(told.size())), fraction});
    };
  };
}

void WorkPage::notice_cancelled() {
  if (working_ && !jobs_.busy(lane_)) show_message(tr("Stopped."), tr("Again"));
}

void WorkPage::report(int work, const QString& what, double fraction) {
  if (!working_ || work != work_) return;
  text_->setText(what.toHtmlEscaped());
  bar_->setRange(0, fraction < 0 ? 0 : 1000);
  if (fraction >= 0) bar_->setValue(static_cast<int>(fraction * 1000));
}

}  // namespace loopglass::views
