#include "app/loopglassc/rules.h"

#include "app/loopglassc/declare.h"
#include "passes/graph/rules/families.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using passes::rules::Rule;
using passes::rules::RuleClass;

std::string_view heading(RuleClass kind) {
  switch (kind) {
    case RuleClass::Exact: return "exact (simplify)";
    case RuleClass::Reassociating:
      return "equal for real numbers; rounding may differ (reassociate)";
    case RuleClass::FiniteOnly:
      return "equal unless an operand is infinite or not a number (assume-finite-values)";
    case RuleClass::AsAllowed: return "as far apart as the model allows";
  }
  __builtin_unreachable();
}

Json to_json(const Rule& rule) {
  return {{"name", rule.name},           {"class", passes::rules::name(rule.kind)},
          {"before", rule.before},       {"after", rule.after},
          {"condition", rule.condition}, {"operators", rule.roots}};
}

}  // namespace

void print_rules(bool json) {
  const std::span<const Rule> rules = passes::rules::all_rules();
  if (json) {
    Json rows = Json::array();
    for (const Rule& rule : rules) rows.push_back(to_json(rule));
    print_json(Schema::PassesRules, Json{{"rules", std::move(rows)}});
    return;
  }
  for (const RuleClass kind : {RuleClass::Exact, RuleClass::Reassociating, RuleClass::FiniteOnly}) {
    fmt::print("{}: {} rules\n", heading(kind), std::ranges::count(rules, kind, &Rule::kind));
    for (const Rule& rule : rules) {
      if (rule.kind != kind) continue;
      fmt::print("  {:<40}{}  =>  {}\n", rule.name, rule.before, rule.after);
      if (!rule.condition.empty()) fmt::print("  {:<40}    {}\n", "", rule.condition);
    }
  }
}

}  // namespace loopglass::app
