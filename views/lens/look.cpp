#include "views/lens/look.h"

#include <algorithm>

namespace loopglass::views {
namespace {

Result<debug::Summary> one(debug::Evaluator& evaluator, const graph::Graph& graph,
                           const debug::Inputs& inputs, graph::ValueId value,
                           const debug::Control& control) {
  auto summaries = TRY(debug::look(evaluator, graph, inputs, {value}, {}, control));
  return std::move(summaries.front());
}

}  // namespace

const debug::Difference* Look::difference() const {
  if (!comparison) return nullptr;
  const auto& values = comparison->values;
  const auto found =
      std::find_if(values.begin(), values.end(),
                   [&](const debug::Difference& value) { return value.after == here.value; });
  return found == values.end() ? nullptr : &*found;
}

Result<std::shared_ptr<const Look>> look(const LookWish& wish, const debug::Control& control) {
  auto look = std::make_shared<Look>();
  const debug::Inputs inputs = debug::random_inputs(TRY(wish.session->model())->graph, wish.seed);
  look->here = TRY(one(*wish.evaluator, *wish.graph, inputs, wish.value, control));
  if (!wish.against) return look;
  const auto pairs = TRY(debug::correspondence(*wish.session, *wish.against, wish.at));
  // Constants are themselves wherever they are; all else goes by the correspondence.
  const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const auto& entry) {
    return entry.second.value == wish.value;
  });
  const bool kept = look->here.is_constant && wish.base->find(wish.value);
  if (pair != pairs.end() || kept) {
    look->match = kept ? debug::Match::Id : pair->second.match;
    look->there =
        TRY(one(*wish.evaluator, *wish.base, inputs, kept ? wish.value : pair->first, control));
  }
  look->comparison = wish.comparison;
  if (!look->comparison)
    look->comparison = std::make_shared<const debug::Comparison>(
        TRY(debug::compare(*wish.evaluator, *wish.base, *wish.graph, pairs, inputs, {}, control)));
  return look;
}

}  // namespace loopglass::views
