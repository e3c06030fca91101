#include "views/widgets/wrap_layout.h"

#include <QWidget>

#include <algorithm>

namespace loopglass::views {
namespace {

bool expands(const QLayoutItem& item) { return item.expandingDirections() & Qt::Horizontal; }

// What an item must have; those that expand are content with less than they would like.
int width_wanted(const QLayoutItem& item) {
  return expands(item) ? item.minimumSize().width() : item.sizeHint().width();
}

int height_of(const std::vector<QLayoutItem*>& row) {
  int height = 0;
  for (const QLayoutItem* item : row) height = std::max(height, item->sizeHint().height());
  return height;
}

}  // namespace

WrapLayout::WrapLayout(int spacing, QWidget* parent) : QLayout(parent) { setSpacing(spacing); }

WrapLayout::~WrapLayout() {
  for (QLayoutItem* item : items_) delete item;
}

void WrapLayout::insertWidget(int index, QWidget* widget) {
  addChildWidget(widget);
  items_.insert(items_.begin() + std::clamp(index, 0, count()), new QWidgetItem(widget));
  invalidate();
}

void WrapLayout::addStretch() {
  addItem(new QSpacerItem(0, 0, QSizePolicy::Expanding, QSizePolicy::Minimum));
}

void WrapLayout::addItem(QLayoutItem* item) {
  items_.push_back(item);
  invalidate();
}

QLayoutItem* WrapLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem* WrapLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item) items_.erase(items_.begin() + index);
  return item;
}

int WrapLayout::width_of(const Row& row) const {
  int width = -spacing();
  for (const QLayoutItem* item : row) width += width_wanted(*item) + spacing();
  return width;
}

std::vector<WrapLayout::Row> WrapLayout::rows(int width) const {
  std::vector<Row> rows(1);
  for (QLayoutItem* item : items_) {
    // A stretch is not empty to Qt's mind, but a hidden widget is.
    if (item->isEmpty() && !item->spacerItem()) continue;
    rows.back().push_back(item);
    if (rows.back().size() == 1 || width_of(rows.back()) <= width) continue;
    rows.back().pop_back();
    rows.push_back({item});
  }
  return rows;
}

int WrapLayout::heightForWidth(int width) const {
  const QMargins margins = contentsMargins();
  int height = -spacing();
  for (const Row& row : rows(width - margins.left() - margins.right()))
    height += height_of(row) + spacing();
  return height + margins.top() + margins.bottom();
}

QSize WrapLayout::sizeHint() const {
  Row all;
  for (QLayoutItem* item : items_)
    if (!item->isEmpty()) all.push_back(item);
  int width = -spacing();
  for (const QLayoutItem* item : all) width += item->sizeHint().width() + spacing();
  return QSize(std::max(width, 0), height_of(all)).grownBy(contentsMargins());
}

// What expands and wants more than that is cut: a layout asks for the height at the least width, so
// that in a pane narrower than a long text the row of that text would lie under what is below.
QSize WrapLayout::minimumSize() const {
  constexpr int longest_text = 240;
  QSize least;
  for (const QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    QSize size = item->minimumSize();
    if (expands(*item)) size.setWidth(std::min(size.width(), longest_text));
    least = least.expandedTo(size);
  }
  return least.grownBy(contentsMargins());
}

void WrapLayout::setGeometry(const QRect& place) {
  QLayout::setGeometry(place);
  const QRect inside = place.marginsRemoved(contentsMargins());
  int top = inside.top();
  for (const Row& row : rows(inside.width())) {
    const int height = height_of(row);
    const auto expanding = static_cast<int>(
        std::count_if(row.begin(), row.end(), [](auto* item) { return expands(*item); }));
    int left_over = std::max(inside.width() - width_of(row), 0), still_expanding = expanding;
    int left = inside.left();
    for (QLayoutItem* item : row) {
      int width = width_wanted(*item);
      if (expands(*item)) {
        const int share = left_over / still_expanding--;
        left_over -= share;
        width += share;
      }
      width = std::min(width, inside.width());
      const int own = std::min(item->sizeHint().height(), height);
      item->setGeometry(QRect(left, top + (height - own) / 2, width, own));
      left += width + spacing();
    }
    top += height + spacing();
  }
}

}  // namespace loopglass::views
