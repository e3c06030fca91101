#include "views/code/find_bar.h"

#include "views/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace loopglass::views {

FindBar::FindBar(const QString& placeholder, QWidget* parent)
    : QWidget(parent), line_(new QLineEdit), count_(new QLabel) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(4);
  line_->setPlaceholderText(placeholder);
  line_->setObjectName("findLine");
  line_->setClearButtonEnabled(true);
  row->addWidget(line_, 1);
  row->addWidget(count_);
  const auto add = [&](const QString& text, const QString& tip, auto act) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    connect(button, &QToolButton::clicked, this, act);
    row->addWidget(button);
  };
  add("▲", tr("Previous (Shift+Return)"), &FindBar::previous);
  add("▼", tr("Next (Return)"), &FindBar::next);
  add("✕", tr("Close (Esc)"), &FindBar::close_bar);
  connect(line_, &QLineEdit::textChanged, this, &FindBar::textChanged);
  hide();
}

void FindBar::open() {
  show();
  line_->setFocus();
  line_->selectAll();
  emit textChanged(line_->text());
}

void FindBar::close_bar() {
  hide();
  emit textChanged({});
  emit closed();
}

QString FindBar::text() const { return isHidden() ? QString() : line_->text(); }

void FindBar::show_count(int current, int count) {
  if (text().isEmpty()) count_->clear();
  else if (count == 0) count_->setText(tr("nothing found"));
  else if (current < 1) count_->setText(tr("%1 found").arg(count));
  else count_->setText(tr("%1 of %2").arg(current).arg(count));
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (event->modifiers() & Qt::ShiftModifier) emit previous();
      else emit next();
      return;
    case Qt::Key_Escape: return close_bar();
    default: QWidget::keyPressEvent(event);
  }
}

}  // namespace loopglass::views
