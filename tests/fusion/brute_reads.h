// How a program reads one of its inputs, found by running through all its loops: what core/fusion
// derives from index maps, in another way.
#pragma once

#include "core/ops/pattern_kind.h"
#include "core/te/te.h"

#include <optional>
#include <string>

namespace loopglass::test {

struct BruteReads {
  ops::PatternKind kind = ops::PatternKind::Elementwise;
  bool by_data = false;   // some index is data: the kind is at least Injective
  std::int64_t most = 0;  // iterations in which one element of the input is read
};

// Nothing where no element is read. Programs of more iterations than this are refused by
// is_small.
std::optional<BruteReads> brute_reads(const te::Program& program, const std::string& input);
bool is_small(const te::Program& program, std::int64_t most_iterations = 20000);

// Of programs of any size, by looking at some elements: whether element k of the result, in the
// order of memory, is made of element k alone, nothing summed; whether, besides, the shapes are the
// same; and whether some element is read in two iterations.
bool reads_in_order(const te::Program& program, const std::string& input);
bool reads_element_by_element(const te::Program& program, const std::string& input);
bool reads_again(const te::Program& program, const std::string& input);

}  // namespace loopglass::test
