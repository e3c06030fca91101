#include "views/bisect/place_box.h"

#include "views/theme.h"

#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <map>

namespace loopglass::views {

PlaceBox::PlaceBox(Document* document, QString begin, QWidget* parent)
    : QWidget(parent), document_(document), begin_(std::move(begin)), box_(new QComboBox) {
  box_->setEditable(true);
  box_->setInsertPolicy(QComboBox::NoInsert);
  box_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box_->setMinimumContentsLength(12);
  box_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  box_->setToolTip(
      tr("A pass from the list, or a place as text: 3, 3:2 (after its second rewrite), simplify#2, "
         "input, last"));
  auto* here = new QToolButton;
  here->setText(tr("Here"));
  here->setToolTip(tr("The place where the window is"));
  here->setAutoRaise(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  row->addWidget(box_, 1);
  row->addWidget(here);
  connect(here, &QToolButton::clicked, this, [this] {
    set_text(QString::fromStdString(pass::to_text(document_->history().position())));
  });
  connect(box_, &QComboBox::currentTextChanged, this, &PlaceBox::changed);
  connect(&document->history(), &HistoryStage::historyChanged, this, &PlaceBox::fill);
  fill();
}

void PlaceBox::fill() {
  {
    const QSignalBlocker blocker(box_);
    box_->clear();
    const auto history = document_->history().recorded();
    box_->addItem("input");
    std::map<std::string, int> met;
    for (std::size_t step = 1; history && step < history->steps.size(); ++step) {
      const auto& recorded = history->steps[step];
      const int times = ++met[recorded.pass.name];
      QString name = QString::fromStdString(recorded.pass.name);
      if (times > 1) name += QString("#%1").arg(times);
      box_->addItem(name);
      box_->setItemData(box_->count() - 1, tr("step %1").arg(step), Qt::ToolTipRole);
      if (!recorded.changed)
        box_->setItemData(box_->count() - 1, theme().muted, Qt::ForegroundRole);
    }
    box_->addItem("last");
    box_->setCurrentText(begin_);
  }
  emit changed();
}

QString PlaceBox::text() const { return box_->currentText().trimmed(); }
void PlaceBox::set_text(const QString& text) { box_->setCurrentText(text); }

Result<pass::Position> PlaceBox::place() const {
  const auto history = document_->history().recorded();
  if (!history) return fail(Code::UsageInvalid, "there is no history yet");
  return pass::parse_position(text().toStdString(), *history);
}

}  // namespace loopglass::views
