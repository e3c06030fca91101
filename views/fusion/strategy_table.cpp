#include "views/fusion/strategy_table.h"

#include "views/text.h"

namespace loopglass::views {

StrategyTable::StrategyTable(Document* document, QWidget* parent)
    : PlanTrials(document, "strategies", parent), document_(document) {
  connect(&document->fusion(), &FusionStage::planChanged, this, &StrategyTable::follow);
  connect(this, &PlanTrials::variantActivated, document, &Document::set_strategy);
  follow();
}

// Which strategy is in use does not matter to what each of them does.
void StrategyTable::follow() {
  mark(document_->strategy());
  const auto graph = document_->history().last_graph();
  if (graph && graph == graph_ && constraints_ == document_->constraints() &&
      edits_ == document_->edits())
    return;
  graph_ = graph;
  constraints_ = document_->constraints();
  edits_ = document_->edits();
  std::vector<Variant> variants;
  if (graph)
    for (const fusion::Strategy& strategy : document_->toolchain().strategies) {
      const bool by_hand = strategy.name == "manual";
      if (by_hand && edits_.edits.empty()) continue;
      variants.push_back(
          {text(strategy.name),
           {strategy.name, constraints_,
            by_hand ? std::make_shared<const fusion::EditScript>(edits_) : nullptr}});
    }
  set_variants(std::move(variants), {});  // without a model the pane says so
}

}  // namespace loopglass::views
