#include "core/locality/iterations.h"

#include "core/locality/too_large.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"
#include "core/loop/watched_run.h"

#include <algorithm>
#include <unordered_set>

namespace loopglass::locality {
namespace {

// Before the block others may run.
constexpr std::int64_t most_accesses = 20'000'000;

class Recording {
 public:
  Recording(const loop::Path& path, const loop::WatchedRun& run,
            const std::vector<loop::Buffer>& buffers, std::int64_t most_steps)
      : run_(run), known_(buffers), most_steps_(most_steps) {
    result_.block = path.block().name;
    const loop::Store* store = loop::only_store(path.block());
    if (store && path.block().reducer && loop::has_reduction(path.block()))
      result_.summed_into = store->buffer;
    for (const loop::IterVar& iter : path.block().iters)
      result_.axes.push_back({iter.name, false, iter.reduction, 0, expr::to_string(iter.extent)});
    for (const loop::For* node : path.loops())
      result_.axes.push_back({node->variable, true, false, 0, expr::to_string(node->extent)});
    loop::walk(path.statements.back(), [&](const loop::Stmt& stmt) { inside_.insert(stmt.get()); });
  }

  void see(const loop::AccessEvent& event) {
    if (!inside_.contains(event.statement)) return;
    now_.clear();
    for (const Iterations::Axis& axis : result_.axes) {
      const auto value = event.variables.find(axis.name);
      if (value == event.variables.end()) return;
      now_.push_back(value->second);
    }
    if (result_.steps.empty() || result_.steps.back().values != now_) {
      if (static_cast<std::int64_t>(result_.steps.size()) == most_steps_)
        throw loop::WatchedRun::Enough{};
      result_.steps.push_back({now_, {}});
      for (std::size_t k = 0; k < now_.size(); ++k)
        result_.axes[k].extent = std::max(result_.axes[k].extent, now_[k] + 1);
    }
    result_.steps.back().touches.push_back({index_of(event.buffer), event.is_store, event.element});
  }

  Iterations result(bool whole) && {
    result_.whole = whole;
    return std::move(result_);
  }

 private:
  std::uint32_t index_of(const std::string& buffer) {
    const auto found = std::ranges::find(result_.buffers, buffer, &Iterations::TouchedBuffer::name);
    const auto index = static_cast<std::uint32_t>(found - result_.buffers.begin());
    if (found == result_.buffers.end())
      result_.buffers.push_back(
          {buffer, run_.shape(buffer),
           static_cast<std::int64_t>(byte_size(loop::find_buffer(known_, buffer)->type))});
    return index;
  }

  const loop::WatchedRun& run_;
  const std::vector<loop::Buffer>& known_;
  std::int64_t most_steps_;
  std::unordered_set<const loop::StmtNode*> inside_;
  std::vector<std::int64_t> now_;
  Iterations result_;
};

}  // namespace

Result<Iterations> iterations_of(const loop::Func& func, const std::string& block,
                                 const std::map<std::string, std::int64_t>& symbols,
                                 std::int64_t most_steps, const Cancellation& cancellation) {
  const loop::Path path = TRY(loop::find_block(func, block));
  const loop::WatchedRun run(func, symbols, most_accesses);
  if (!run.can_run()) return std::unexpected(too_large(func));
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  Recording recording(path, run, buffers, most_steps);
  constexpr std::int64_t look_up_each = 1 << 16;
  const bool whole = run([&](const loop::AccessEvent& event, std::int64_t number) {
    if (number % look_up_each == 0 && cancellation.requested()) throw loop::WatchedRun::Enough{};
    recording.see(event);
  });
  if (cancellation.requested()) return fail(Code::Cancelled, "following accesses was cancelled");
  return std::move(recording).result(whole);
}

std::vector<std::int64_t> indices_of(std::int64_t element, const Shape& shape) {
  std::vector<std::int64_t> indices(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; element /= shape[d]) indices[d] = element % shape[d];
  return indices;
}

std::string main_block(const loop::Func& func) {
  const loop::Block* chosen = nullptr;
  double most = -1;
  for (const loop::Block* block : loop::blocks_of(func.body)) {
    const auto path = loop::find_block(func, block->name);
    if (!path) continue;
    double weight = loop::has_reduction(*block) ? 1e30 : 1;
    for (const loop::For* node : path->loops())
      weight *= static_cast<double>(expr::as_integer(node->extent).value_or(1));
    if (weight <= most) continue;
    most = weight;
    chosen = block;
  }
  return chosen ? chosen->name : std::string();
}

}  // namespace loopglass::locality
