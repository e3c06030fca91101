#include "views/fusion/edge_card_pane.h"

#include "views/fusion/edge_card_view.h"
#include "views/fusion/edge_trial.h"
#include "views/fusion/verdict_panel.h"
#include "views/theme.h"

#include <QVBoxLayout>

namespace loopglass::views {

EdgeCardPane::EdgeCardPane(Document* document, QWidget* parent)
    : QScrollArea(parent),
      verdict_(new VerdictPanel(document)),
      trial_(new EdgeTrial(document)),
      card_(new EdgeCardView(document)) {
  verdict_->add_action(trial_->button());
  setObjectName("edgeCard");
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(verdict_);
  column->addWidget(trial_);
  column->addWidget(card_);
  column->addStretch();
  setWidget(content);
  connect(verdict_, &VerdictPanel::guessed, this, &EdgeCardPane::guessed);
  connect(card_, &EdgeCardView::stepWanted, this, &EdgeCardPane::stepWanted);
}

void EdgeCardPane::show_decision(const fusion::Decision& decision, bool hidden) {
  verdict_->show_decision(decision, hidden);
  trial_->show_decision(decision, hidden);
  card_->setVisible(!hidden);
  if (hidden) card_->clear();
  else card_->show_edge({decision.producer, decision.consumer}, decision.value);
}

// A verdict of some lines; the rest can be scrolled to.
QSize EdgeCardPane::minimumSizeHint() const {
  return {widget()->minimumSizeHint().width(), 5 * QFontMetrics(theme().text_font()).height()};
}

}  // namespace loopglass::views
