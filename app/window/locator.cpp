#include "app/window/locator.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr std::size_t most_results = 200;

}  // namespace

Locator::Locator(views::Document* document, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      document_(document),
      query_(new QLineEdit),
      results_(new QListWidget) {
  query_->setPlaceholderText(tr("Name of a node, kernel, value or pass"));
  query_->setClearButtonEnabled(true);
  query_->installEventFilter(this);
  results_->setUniformItemSizes(true);
  results_->setTextElideMode(Qt::ElideMiddle);
  results_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(query_);
  layout->addWidget(results_);
  connect(query_, &QLineEdit::textChanged, this, &Locator::search);
  connect(query_, &QLineEdit::returnPressed, this, &Locator::choose);
  connect(results_, &QListWidget::itemActivated, this, &Locator::choose);
  connect(results_, &QListWidget::itemClicked, this, &Locator::choose);
}

void Locator::open_above(QWidget* window) {
  resize(std::min(640, window->width() - 40), std::min(420, window->height() - 80));
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, 60)));
  query_->clear();
  search({});
  show();
  query_->setFocus();
}

void Locator::search(const QString& query) {
  found_ = views::look_up(*document_, query, most_results);
  results_->clear();
  for (const views::Found& found : found_) {
    auto* item = new QListWidgetItem(
        QString("%1   —   %2, %3").arg(found.name, views::name(found.kind), found.detail));
    item->setToolTip(found.name);
    results_->addItem(item);
  }
  results_->setCurrentRow(0);
}

void Locator::choose() {
  const int row = results_->currentRow();
  if (row < 0 || row >= static_cast<int>(found_.size())) return;
  const views::Found found = found_[static_cast<std::size_t>(row)];
  accept();
  views::go_to(*document_, found);
}

// Up and down move in the list while the cursor stays in the field.
bool Locator::eventFilter(QObject* watched, QEvent* event) {
  if (watched == query_ && event->type() == QEvent::KeyPress) {
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Up:
      case Qt::Key_Down:
      case Qt::Key_PageUp:
      case Qt::Key_PageDown:
        QCoreApplication::sendEvent(results_, event);
        return true;
      default:
        break;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace loopglass::app
