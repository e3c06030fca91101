#include "core/loop/nest_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loopglass::loop {

std::string_view nest_word_sentence(std::string_view word) {
  using Row = std::pair<std::string_view, std::string_view>;
  static constexpr std::string_view block_axis =
      "Each iteration is a block of a GPU's launch; elsewhere the outermost is shared among the "
      "threads and the others run in sequence.";
  static constexpr std::string_view thread_axis =
      "Each iteration is a thread of a GPU's block; elsewhere they run in sequence.";
  static constexpr std::array rows{
      Row{"func", "A whole kernel: its name, its buffers, its loops."},
      Row{"input", "A buffer that the kernel reads: an operand."},
      Row{"output", "A buffer that the kernel writes: a result."},
      Row{"for", "A loop: the variable, where it begins and where it ends."},
      Row{"in",
          "The values that a loop's variable takes: from the first up to, not with, the last."},
      Row{"loops", "Of a schedule: the loops around a block, outermost first."},
      Row{"block",
          "One computation with its own indices, whatever loops surround it; dependences are "
          "between blocks."},
      Row{"reduce", "An index that results are summed, or otherwise combined, over."},
      Row{"reads", "The elements that one iteration of the block reads."},
      Row{"writes", "The elements that one iteration of the block writes."},
      Row{"where",
          "Only these iterations compute anything; the others lie beyond the edge of a tile."},
      Row{"init", "What an element holds before the first term of its reduction."},
      Row{"from", "The nodes of the graph that this computes, by number."},
      Row{"vectorized", "Iterations run at once, in the lanes of vector registers."},
      Row{"unrolled", "Iterations are written one after another, without a jump between them."},
      Row{"parallel", "Iterations are shared among the threads."},
      Row{"blockIdx.x", block_axis},
      Row{"blockIdx.y", block_axis},
      Row{"blockIdx.z", block_axis},
      Row{"threadIdx.x", thread_axis},
      Row{"threadIdx.y", thread_axis},
      Row{"threadIdx.z", thread_axis},
      Row{"vthread",
          "Iterations interleaved as if they were threads, each with registers of its own."},
      Row{"shared", "Memory that the threads of one block of a GPU have in common."},
      Row{"stack", "Memory of the thread that runs the loops inside."},
      Row{"register", "Small enough to be kept in registers while it is used."},
      Row{"workspace", "Memory of the kernel itself, between its loop nests."},
      Row{"packed",
          "A constant whose elements are rearranged once, before the first run, in the order they "
          "are read in."},
      Row{"constant", "A weight: known when the kernel is compiled."},
      Row{"alloc", "Memory that lives as long as the loops inside."},
      Row{"prefetch",
          "Asks for the cache line of an element that will be read soon; computes nothing."},
      Row{"intrinsic",
          "The nest from this loop inwards is left to an instruction of the machine, or to code "
          "written for it, that computes the same."},
      Row{"unroll_count", "How many copies of the loop's body LLVM is to make; 1: the body alone."},
      Row{"stride",
          "Rows of the buffer are to be made longer: a dimension, a factor and what the step "
          "between rows is more than a multiple of it."},
      Row{"contract",
          "A product may round together with the sum that takes it, in one instruction."},
      Row{"function", "From here on, machine code is a function of its own."},
      Row{"floordiv", "Division of integers, rounded down."},
      Row{"floormod",
          "What is left of a division that rounds down; never negative where the divisor is "
          "positive."},
      Row{"select", "The second operand where the first holds, else the third."}};
  const auto found = std::ranges::find(rows, word, &Row::first);
  return found == rows.end() ? std::string_view() : found->second;
}

}  // namespace loopglass::loop
