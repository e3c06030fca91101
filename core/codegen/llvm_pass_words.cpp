#include "core/codegen/llvm_pass_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loopglass::codegen {

namespace {

using Row = std::pair<std::string_view, std::string_view>;

constexpr std::array rows{
    Row{"emitted",
        "The LLVM IR as it is written from the loop nest, before any pass of LLVM. Where the loop "
        "pass contract-products allows it, floating-point operations are marked `contract`: a "
        "product and the sum that takes it may become one instruction, which rounds once. Nothing "
        "else may round otherwise than the loop nest."},
    Row{"optimised", "The LLVM IR after all passes, from which instructions are selected."},
    Row{"adce", "Removes instructions on which no result depends, whole cycles of them as well."},
    Row{"aggressive-instcombine",
        "Rewrites larger groups of instructions into fewer or cheaper ones."},
    Row{"alignment-from-assumptions",
        "Learns the alignment of pointers from what was promised of them."},
    Row{"always-inline",
        "Puts the bodies of functions that ask for it in the place of their calls."},
    Row{"annotation-remarks", "Reports what annotations asked to be reported; changes nothing."},
    Row{"annotation2metadata", "Turns annotations into metadata."},
    Row{"argpromotion", "Passes values instead of pointers to them."},
    Row{"bdce", "Removes computations of bits that nobody looks at."},
    Row{"called-value-propagation", "Notes which functions an indirect call may reach."},
    Row{"callsite-splitting", "Copies calls into branches where more is known of their arguments."},
    Row{"cg-profile", "Notes how often functions call each other, for the linker."},
    Row{"chr", "Joins branches that go the same way in hot code."},
    Row{"constmerge", "Merges equal constants."},
    Row{"constraint-elimination", "Removes conditions that follow from other conditions."},
    Row{"coro-cleanup", "Finishes the lowering of coroutines; a kernel has none."},
    Row{"coro-early", "Prepares coroutines; a kernel has none."},
    Row{"coro-elide", "Keeps frames of coroutines on the stack; a kernel has none."},
    Row{"coro-split", "Cuts coroutines into functions; a kernel has none."},
    Row{"correlated-propagation", "Uses what conditions say of the ranges of values further down."},
    Row{"deadargelim", "Removes arguments and results that nobody uses."},
    Row{"div-rem-pairs", "Puts a division and a remainder of the same operands together."},
    Row{"dse", "Removes stores that are overwritten before anybody reads them."},
    Row{"early-cse", "Computes equal expressions once, in one cheap walk over the code."},
    Row{"ee-instrument", "Inserts calls for profilers at entry and exit, where asked for."},
    Row{"elim-avail-extern", "Drops bodies of functions that are defined elsewhere."},
    Row{"expand-variadics", "Lowers functions of any number of arguments; a kernel has none."},
    Row{"float2int", "Computes in integers what takes a detour over floating-point numbers."},
    Row{"forceattrs", "Sets attributes that were asked for on the command line."},
    Row{"function-attrs", "Deduces what functions never do: read, write, throw, capture."},
    Row{"globaldce", "Removes functions and variables that nobody uses."},
    Row{"globalopt", "Simplifies global variables that are never read, written or shared."},
    Row{"gvn", "Numbers values, and computes what is equal, or already in memory, only once."},
    Row{"hotcoldsplit", "Moves code that hardly ever runs into functions of its own."},
    Row{"indvars", "Brings the counters of loops into one form, and computes their last values."},
    Row{"infer-alignment",
        "Raises the alignment of loads and stores where the address proves more."},
    Row{"inferattrs", "Notes what known library functions never do."},
    Row{"inject-tli-mappings", "Notes which vector functions stand for scalar ones."},
    Row{"inline", "Puts the body of a function in the place of its call."},
    Row{"inliner-wrapper", "Runs the inliner and the passes that follow it, function by function."},
    Row{"instcombine", "Rewrites instructions by thousands of small algebraic rules."},
    Row{"instsimplify", "Replaces instructions by values that are there already."},
    Row{"ipsccp", "Propagates constants across functions, and removes branches never taken."},
    Row{"jump-threading", "Leads branches whose outcome is known straight to their target."},
    Row{"lcssa",
        "Gives values that leave a loop a name of their own behind it, which other loop passes "
        "rely on."},
    Row{"libcalls-shrinkwrap", "Calls library functions only where their effect is needed."},
    Row{"licm", "Moves out of a loop what is the same in every iteration."},
    Row{"loop-deletion", "Removes loops without effect."},
    Row{"loop-distribute", "Cuts a loop in two so that one can be vectorised."},
    Row{"loop-idiom", "Recognises loops that fill or copy memory."},
    Row{"loop-instsimplify", "Replaces instructions in loops by values that are there already."},
    Row{"loop-load-elim",
        "Hands a value from one iteration to the next in a register instead of through memory."},
    Row{"loop-rotate", "Turns a loop so that its condition comes last: one jump an iteration."},
    Row{"loop-simplify", "Gives every loop one entry, one way back and exits of its own."},
    Row{"loop-simplifycfg", "Removes branches in loops whose outcome is known."},
    Row{"loop-sink", "Moves what a hot loop does not need back into the branch that does."},
    Row{"loop-unroll",
        "Writes several iterations one after another where that pays on this processor."},
    Row{"loop-unroll-full", "Writes all iterations of a short loop one after another."},
    Row{"loop-vectorize",
        "Computes several iterations at once in vector lanes; what a schedule vectorised is done "
        "already."},
    Row{"lower-constant-intrinsics", "Answers what is asked of constants at compile time."},
    Row{"lower-expect", "Turns hints about likely branches into weights."},
    Row{"lowerinvoke", "Lowers calls that may throw; a kernel has none."},
    Row{"mem2reg", "Keeps variables in registers instead of stack slots."},
    Row{"memcpyopt", "Shortens and joins copies and fills of memory."},
    Row{"mergefunc", "Merges functions of equal code."},
    Row{"mergeicmps", "Joins comparisons of neighbouring memory into one."},
    Row{"mldst-motion", "Moves loads and stores that both sides of a branch make out of it."},
    Row{"move-auto-init", "Moves initialisations closer to their use."},
    Row{"move-auto-initialization", "Moves initialisations closer to their use."},
    Row{"openmp-opt", "Optimises OpenMP's calls; a kernel has none."},
    Row{"openmp-opt-cgscc", "Optimises OpenMP's calls; a kernel has none."},
    Row{"reassociate", "Reorders sums and products so that constants and equal terms meet."},
    Row{"recompute-globalsaa", "Works out again which global variables pointers may reach."},
    Row{"rel-lookup-table-converter", "Makes tables of addresses relative."},
    Row{"rpo-function-attrs", "Deduces what functions never do, from callers to callees."},
    Row{"sccp", "Propagates constants, and removes branches never taken."},
    Row{"separate-const-offset-from-gep",
        "Splits constants off addresses, so that several share the rest."},
    Row{"simple-loop-unswitch",
        "Moves a condition that does not change out of a loop, with a copy of it for each answer."},
    Row{"simplifycfg",
        "Merges and removes blocks and branches, and turns small branches into selections."},
    Row{"slp-vectorizer", "Joins equal scalar instructions side by side into vector ones."},
    Row{"speculative-execution", "Runs cheap instructions before the branch that needs them."},
    Row{"sroa", "Cuts stack slots into scalars and keeps these in registers."},
    Row{"strip-dead-prototypes", "Removes declarations that nobody uses."},
    Row{"tailcallelim",
        "Turns calls at a function's end into jumps, and marks those that could be."},
    Row{"transform-warning",
        "Warns of transformations that were asked for and not made; changes nothing."},
    Row{"vector-combine",
        "Joins scalar and vector instructions where that is cheaper on this processor."},
    Row{"verify", "Checks that the IR is well formed; changes nothing."}};

}  // namespace

std::string_view llvm_pass_sentence(std::string_view pass) {
  // With parameters: simplifycfg<bonus-inst-threshold=1>.
  const std::string_view name = pass.substr(0, pass.find('<'));
  const auto found = std::ranges::find(rows, name, &Row::first);
  return found == rows.end() ? std::string_view() : found->second;
}

}  // namespace loopglass::codegen
