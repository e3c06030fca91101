#include "views/widgets/tool_row.h"

#include <QCoreApplication>
#include <QCursor>
#include <QEvent>
#include <QMenu>
#include <QRegularExpression>
#include <QToolButton>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int gap = 1;
constexpr QMargins margins(6, 3, 6, 3);

QSize wanted_by(const QWidget& widget) {
  return widget.sizeHint().expandedTo(widget.minimumSize()).boundedTo(widget.maximumSize());
}

QSize least_of(const QWidget& widget) {
  return widget.minimumSizeHint().expandedTo(widget.minimumSize()).boundedTo(wanted_by(widget));
}

// Of a button with a sign alone what its tool tip says it does.
QString words_of(const QToolButton& button) {
  if (button.text().size() > 2) return button.text();
  static const QRegularExpression end("[:;(]");
  const QString tip = button.toolTip();
  return tip.left(tip.indexOf(end)).trimmed();
}

// Where the pointer is elsewhere when a button's menu closes, the button is not told that it left,
// and would look as if it were still there.
void let_go_after_menu(QToolButton* button) {
  QObject::connect(button->menu(), &QMenu::aboutToHide, button, [button] {
    QMetaObject::invokeMethod(
        button,
        [button] {
          if (button->rect().contains(button->mapFromGlobal(QCursor::pos()))) return;
          QEvent leave(QEvent::Leave);
          QCoreApplication::sendEvent(button, &leave);
          button->setAttribute(Qt::WA_UnderMouse, false);
          button->update();
        },
        Qt::QueuedConnection);
  });
}

}  // namespace

ToolRow::ToolRow(QWidget* parent) : QWidget(parent), more_(new QToolButton(this)) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  more_->setObjectName("moreTools");
  more_->setText("»");
  more_->setToolTip(tr("What has no room here"));
  more_->setAutoRaise(true);
  more_->setPopupMode(QToolButton::InstantPopup);
  more_->setMenu(new QMenu(more_));
  connect(more_->menu(), &QMenu::aboutToShow, this, [this] { fill(*more_->menu()); });
  let_go_after_menu(more_);
  more_->hide();
}

void ToolRow::insert(int index, QWidget* widget, int worth) {
  widget->setParent(this);
  if (auto* button = qobject_cast<QToolButton*>(widget); button && button->menu())
    let_go_after_menu(button);
  // So that we hear of what is left out when it takes less room.
  QSizePolicy policy = widget->sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  widget->setSizePolicy(policy);
  items_.insert(items_.begin() + std::clamp(index, 0, count()), {widget, worth});
  widget->show();
  // Keys go through them as they stand, however they came.
  QWidget* before = nullptr;
  for (const Item& item : items_) {
    if (before && item.widget) setTabOrder(before, item.widget);
    if (item.widget) before = item.widget;
  }
  setTabOrder(before, more_);
  updateGeometry();
  arrange();
}

void ToolRow::add_stretch() { items_.push_back({nullptr, always}); }

QSize ToolRow::sizeHint() const {
  QSize size(-gap, 0);
  for (const Item& item : items_) {
    if (!item.widget) continue;
    const QSize own = wanted_by(*item.widget);
    size = {size.width() + own.width() + gap, std::max(size.height(), own.height())};
  }
  return size.grownBy(margins);
}

QSize ToolRow::minimumSizeHint() const {
  int width = more_->sizeHint().width();
  for (const Item& item : items_)
    if (item.widget && item.worth == always) width += least_of(*item.widget).width() + gap;
  return {width + margins.left() + margins.right(), sizeHint().height()};
}

bool ToolRow::event(QEvent* event) {
  if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange) {
    updateGeometry();
    arrange();
  }
  return QWidget::event(event);
}

void ToolRow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

int ToolRow::width_of_shown() const {
  int width = -gap;
  bool any_left_out = false;
  for (const Item& item : items_) {
    if (item.widget && !item.left_out) width += wanted_by(*item.widget).width() + gap;
    any_left_out |= item.left_out && qobject_cast<QToolButton*>(item.widget);
  }
  return any_left_out ? width + more_->sizeHint().width() + gap : width;
}

void ToolRow::choose(int width) {
  for (Item& item : items_) item.left_out = false;
  while (width_of_shown() > width) {
    Item* least = nullptr;
    for (Item& item : items_)
      if (!item.left_out && item.worth < always && (!least || item.worth <= least->worth))
        least = &item;
    if (!least) return;
    least->left_out = true;
  }
}

void ToolRow::arrange() {
  const QRect inside = rect().marginsRemoved(margins);
  choose(inside.width());
  bool any_left_out = false;
  int left_over = inside.width() - width_of_shown();
  int left = inside.left();
  const auto put = [&](QWidget& widget) {
    const QSize hint = wanted_by(widget);
    // What always stays gives way where even that has no room.
    const int width = std::max(hint.width() + std::min(left_over, 0), least_of(widget).width());
    left_over += hint.width() - width;
    const int height = std::min(hint.height(), inside.height());
    widget.setGeometry(left, inside.top() + (inside.height() - height) / 2, width, height);
    left += width + gap;
  };
  for (const Item& item : items_) {
    if (!item.widget) {
      left += std::max(left_over, 0);
      left_over = std::min(left_over, 0);
      continue;
    }
    any_left_out |= item.left_out && qobject_cast<QToolButton*>(item.widget);
    if (item.widget->isHidden() != item.left_out) item.widget->setVisible(!item.left_out);
    if (!item.left_out) put(*item.widget);
  }
  more_->setVisible(any_left_out);
  if (any_left_out) put(*more_);
}

void ToolRow::fill(QMenu& menu) const {
  menu.clear();
  menu.setToolTipsVisible(true);
  for (const Item& item : items_) {
    auto* button = item.left_out ? qobject_cast<QToolButton*>(item.widget) : nullptr;
    if (!button) continue;
    const QString words = words_of(*button);
    QAction* action = nullptr;
    if (button->menu()) {
      action = menu.addMenu(button->menu());
    } else {
      action = menu.addAction(QString(), button, &QToolButton::click);
      action->setCheckable(button->isCheckable());
      action->setChecked(button->isChecked());
    }
    action->setText(words);
    action->setToolTip(button->toolTip());
    action->setEnabled(button->isEnabled());
  }
}

}  // namespace loopglass::views
