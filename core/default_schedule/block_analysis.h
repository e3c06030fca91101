// What the default schedule asks about a block: how each operand's address moves with each
// iteration, and which neighbouring axes are really one.
#pragma once

#include "core/loop/func.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

// Loops over terms that turn more often are not those of a window.
constexpr std::int64_t widest_window = 7;

// One load, at how many places it may stand, or the store, of a block with a single store.
struct Operand {
  std::string buffer;
  std::vector<expr::Expr> indices;
  // Of what is packed, where it is looked at as it was before (see analyse): as it lies.
  std::vector<expr::Expr> packed_indices;
  DataType type = DataType::Float32;
  std::int64_t elements = 0;  // of the buffer; 0 where an extent is a symbol's
  bool is_store = false;
  bool parameter = false;
  bool constant = false;  // a parameter whose layout may be changed
  // Elements per step of each iteration; nullopt: irregular.
  std::vector<std::optional<std::int64_t>> steps;

  bool uses(std::size_t iter) const { return !steps[iter] || *steps[iter] != 0; }
};

// Neighbouring iterations, spatial or reduced, through which every operand walks at one even step.
struct Axis {
  std::vector<std::size_t> iters;  // positions in the block, outermost first
  std::int64_t extent = 1;
  std::vector<std::optional<std::int64_t>> steps;  // of each operand
};

struct BlockAnalysis {
  std::string name;
  std::string buffer;  // what it stores to
  std::vector<std::string> iter_names;
  std::vector<std::int64_t> extents;  // of each iteration
  std::vector<std::size_t> reductions;
  std::vector<Operand> operands;     // the store first
  std::vector<Axis> axes;            // spatial, outermost first
  std::vector<Axis> reduction_axes;  // the same of what is reduced
  std::int64_t spatial_points = 1, reduction_points = 1;
  std::size_t widest_bytes = 1;  // of the element types it touches
  std::optional<te::Reducer> reducer;
  // It adds products of two elements of floats: on machines with AVX2 an instruction, which takes
  // no register between.
  bool multiplies_and_adds = false;
  // Whether what it reads depends on conditions on its iterations, as across a border: who walks
  // over the ends of rows would ask for each element.
  bool asks_where_it_is = false;

  const Operand& store() const { return operands[0]; }
};

// Of its whole buffer.
std::int64_t bytes_of(const Operand& operand);

// The one iteration of the axis that is more than a single step, if it is one.
std::optional<std::size_t> lone_iteration(const Axis& axis, const BlockAnalysis& block);

// The same block with each iteration an axis of its own.
BlockAnalysis unmerged(const BlockAnalysis& block);

// nullopt for what the default schedule leaves alone: symbolic or empty extents, several stores,
// loops that are not simply the block's iterations in order. `through_packings`: of constants that
// have been packed the indices are those before, and they count as constants that may be.
std::optional<BlockAnalysis> analyse(const loop::Func& func, const std::string& block,
                                     bool through_packings = false);
// How far apart in memory neighbours along the iteration lie, within tiles of so many, where a
// quotient and a remainder by them are what the operand is read by, too; nullopt: irregularly.
std::optional<std::int64_t> step_in_tiles(const Operand& operand, std::size_t iter,
                                          std::int64_t length, const BlockAnalysis& block,
                                          const loop::Func& func);
// Whether tiles of so many along the axis are what the operand is packed by: each lies in a row.
bool lies_in_tiles(const Operand& packed, const Axis& axis, std::int64_t length,
                   const BlockAnalysis& block, const loop::Func& func);

// The elementwise block that may be computed tile by tile with this reduction.
std::optional<std::string> epilogue_of(const loop::Func& func, const std::string& reduction);

}  // namespace loopglass::schedule
