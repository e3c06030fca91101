#include "views/graph/edge_verdicts.h"

#include "views/text.h"
#include "views/theme.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <map>
#include <set>

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
    if (decision.fused) mark.code += ", by hand";
  }
  return mark;
}

EdgeMark verdict_mark(const std::vector<const fusion::Decision*>& decisions) {
  const auto is_fused = [](const fusion::Decision* decision) { return decision->fused; };
  const auto fused = std::ranges::count_if(decisions, is_fused);
  const auto as_first = [first = verdict_mark(*decisions.front())](const auto* decision) {
    return verdict_mark(*decision) == first;
  };
  EdgeMark mark = verdict_mark(*decisions.front());
  if (std::ranges::all_of(decisions, as_first)) return mark;
  mark = {};
  mark.color = fused == std::ssize(decisions) ? theme().good : theme().warning;
  mark.sign = fused == std::ssize(decisions) ? QString(EdgeMark::asked_for) : QString("✕");
  std::set<fusion::Reason> reasons;
  for (const fusion::Decision* decision : decisions) reasons.insert(decision->reason);
  mark.code = fused == 0 ? QString("%1 reasons").arg(reasons.size())
                         : QString("%1 of %2 fused").arg(fused).arg(decisions.size());
  return mark;
}

QString verdict_counts(const std::vector<const fusion::Decision*>& decisions) {
  std::map<std::pair<bool, fusion::Reason>, int> counts;
  for (const fusion::Decision* decision : decisions) ++counts[{!decision->fused, decision->reason}];
  QStringList words;
  for (const auto& [verdict, count] : counts)
    words << QString("<span style='color:%1'>%2</span> %3 <b>%4</b>")
                 .arg((verdict.first ? theme().warning : theme().good).name(),
                      verdict.first ? "✕" : "✓")
                 .arg(count)
                 .arg(text(fusion::name(verdict.second)));
  return words.join(" · ");
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
