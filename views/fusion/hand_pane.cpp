#include "views/fusion/hand_pane.h"

#include "views/fusion/hand_list.h"
#include "views/fusion/plan_trials.h"
#include "views/widgets/flow_splitter.h"

#include <QVBoxLayout>

namespace loopglass::views {

HandPane::HandPane(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      list_(new HandList(document)),
      trials_(new PlanTrials(document, "what if")) {
  constexpr int side_by_side = 800;  // from this width on
  auto* both = new FlowSplitter(side_by_side);
  both->addWidget(list_);
  both->addWidget(trials_);
  both->setStretchFactor(0, 2);
  both->setStretchFactor(1, 3);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(both);
  connect(&document->fusion(), &FusionStage::planChanged, this, &HandPane::follow);
  follow();
}

void HandPane::follow() {
  const auto graph = document_->history().last_graph();
  const QString strategy = document_->strategy();
  if (graph && graph == graph_ && strategy == strategy_ &&
      constraints_ == document_->constraints() && edits_ == document_->edits())
    return;
  graph_ = graph;
  strategy_ = strategy;
  constraints_ = document_->constraints();
  edits_ = document_->edits();
  const bool by_hand = strategy == "manual" && !edits_.edits.empty();
  std::vector<PlanTrials::Variant> variants;
  if (graph && (by_hand || !constraints_.empty())) {
    const std::string base = by_hand ? edits_.base : strategy.toStdString();
    variants.push_back({tr("before"), {base, {}, {}}});
    variants.push_back({tr("after"),
                        {strategy.toStdString(), constraints_,
                         by_hand ? std::make_shared<const fusion::EditScript>(edits_) : nullptr}});
  }
  trials_->set_variants(std::move(variants),
                        tr("What is asked by hand is compared here with the strategy's own plan: "
                           "kernels, memory traffic, estimated and measured time."));
}

}  // namespace loopglass::views
