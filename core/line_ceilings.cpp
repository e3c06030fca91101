#include "core/line_ceilings.h"

#include "core/kernel/stages.h"
#include "core/loop/symbols.h"
#include "core/loop/walk.h"
#include "core/roofline/ceilings.h"
#include "core/script/replayer.h"
#include "core/support/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass {
namespace {

using schedule::Limit;

bool runs_on_threads(const loop::Func& func) {
  bool found = false;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    const auto* node = loop::as<loop::For>(stmt);
    found = found || (node && node->kind == loop::ForKind::Parallel);
  });
  return found;
}

// nullopt: it is at none.
std::optional<std::string> roof_of(const loop::Func& lowered, const loop::Func& initial,
                                   const std::map<std::string, std::int64_t>& symbols,
                                   const Machine& machine, const roofline::Roofs& roofs,
                                   double milliseconds) {
  const roofline::Traffic traffic = roofline::traffic_of(lowered, initial, symbols, machine);
  const auto ceilings = roofline::ceilings_of(traffic, roofs, milliseconds);
  if (ceilings.empty() || ceilings[0].share < roofline::near_a_roof ||
      ceilings[0].share > roofline::beyond_a_roof)
    return std::nullopt;
  return fmt::format("{}: {}", name(ceilings[0].bound),
                     roof_words(ceilings[0], traffic, roofs, milliseconds));
}

}  // namespace

Result<void> add_roofs(const measure::ScriptAsked& asked, const Toolchain& toolchain,
                       const roofline::Roofs& roofs, std::vector<measure::LineTime>& lines,
                       const Cancellation& cancellation) {
  const auto symbols = loop::symbol_values(asked.nest, asked.extents);
  const auto steps = TRY(schedule::replay(asked.nest, TRY(schedule::parse_script(asked.script))));
  for (std::size_t l = 0; l < lines.size() && l <= steps.size(); ++l) {
    measure::LineTime& line = lines[l];
    if (line.time.rounds == 0) continue;
    if (cancellation.requested()) return fail(Code::Cancelled, "the roofs were cancelled");
    const loop::Func& scheduled = l == 0 ? asked.nest : steps[l - 1].func;
    const auto lowered = kernel::lower({loop::with_extents(scheduled, symbols), {}, {}, {}},
                                       {asked.machine, toolchain.loop_passes});
    if (!lowered) continue;
    if (const auto roof = roof_of(lowered->lowered(), asked.nest, symbols, asked.machine, roofs,
                                  line.time.median_ms)) {
      std::erase_if(line.limits, [](const auto& other) { return other.limit == Limit::Registers; });
      line.limits.insert(line.limits.begin(), {Limit::Roof, *roof});
    } else if (line.threads > 1 && !runs_on_threads(lowered->lowered())) {
      line.limits.insert(
          line.limits.begin(),
          {Limit::Threads, fmt::format("no loop is parallel: 1 of {} works",
                                       counted(static_cast<std::size_t>(line.threads), "thread"))});
    }
  }
  return {};
}

}  // namespace loopglass
