#include "views/graph/edge_verdicts.h"

#include "views/text.h"
#include "views/theme.h"

#include <QCoreApplication>

namespace loopglass::views {
namespace {

QString translated(const char* source) {
  return QCoreApplication::translate("EdgeVerdicts", source);
}

std::uint64_t key_of(graph::ValueId value, graph::NodeId consumer) {
  return std::uint64_t{value.value} << 32 | consumer.value;
}

}  // namespace

EdgeVerdicts::EdgeVerdicts(std::shared_ptr<const fusion::Plan> plan) : plan_(std::move(plan)) {
  if (!plan_) return;
  decisions_.reserve(plan_->decisions.size());
  for (const fusion::Decision& decision : plan_->decisions)
    decisions_.emplace(key_of(decision.value, decision.consumer), &decision);
}

const fusion::Decision* EdgeVerdicts::of(graph::ValueId value, graph::NodeId consumer) const {
  const auto found = decisions_.find(key_of(value, consumer));
  return found == decisions_.end() ? nullptr : found->second;
}

EdgeMark verdict_mark(const fusion::Decision& decision) {
  const Theme& t = theme();
  EdgeMark mark;
  mark.code = text(fusion::name(decision.reason));
  mark.color = decision.fused ? t.good : t.warning;
  if (decision.fused) {
    mark.width = 2.2;
    mark.calm = !decision.forced;
  } else {
    mark.sign = "✕";
  }
  if (decision.forced) {
    mark.sign = EdgeMark::asked_for;
    if (decision.fused) mark.code = "FORCED";
  }
  return mark;
}

EdgeMark hidden_mark() {
  EdgeMark mark;
  mark.color = theme().edge;
  mark.sign = "?";
  return mark;
}

FusedBy fused_by(const fusion::Decision* first, const fusion::Decision* second) {
  const bool by_first = first != nullptr && first->fused;
  const bool by_second = second != nullptr && second->fused;
  if (by_first && by_second) return FusedBy::Both;
  if (by_first) return FusedBy::First;
  return by_second ? FusedBy::Second : FusedBy::Neither;
}

// Told apart by number, width and dashes too, for eyes that do not tell the colours apart.
EdgeMark compared_mark(FusedBy which) {
  EdgeMark mark;
  mark.calm = true;
  switch (which) {
    case FusedBy::Neither: return {};
    case FusedBy::First:
      mark.color = theme().group(0);
      mark.width = 3;
      mark.sign = "1";
      return mark;
    case FusedBy::Second:
      mark.color = theme().group(5);
      mark.width = 3;
      mark.dashed = true;
      mark.sign = "2";
      return mark;
    case FusedBy::Both:
      mark.color = theme().group(2);
      mark.width = 2.2;
      return mark;
  }
  __builtin_unreachable();
}

QString hidden_html() {
  return translated("Would you fuse this? The verdict shows once you have said.");
}

}  // namespace loopglass::views
