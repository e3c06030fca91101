#include "app/window/progress_line.h"

#include "app/window/elided_label.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr int widest_title = 520;

}  // namespace

ProgressLine::ProgressLine(views::Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      title_(new ElidedLabel(widest_title)),
      bar_(new QProgressBar),
      cancel_(new QToolButton) {
  bar_->setFixedWidth(160);
  bar_->setMaximumHeight(14);
  bar_->setTextVisible(false);
  cancel_->setText(tr("Cancel"));
  cancel_->setToolTip(tr("Stop all work in the background"));
  cancel_->setAutoRaise(true);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 4, 0);
  layout->addWidget(title_);
  layout->addWidget(bar_);
  layout->addWidget(cancel_);
  connect(&document->jobs(), &views::JobQueue::changed, this, &ProgressLine::show_progress);
  connect(cancel_, &QToolButton::clicked, document, &views::Document::cancel_work);
  show_progress();
}

QSize ProgressLine::minimumSizeHint() const {
  QSize hint = QWidget::minimumSizeHint();
  hint.setHeight(std::max(hint.height(), cancel_->sizeHint().height()));
  return hint;
}

void ProgressLine::show_progress() {
  const views::JobQueue& jobs = document_->jobs();
  const bool busy = !jobs.idle();
  for (QWidget* widget :
       {static_cast<QWidget*>(title_), static_cast<QWidget*>(bar_), static_cast<QWidget*>(cancel_)})
    widget->setVisible(busy);
  if (!busy) return;
  title_->set_full_text(jobs.title());
  const bool known = jobs.fraction() >= 0;
  bar_->setRange(0, known ? 1000 : 0);
  if (known) bar_->setValue(static_cast<int>(jobs.fraction() * 1000));
}

}  // namespace loopglass::app
