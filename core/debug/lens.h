// The tensor lens: what flows along the edges of a graph, and where two graphs of a history part.
#pragma once

#include "core/debug/correspondence.h"
#include "core/debug/evaluator.h"

namespace loopglass::debug {

// One tensor in numbers. Statistics are of its finite elements, as doubles, in which integers
// beyond 2^53 are rounded.
struct Summary {
  graph::ValueId value;
  std::string name;
  TensorType type;
  graph::NodeId producer;  // invalid for graph inputs and constants
  bool is_constant = false;
  // The opaque operator that it follows from, or comes from; invalid: none. Then its numbers are
  // made up.
  graph::NodeId opaque;
  // Of a type that nothing here computes with, or too large to hold: there are no numbers at all.
  bool is_unknown = false;
  std::int64_t elements = 0, nan = 0, infinite = 0;  // infinite: of either sign
  double minimum = 0, maximum = 0, mean = 0,
         standard_deviation = 0;        // 0 where no element is finite
  std::vector<std::int64_t> histogram;  // equal bins from minimum to maximum
  Tensor first;                         // the first elements, of rank 1

  std::int64_t finite() const { return elements - nan - infinite; }
};

struct SummaryOptions {
  int bins = 32;
  int first = 16;
};
Summary summarise(const graph::Value& value, const Tensor& tensor,
                  const SummaryOptions& options = {});
// An element exactly as it is: "0.1", "-inf", "9007199254740993", "true".
std::string element_text(const Tensor& tensor, std::int64_t index);

// The wanted values in topological order, inputs and constants first; none wanted: inputs and all
// results of operators.
Result<std::vector<Summary>> look(Evaluator& evaluator, const graph::Graph& graph,
                                  const Inputs& inputs, const std::set<graph::ValueId>& wanted = {},
                                  const SummaryOptions& options = {}, const Control& control = {});

// By how much a value may differ and still be the same: |a - b| <= absolute + relative (|b| + r),
// where r is the root mean square of b's finite elements, since a sum in another order errs by the
// size of its terms, not of its result. Integers and booleans must be equal; NaN equals NaN.
struct Tolerance {
  double absolute = 1e-7, relative = 1e-4;
  double relative_float16 = 1e-2;
};

struct Difference {
  graph::ValueId before, after;
  Match match = Match::Id;
  std::string name_before, name_after;
  TensorType type_before, type_after;
  // The types are known and equal, layouts aside; else nothing below means anything. Elements count
  // in the order of the logical axes.
  bool comparable = true;
  bool diverges = false;  // an element lies outside the tolerance
  std::int64_t elements = 0, outside = 0, bitwise_different = 0;  // outside: beyond the tolerance
  double absolute_error = 0,
         relative_error = 0;  // the largest; relative to |b| + r; infinite against NaN
  std::int64_t worst = -1;    // the element with the largest relative error; -1: all are equal
  double worst_before = 0, worst_after = 0;
  double magnitude = 0;  // r
};
Difference difference(const Tensor& before, const Tensor& after, const Tolerance& tolerance);

struct CompareOptions {
  Tolerance tolerance;
  std::int64_t memory = std::int64_t{1}
                        << 30;  // bytes that may be held to be compared; one value at least
};

struct Comparison {
  std::vector<Difference> values;               // in topological order of the later graph
  std::optional<std::size_t> first_divergence;  // index into `values`
  // Results of operators that have no counterpart.
  std::size_t only_before = 0, only_after = 0;
};

// Evaluates both graphs on the same inputs; several times where the values do not fit the memory.
// Only what the correspondence names is computed and compared: leave out of it what is not of
// interest.
Result<Comparison> compare(Evaluator& evaluator, const graph::Graph& before,
                           const graph::Graph& after, const Correspondence& correspondence,
                           const Inputs& inputs, const CompareOptions& options = {},
                           const Control& control = {});

}  // namespace loopglass::debug
