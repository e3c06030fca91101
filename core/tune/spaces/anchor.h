// The reduction that takes most of a kernel's work, which sketches are made around, and what stands
// before it in every script, as the default schedule has it: producers that are not worth a tensor
// are inlined, and all other nests are scheduled.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/tune/space.h"
#include "core/tune/spaces/sketch_writer.h"

#include <optional>

namespace loopglass::tune {

struct Anchor {
  SketchWriter writer;                  // behind the inlined producers
  schedule::BlockAnalysis block;        // each iteration an axis of its own
  std::optional<std::string> epilogue;  // its only reader, element by element
  std::size_t lanes_axis = 0;           // that lanes run along best, by counting
  std::optional<std::size_t> repeat_axis;
  std::int64_t lanes = 1;  // elements of a vector

  // Whether two operands each miss an axis, or one does and something is summed: tiles are worth
  // it.
  bool has_reuse() const;
};

// nullopt: there is no sum whose loops may be tiled.
Result<std::optional<Anchor>> anchor_of(const Task& task);

// The tile of sums in registers, as every sketch ends: what goes around is theirs.
class RegisterTile {
 public:
  explicit RegisterTile(const Anchor& anchor) : anchor_(anchor) {}

  // The sum goes to a buffer of its own: that of the epilogue's operand, or one that is copied.
  Result<void> own_the_sum(SketchWriter& writer, const std::string& scope);
  // Lanes innermost, repeats around them; partial sums have a dimension more, the first.
  Result<void> shape(SketchWriter& writer, const std::string& buffer,
                     const std::string& first = {}) const;
  // What the sum's own loops of the tile become: copies, and lanes for the last, unless it turns
  // only once. Then the same of nests that follow them: `own`, the sum's.
  static Result<void> finish(SketchWriter& writer, const std::vector<std::string>& own);
  static Result<void> finish_like(SketchWriter& writer, const std::vector<std::string>& own,
                                  const std::vector<std::string>& following);
  // Of a block whose innermost loops follow them.
  static Result<void> finish_inside(SketchWriter& writer, const std::vector<std::string>& own,
                                    const std::string& block);

  const std::string& consumer() const { return consumer_; }
  const std::string& sum() const { return sum_; }

 private:
  const Anchor& anchor_;
  std::string consumer_, sum_;
};

}  // namespace loopglass::tune
