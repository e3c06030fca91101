// How an operator reads one of its operands: what its results take of that operand alone, whatever
// else they read. An edge of the graph is of this kind, where an operator is of the greatest kind
// of any of its operands.
#pragma once

#include "core/fusion/pattern_kind.h"

#include <unordered_map>

namespace loopglass::fusion {

// Of all operands of one program, whose loads are looked through once.
class OperandReads {
 public:
  explicit OperandReads(const te::Program& program);  // which must outlive it

  // Elementwise: out[i] reads in[i] alone. Broadcast: the operand in order, repeated along axes
  // that it has not. Injective: at other places, or at several. CommReduce: summed, each element
  // read once. OutElementwiseFusable: summed, and elements or sums are read again. Nothing: no
  // element is read.
  std::optional<PatternKind> kind(const std::string& input) const;

  // How often the loops read an element of the operand: none more often than this, and, where it is
  // more than 1, some at least twice. Nothing where data says what is read (Gather), or where the
  // index maps are too much to be looked through.
  std::optional<std::int64_t> most(const std::string& input) const;

  // The loads of a stage that differ, by what they load from.
  using LoadsOf = std::unordered_map<std::string, std::vector<expr::Load>>;

 private:
  const te::Program& program_;
  std::vector<LoadsOf> loads_;  // one per stage
};

// Element k of the result, in the order of memory, is made of element k of the operand, and of no
// other of it. `kind` is the operand's.
bool reads_in_order(PatternKind kind, std::int64_t operand_elements, std::int64_t result_elements);

}  // namespace loopglass::fusion
