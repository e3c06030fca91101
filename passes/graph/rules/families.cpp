#include "passes/graph/rules/families.h"

#include <algorithm>
#include <iterator>

namespace loopglass::passes::rules {

std::span<const Rule> all_rules() {
  static const RuleTable table = [] {
    RuleTable all;
    for (const auto& family : {identity_rules, arithmetic_rules, involution_rules, comparison_rules,
                               regrouping_rules, strength_rules, reshape_rules, transpose_rules,
                               slice_rules, concatenation_rules, reduction_rules})
      std::ranges::move(family(), std::back_inserter(all));
    return all;
  }();
  return table;
}

}  // namespace loopglass::passes::rules
