#include "views/graph/subgraph_bar.h"

#include "views/document/document.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace loopglass::views {

SubgraphBar::SubgraphBar(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), row_(new QHBoxLayout(this)) {
  setObjectName("subgraphBar");
  row_->setContentsMargins(6, 2, 6, 2);
  row_->setSpacing(2);
  connect(document, &Document::modelChanged, this, &SubgraphBar::refresh);
  refresh();
}

void SubgraphBar::refresh() {
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  const ModelSource& source = document_->source();
  setVisible(!source.subgraphs.empty());
  const auto add = [&](const QString& text, std::size_t depth) {
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    button->setText(text);
    button->setEnabled(depth < source.subgraphs.size());
    button->setToolTip(depth == 0 ? tr("Back to the model's own graph")
                                  : tr("Back to the graph of this operator"));
    // Opening another model takes this button away.
    connect(
        button, &QToolButton::clicked, document_,
        [document = document_, depth] { document->leave_subgraphs(depth); }, Qt::QueuedConnection);
    row_->addWidget(button);
  };
  add(source.title, 0);
  for (std::size_t i = 0; i < source.subgraphs.size(); ++i) {
    row_->addWidget(new QLabel("›"));
    add(QString::fromStdString(source.subgraphs[i]), i + 1);
  }
  row_->addStretch(1);
}

}  // namespace loopglass::views
