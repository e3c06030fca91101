#include "core/default_schedule/packing.h"

#include "core/expr/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace loopglass::schedule {

namespace {

// The last of the reduction's loops that the index moves with; nullopt: none does.
std::optional<std::size_t> summed_by(const Expr& index, const BlockAnalysis& block) {
  std::optional<std::size_t> last;
  for (const std::size_t r : block.reductions)
    if (expr::uses_variable(index, block.iter_names[r])) last = r;
  return last;
}

}  // namespace

std::string packing_map(const Operand& operand, const BlockAnalysis& block, std::size_t dimension,
                        std::int64_t factor, const std::vector<Walked>& walk) {
  using Half = Walked::Half;
  std::vector<std::string> names, terms;
  for (std::size_t d = 0; d < operand.indices.size(); ++d) {
    const auto* variable = operand.indices[d].as<expr::Variable>();
    const std::string name = variable ? variable->name : fmt::format("d{}", d);
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    names.push_back(known ? fmt::format("d{}", d) : name);
  }
  std::vector<std::optional<std::size_t>> summed;
  for (const Expr& index : operand.indices) summed.push_back(summed_by(index, block));
  for (std::size_t d = 0; d < names.size(); ++d)
    if (d != dimension && !summed[d]) terms.push_back(names[d]);
  terms.push_back(fmt::format("{}/{}", names[dimension], factor));
  for (const Walked& step : walk)
    for (std::size_t d = 0; d < names.size(); ++d) {
      if (d == dimension || summed[d] != step.reduction) continue;
      const bool is_cut =
          step.half != Half::Whole && operand.indices[d].as<expr::Variable>() != nullptr;
      if (is_cut)
        terms.push_back(
            fmt::format("{}{}{}", names[d], step.half == Half::Outer ? "/" : "%", step.length));
      else if (step.half != Half::Outer) terms.push_back(names[d]);
    }
  terms.push_back(fmt::format("{}%{}", names[dimension], factor));
  return fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(terms, " "));
}

}  // namespace loopglass::schedule
