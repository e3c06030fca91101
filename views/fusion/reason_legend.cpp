#include "views/fusion/reason_legend.h"

#include "views/text.h"
#include "views/theme.h"

#include <QHeaderView>

#include <array>

namespace loopglass::views {
ReasonLegend::ReasonLegend(Document* document, QWidget* parent)
    : QTreeWidget(parent), document_(document) {
  setObjectName("reasonLegend");
  setHeaderLabels({tr("Code"), tr("Edges"), tr("What it means")});
  setRootIsDecorated(false);
  setWordWrap(true);
  setToolTip(tr("Click a code to see its edges"));
  header()->resizeSection(0, 190);
  header()->resizeSection(1, 70);
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    const auto reason = static_cast<fusion::Reason>(i);
    auto* row =
        new QTreeWidgetItem({text(fusion::name(reason)), {}, text(fusion::explanation(reason))});
    row->setFont(0, theme().code_font());
    row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    row->setToolTip(2, text(fusion::explanation(reason)));
    addTopLevelItem(row);
  }
  for (const auto signal : {&QTreeWidget::itemClicked, &QTreeWidget::itemActivated})
    connect(this, signal, this, [this](QTreeWidgetItem* row) { emit reasonChosen(row->text(0)); });
  connect(&document->fusion(), &FusionStage::planChanged, this, &ReasonLegend::count);
  connect(&document->fusion(), &FusionStage::guessingChanged, this, &ReasonLegend::count);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &ReasonLegend::count);
  count();
}

// Codes that the plan does not have are there, but dimmed.
void ReasonLegend::count() {
  std::array<int, fusion::reason_count> counts{};
  const auto plan = document_->fusion().plan();
  if (plan && !document_->fusion().is_guessing())
    for (const fusion::Decision& decision : plan->decisions)
      ++counts[static_cast<std::size_t>(decision.reason)];
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    QTreeWidgetItem* row = topLevelItem(static_cast<int>(i));
    row->setText(1, counts[i] > 0 ? QString::number(counts[i]) : QString());
    for (int column = 0; column < 3; ++column)
      row->setForeground(column, counts[i] > 0 ? theme().text : theme().muted);
  }
}

}  // namespace loopglass::views
