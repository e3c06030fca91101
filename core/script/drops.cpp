#include "core/script/drops.h"

#include "core/loop/path.h"
#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The loops of a nest that stand one in another with nothing between, with `variable` among them.
std::vector<std::string> chain_of(const Path& path) {
  std::vector<std::string> chain;
  std::size_t first = path.statements.size() - 1;
  while (first > 0 && loop::as<For>(path.statements[first - 1])) --first;
  for (std::size_t k = first; k < path.statements.size(); ++k)
    chain.push_back(loop::as<For>(path.statements[k])->variable);
  for (const For* inner = loop::as<For>(path.loop().body); inner;
       inner = loop::as<For>(inner->body))
    chain.push_back(inner->variable);
  return chain;
}

// The loops between both, these included, as they would stand.
std::vector<std::string> order_after(const std::vector<std::string>& chain,
                                     const std::string& moved, const std::string& target) {
  const auto from = std::find(chain.begin(), chain.end(), moved);
  const auto to = std::find(chain.begin(), chain.end(), target);
  std::vector<std::string> order(std::min(from, to), std::max(from, to) + 1);
  if (to < from) std::rotate(order.rbegin(), order.rbegin() + 1, order.rend());
  else std::rotate(order.begin(), order.begin() + 1, order.end());
  return order;
}

std::vector<std::string> loops_of(const Func& func) {
  std::vector<std::string> loops;
  loop::walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = loop::as<For>(stmt)) loops.push_back(node->variable);
  });
  return loops;
}

}  // namespace

Result<std::vector<Drop>> drops(const Replayer& replayer, const std::string& entity,
                                const Cancellation& cancellation, Clash clash) {
  std::vector<Drop> found;
  const auto ask = [&](const std::string& primitive, std::vector<Argument> arguments) {
    return judge(replayer, OfferedCall{find_primitive(primitive), std::move(arguments)}, clash);
  };
  if (const auto path = find_loop(replayer.func(), entity)) {
    const std::vector<std::string> chain = chain_of(*path);
    for (const std::string& target : loops_of(replayer.func())) {
      if (cancellation.requested()) return fail(Code::Cancelled, "checking was cancelled");
      if (target == entity) continue;
      // Beyond its chain it is told what stands between.
      const bool in_chain = std::ranges::find(chain, target) != chain.end();
      found.push_back({target, ask("reorder", {in_chain ? order_after(chain, entity, target)
                                                        : std::vector{entity, target}})});
    }
    return found;
  }
  const auto block = find_block(replayer.func(), entity);
  if (!block) return found;
  for (const std::string& target : loops_of(replayer.func())) {
    if (cancellation.requested()) return fail(Code::Cancelled, "checking was cancelled");
    if (block->index_of_loop(target) >= 0) continue;
    Verdict as_producer = ask("compute_at", {entity, target});
    if (as_producer.refusal)
      if (Verdict as_consumer = ask("reverse_compute_at", {entity, target}); !as_consumer.refusal)
        as_producer = std::move(as_consumer);
    found.push_back({target, std::move(as_producer)});
  }
  return found;
}

}  // namespace loopglass::schedule
