// A schedule being written: each call applies a primitive to the Func at hand and appends the line
// to the trace. A copy is a savepoint, so a plan that turns out illegal half-way is simply dropped.
//
// Of a nest with symbols, rules weigh a twin in which they are numbers; a line has to be legal in
// both.
//
// Handles bear the names that blocks and loops have in the nest; look-ups are written when a name
// is first used.
#pragma once

#include "core/script/replayer.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

class Draft {
 public:
  explicit Draft(loop::Func func) : replayer_(std::move(func)) {}
  Draft(loop::Func twin, loop::Func written)
      : replayer_(std::move(twin)), written_(std::move(written)) {}

  // What rules look at.
  const loop::Func& func() const { return replayer_.func(); }
  // What the lines have made of the nest as it was written.
  const loop::Func& result() const { return written_ ? written_->func() : replayer_.func(); }
  const Trace& trace() const { return trace_; }
  Trace take() && { return std::move(trace_); }
  const Replayer& replayer() const { return replayer_; }

  using Names = std::vector<std::string>;
  // Any primitive; what it makes is bound to handles of their own names.
  Result<Names> call(const std::string& primitive, std::vector<ScriptArgument> arguments);
  // One that makes one thing.
  Result<std::string> call_for_one(const std::string& primitive,
                                   std::vector<ScriptArgument> arguments);
  // All lines of another script for the nest as it is now.
  Result<void> append(const Trace& lines);
  // Loops around a block, outermost first.
  Result<Names> loops(const std::string& block);
  Result<Names> split(const std::string& loop, std::vector<std::int64_t> factors);
  // The loop itself when there is only one.
  Result<std::string> fuse(const Names& loops);
  Result<void> reorder(const Names& loops);
  Result<void> parallel(const std::string& loop) { return only("parallel", {Handle{loop}}); }
  Result<void> vectorize(const std::string& loop) { return only("vectorize", {Handle{loop}}); }
  Result<void> unroll(const std::string& loop) { return only("unroll", {Handle{loop}}); }
  Result<void> compute_inline(const std::string& block);
  Result<Names> compute_at(const std::string& block, const std::string& loop);
  Result<Names> reverse_compute_at(const std::string& block, const std::string& loop);
  Result<void> compute_with(const std::string& loop, const std::string& next) {
    return only("compute_with", {Handle{loop}, Handle{next}});
  }
  Result<std::string> cache_read(const std::string& block, const std::string& buffer,
                                 const std::string& scope);
  Result<std::string> reindex(const std::string& block, const std::string& buffer,
                              const std::string& scope);
  Result<std::string> cache_write(const std::string& block, const std::string& scope);
  Result<void> set_scope(const std::string& buffer, const std::string& scope);
  Result<std::string> decompose_reduction(const std::string& block, const std::string& loop);
  // The block of partial sums, and their buffer.
  Result<std::string> rfactor(const std::string& block, const std::string& loop, std::size_t axis);
  Result<void> skip_padding(const std::string& block, const std::string& padding,
                            const std::string& loop);
  Result<void> transform_layout(const std::string& buffer, const std::string& map);
  // The next iteration's part of the buffer, as the loop inside turns.
  Result<void> prefetch(const std::string& buffer, const std::string& loop,
                        const std::string& inside);
  Result<void> annotate(const std::string& loop, std::string_view key, const std::string& value);
  Result<void> split_axis(const std::string& block, std::size_t axis, std::int64_t factor);

 private:
  Result<void> look(const Instruction& look_up);
  // The handle of a block, bound by a look-up if this is its first use.
  Result<Handle> block(const std::string& name);
  Result<void> only(const std::string& primitive, std::vector<ScriptArgument> arguments);

  Replayer replayer_;
  std::optional<Replayer> written_ = {};  // with symbols
  Trace trace_;
};

}  // namespace loopglass::schedule
