#include "views/code/step_chooser.h"

#include "views/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QToolButton>

namespace loopglass::views {

StepChooser::StepChooser(QWidget* parent)
    : QWidget(parent), list_(new QComboBox), back_(new QToolButton), forward_(new QToolButton) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  back_->setText("◀");
  back_->setToolTip(tr("The step before"));
  forward_->setText("▶");
  forward_->setToolTip(tr("The next step"));
  for (auto* button : {back_, forward_}) button->setAutoRaise(true);
  // Titles may be long; the list in the pane must not be.
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  list_->setMinimumContentsLength(12);
  list_->setMaxVisibleItems(30);
  row->addWidget(back_);
  row->addWidget(list_, 1);
  row->addWidget(forward_);
  connect(back_, &QToolButton::clicked, this, [this] { emit chosen(list_->currentIndex() - 1); });
  connect(forward_, &QToolButton::clicked, this,
          [this] { emit chosen(list_->currentIndex() + 1); });
  connect(list_, &QComboBox::activated, this, &StepChooser::chosen);
  show_position();
}

void StepChooser::set_items(const std::vector<Item>& items) {
  const QSignalBlocker blocker(list_);
  list_->clear();
  for (const Item& item : items) {
    list_->addItem(item.text);
    const int index = list_->count() - 1;
    list_->setItemData(index, item.tooltip, Qt::ToolTipRole);
    if (!item.changed) list_->setItemData(index, theme().muted, Qt::ForegroundRole);
  }
  show_position();
}

void StepChooser::set_current(int index) {
  const QSignalBlocker blocker(list_);
  list_->setCurrentIndex(index);
  show_position();
}

void StepChooser::set_aside(const QString& words) {
  list_->setPlaceholderText(words);
  set_current(-1);
}

int StepChooser::current() const { return list_->currentIndex(); }
int StepChooser::count() const { return list_->count(); }

void StepChooser::show_position() {
  back_->setEnabled(list_->currentIndex() > 0);
  forward_->setEnabled(list_->currentIndex() + 1 < list_->count());
  list_->setToolTip(list_->currentData(Qt::ToolTipRole).toString());
}

}  // namespace loopglass::views
