#include "views/widgets/filter_completer.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QLineEdit>
#include <QMouseEvent>
#include <QStandardItemModel>

namespace loopglass::views {

FilterCompleter::FilterCompleter(QLineEdit* line, Complete complete)
    : QObject(line),
      line_(line),
      complete_(std::move(complete)),
      completer_(new QCompleter(this)),
      items_(new QStandardItemModel(this)) {
  completer_->setModel(items_);
  completer_->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
  completer_->setMaxVisibleItems(10);
  completer_->setWidget(line);
  completer_->popup()->installEventFilter(this);
  connect(line, &QLineEdit::textEdited, this, &FilterCompleter::offer);
  connect(completer_, qOverload<const QModelIndex&>(&QCompleter::activated), this,
          &FilterCompleter::take);
}

// A popup takes every click; one beside it is meant for what lies there.
bool FilterCompleter::eventFilter(QObject* watched, QEvent* event) {
  if (watched != completer_->popup() || event->type() != QEvent::MouseButtonPress)
    return QObject::eventFilter(watched, event);
  const auto* press = static_cast<QMouseEvent*>(event);
  if (completer_->popup()->rect().contains(press->position().toPoint())) return false;
  completer_->popup()->hide();
  const QPointF place = press->globalPosition();
  QWidget* meant = QApplication::widgetAt(place.toPoint());
  if (!meant || meant->window() != line_->window()) return true;
  for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease})
    QApplication::postEvent(
        meant, new QMouseEvent(type, meant->mapFromGlobal(place), place, press->button(),
                               type == QEvent::MouseButtonPress ? press->buttons() : Qt::NoButton,
                               press->modifiers()));
  return true;
}

void FilterCompleter::offer() {
  const std::string text = line_->text().toStdString();
  offered_for_ = text;
  const auto cursor =
      static_cast<std::size_t>(line_->text().left(line_->cursorPosition()).toUtf8().size());
  const Completions found = complete_(text, cursor);
  begin_ = found.begin;
  end_ = found.end;
  items_->clear();
  const std::string typed = text.substr(begin_, end_ - begin_);
  for (const Completions::Item& item : found.items) {
    if (item.text == typed) continue;
    auto* row = new QStandardItem(QString::fromStdString(item.text));
    row->setToolTip(QString::fromStdString(item.doc));
    items_->appendRow(row);
  }
  if (items_->rowCount() == 0) return completer_->popup()->hide();
  completer_->complete();
  // Return is for what stands in the line, until somebody has moved to one of the offers.
  completer_->popup()->setCurrentIndex({});
}

void FilterCompleter::take(const QModelIndex& choice) {
  const std::string text = line_->text().toStdString();
  // Return goes to the line first, which may have been emptied by it.
  if (!choice.isValid() || text != offered_for_) return;
  const std::string chosen = choice.data().toString().toStdString();
  const QString before = QString::fromStdString(text.substr(0, begin_) + chosen);
  line_->setText(before + QString::fromStdString(text.substr(end_)));
  line_->setCursorPosition(static_cast<int>(before.size()));
  emit line_->textEdited(line_->text());
}

}  // namespace loopglass::views
