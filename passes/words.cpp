#include "passes/words.h"

#include "passes/graph/rules/families.h"

#include <fmt/format.h>
#include <array>

namespace loopglass::passes {

namespace {

using Kind = pass::Word::Kind;

struct Row {
  Kind kind;
  const char *passes, *name, *sentence;
};

constexpr std::array rows{
    Row{Kind::Rule, "materialise-shapes", "shape-to-constant",
        "An operator that asks for a shape is replaced by the shape, which is known."},
    Row{Kind::Rule, "materialise-shapes", "follows-from-shapes",
        "An operator that computes with shapes alone is replaced by its result."},
    Row{Kind::Rule, "fold-constants", "constant-inputs",
        "An operator whose inputs are all constants is replaced by its result."},
    Row{Kind::Remark, "fold-constants, materialise-shapes", "FOLD_GRAPH_OUTPUT",
        "The result could be a constant, but it is one of the network's results, which are "
        "computed by operators."},
    Row{Kind::Remark, "fold-constants, materialise-shapes", "FOLD_TOO_LARGE",
        "The result could be a constant, but computing it now takes more time or memory than it is "
        "worth."},
    Row{Kind::Remark, "fold-constants, materialise-shapes", "FOLD_GROWS",
        "The result could be a constant, but it is much larger than what it is made of, and would "
        "be read from memory."},
    Row{Kind::Rule, "merge-common-subexpressions", "equal-constants",
        "Constants of the same type and the same bits become one."},
    Row{Kind::Rule, "merge-common-subexpressions", "same-operator",
        "Operators of the same kind with the same operands and attributes become one."},
    Row{Kind::Remark, "merge-common-subexpressions", "BOTH_GRAPH_OUTPUTS",
        "Two operators compute the same, but both are results of the network and keep their "
        "names."},
    Row{Kind::Rule, "remove-dead-code", "dead-operator",
        "An operator whose results nothing reads goes."},
    Row{Kind::Rule, "fold-batch-norm", "batch-norm-into-weights",
        "A batch normalisation behind a convolution or product becomes part of its weights and "
        "bias."},
    Row{Kind::Rule, "fold-batch-norm", "batch-norm-into-next-weights",
        "A batch normalisation becomes part of the weights of the convolution or product that "
        "reads it."},
    Row{Kind::Remark, "fold-batch-norm", "STATISTICS_OF_THE_BATCH",
        "The operator normalises by the batch it is given, not by stored numbers."},
    Row{Kind::Remark, "fold-batch-norm", "PARAMETERS_NOT_CONSTANT",
        "Scale, offset, mean or variance are known only when the network runs."},
    Row{Kind::Rule, "fold-scale-and-bias", "scale-and-bias-into-weights",
        "Products and sums by channel behind a convolution or product become part of its weights "
        "and bias."},
    Row{Kind::Rule, "fold-scale-and-bias", "scale-and-bias-into-next-weights",
        "Products and sums by channel become part of the weights of the convolution or product "
        "that reads them."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "INTERMEDIATE_STILL_USED",
        "It cannot become part of the weights, for the result in between is read by others, too."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "PADDING_NOT_SHIFTED",
        "It cannot become part of the weights behind it: these also see padding, which the offsets "
        "leave at zero."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "WEIGHTS_NOT_CONSTANT",
        "The weights that would take it in are known only when the network runs."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "BIAS_NOT_CONSTANT",
        "The bias that would take it in is known only when the network runs."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "NOT_PER_CHANNEL",
        "Its numbers differ along an axis that is not that of the channels, so that no weights can "
        "take them in."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "NO_WEIGHTS_BESIDE",
        "No convolution or product stands beside it that could take it in."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "NOT_FINITE",
        "The weights or the bias that would come of it are infinite or no numbers."},
    Row{Kind::Remark, "fold-batch-norm, fold-scale-and-bias", "UNDERFLOW",
        "The weights that would come of it are too small for their type."},
    Row{Kind::Rule, "fold-padding", "pad-into-window",
        "A Pad becomes part of the pads of the convolution or pooling that reads it."},
    Row{Kind::Remark, "fold-padding", "CROPS",
        "The Pad takes elements away, which pads of a window cannot."},
    Row{Kind::Remark, "fold-padding", "NOT_SPATIAL",
        "The Pad pads an axis along which no window slides."},
    Row{Kind::Remark, "fold-padding", "INTERMEDIATE_STILL_USED",
        "The Pad stays, for what it makes is read by others than the window, too."},
    Row{Kind::Remark, "fold-padding", "NOT_CONSTANT_PADDING",
        "The Pad repeats or mirrors elements instead of writing one number."},
    Row{Kind::Remark, "fold-padding", "PADS_NOT_COUNTED",
        "The pooling counts elements of the data, but not of its own pads: its averages would "
        "change."},
    Row{Kind::Remark, "fold-padding", "PADDING_DIFFERS",
        "The Pad writes another number than the window would."},
    Row{Kind::Remark, "fold-padding", "WINDOW_OF_PADDING",
        "A window would see nothing but padding, whose value then is the result."},
    Row{Kind::Remark, "fold-padding", "WINDOWS_REFUSED",
        "The operator with windows does not take such pads."},
    Row{Kind::Remark, "fold-padding", "WINDOWS_DROPPED",
        "With such pads the operator would have fewer windows, and another shape."},
    Row{Kind::Remark, "combine-parallel", "COMBINED",
        "Products or convolutions of one operand have become one with their weights side by side, "
        "which is estimated to be faster."},
    Row{Kind::Remark, "combine-parallel", "NOT_WORTH_IT",
        "Products or convolutions of one operand stay apart: as one they are not estimated to be "
        "faster."},
    Row{Kind::Rule, "combine-parallel", "side-by-side",
        "Products or convolutions that read the same operand become one with their weights side by "
        "side."},
    Row{Kind::Remark, "recompute", "MEMORY_LIMIT_KEPT",
        "The intermediates now take no more than --memory-limit, because some are computed twice."},
    Row{Kind::Remark, "recompute", "MEMORY_LIMIT_NOT_KEPT",
        "The intermediates take more than --memory-limit, whatever is computed twice."},
    Row{Kind::Remark, "recompute", "MEMORY_LIMIT_UNPLANNED",
        "The network's memory cannot be planned, so that nothing is known of --memory-limit."},
    Row{Kind::Remark, "simplify, reassociate, assume-finite-values", "RULES_DO_NOT_SETTLE",
        "The rules kept finding something to rewrite and were stopped."},
    Row{Kind::Remark, "simplify, reassociate, assume-finite-values", "IDENTITY_AT_INTERFACE",
        "An operator that only copies stays, for it would join an input and a result of the "
        "network, or two results."},
    Row{Kind::Rule, "assign-layouts, layout-nhwc, layout-blocked", "into-layout",
        "An operator is replaced by the same one in another layout; what has to be rearranged is, "
        "around it."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_CHOSEN",
        "The operator is faster in this layout, all that has to be rearranged included, as "
        "estimated."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_KEPT",
        "The operator stays in its layout: another one would cost more than it gains, as "
        "estimated."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_CHANNELS_INDIVISIBLE",
        "The operator stays in NCHW, for its channels are no multiple of a block."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_RANK",
        "The operator stays as it is: layouts are chosen for images."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_WEIGHTS_NOT_CONSTANT",
        "The operator stays in NCHW: its weights would have to be rearranged in every run."},
    Row{Kind::Remark, "assign-layouts, layout-nhwc, layout-blocked", "LAYOUT_POSITIONS",
        "The operator stays in NCHW: the positions that it gives count in that order."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "FILTERED",
        "The convolution is computed by Winograd's minimal filtering, which is estimated to be "
        "faster; its error on random numbers stands beside it."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "NOT_WORTH_IT",
        "The convolution stays: filtering it is not estimated to be faster."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "STRIDES",
        "The convolution stays: filtering is for windows that move by one."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "DILATIONS",
        "The convolution stays: filtering is for windows without gaps."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "GROUPS",
        "The convolution stays: its channels are in groups, too few of them for a product."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "ELEMENT_TYPE",
        "The convolution stays: filtering is for float32."},
    Row{Kind::Remark, "winograd-f2, winograd-f4", "WEIGHTS_NOT_CONSTANT",
        "The convolution stays: its weights would have to be transformed in every run."},
    Row{Kind::Rule, "demote-loops", "block-to-thread",
        "A loop over a GPU's blocks shares them among this machine's threads."},
    Row{Kind::Rule, "demote-loops", "run-serially", "A loop becomes a serial one."},
    Row{Kind::Rule, "demote-loops", "one-lane-is-no-vector",
        "A vectorized loop of one iteration becomes a serial one."},
    Row{Kind::Remark, "demote-loops", "LAUNCH_AXIS",
        "A loop over a GPU's threads runs serially: this machine's threads are given what a GPU's "
        "blocks are."},
    Row{Kind::Remark, "demote-loops", "BLOCKS_ON_THREADS",
        "A GPU's blocks are shared among this machine's threads."},
    Row{Kind::Remark, "demote-loops", "PARALLEL_IN_LANES",
        "A parallel loop runs serially: what is around it is computed in lanes of vectors, on one "
        "thread."},
    Row{Kind::Remark, "demote-loops", "PARALLEL_IN_PARALLEL",
        "A parallel loop runs serially: iterations of a loop around it are shared among the "
        "threads already."},
    Row{Kind::Remark, "demote-loops", "VECTOR_AROUND_VECTOR",
        "A vectorized loop runs serially: the lanes are those of a loop inside it."},
    Row{Kind::Rule, "place-allocations", "enter-loop",
        "A buffer is allocated inside of the loop that alone needs it."},
    Row{Kind::Rule, "make-init-explicit", "init-to-condition",
        "The initial value of a sum becomes a store on the first iteration."},
    Row{Kind::Rule, "lower-blocks", "block-to-statements",
        "A block becomes the statements it stands for, under the condition on its iterations."},
    Row{Kind::Rule, "compact-buffers", "shrink",
        "A buffer keeps only the part that is used at one time."},
    Row{Kind::Rule, "compact-buffers", "pad-rows",
        "Rows of a buffer are made longer, as its note storage_align asks."},
    Row{Kind::Remark, "compact-buffers", "STRIDE_NOT_POSSIBLE",
        "A buffer has no rows that can be made longer as its note asks."},
    Row{Kind::Remark, "compact-buffers", "TOO_LARGE_FOR_STACK",
        "A buffer that was to lie on the stack is too large for it and goes to the workspace."},
    Row{Kind::Rule, "expand-lane-buffers", "expand",
        "A buffer of one vectorized iteration has a place for each lane."},
    Row{Kind::Remark, "expand-lane-buffers", "BUFFER_PER_LANE",
        "A buffer that a vectorized loop allocates has a place for each of its lanes."},
    Row{Kind::Rule, "peel-predicates", "peel",
        "A loop is cut where a condition begins or ceases to hold, so that it is not asked "
        "within."},
    Row{Kind::Remark, "peel-predicates", "PEEL_OVER_BUDGET",
        "A loop is not cut, for it asks more conditions than are worth the code."},
    Row{Kind::Rule, "trim-loops", "trim",
        "A loop ends where the condition on all that it does ends."},
    Row{Kind::Rule, "limit-unrolling", "keep-loop", "A loop that was to be unrolled stays a loop."},
    Row{Kind::Remark, "limit-unrolling", "UNROLL_OVER_BUDGET",
        "A loop is not unrolled: it would be more statements than are worth the code."},
    Row{Kind::Rule, "pad-lanes", "pad", "Rows of a buffer are made as long as whole vectors."},
    Row{Kind::Remark, "pad-lanes", "LANES_PADDED",
        "Rows have room for whole vectors; what the last of them computes beyond the row is never "
        "read."},
    Row{Kind::Rule, "cut-vectors", "cut",
        "A vectorized loop of a length that is no vector's becomes whole vectors and a smaller "
        "rest."},
    Row{Kind::Remark, "cut-vectors", "VECTOR_CUT",
        "A loop's lanes are whole vectors and a rest; how many lanes of the rest are idle stands "
        "beside it."},
    Row{Kind::Rule, "serialize-lanes", "run-serially", "A vectorized loop becomes a serial one."},
    Row{Kind::Remark, "serialize-lanes", "LANES_MEET",
        "A vectorized loop runs serially: its lanes store into one element."},
    Row{Kind::Rule, "place-workspace", "to-stack",
        "A small buffer of one parallel iteration lies on its thread's stack."},
    Row{Kind::Rule, "place-workspace", "one-each",
        "A large buffer of one parallel iteration has a copy in the workspace for each of them."},
    Row{Kind::Rule, "place-workspace", "no-shared-memory",
        "A buffer for the memory that a GPU's threads share lies in the workspace."},
    Row{Kind::Remark, "place-workspace", "ON_THREAD_STACK",
        "A buffer is needed within one iteration of a parallel loop and small: it lies on the "
        "thread's stack."},
    Row{Kind::Remark, "place-workspace", "COPY_PER_ITERATION",
        "A buffer is needed within one iteration of a parallel loop and large: the workspace has a "
        "copy for each iteration."},
    Row{Kind::Remark, "place-workspace", "NO_SHARED_MEMORY",
        "A buffer was to lie in memory that the threads of a GPU's block share; here it is "
        "workspace."},
    Row{Kind::Rule, "match-intrinsics", "call-intrinsic",
        "Loops that a schedule tensorized become one instruction of the machine."},
    Row{Kind::Rule, "match-intrinsics", "drop-intrinsic",
        "Loops that a schedule tensorized stay loops."},
    Row{Kind::Remark, "match-intrinsics", "INTRINSIC",
        "The loops are run by the instruction that the schedule asks for."},
    Row{Kind::Remark, "match-intrinsics", "NO_INTRINSIC",
        "The loops run as loops, for they are not what the instruction computes; why stands beside "
        "it."},
    Row{Kind::Rule, "contract-products", "allow-contraction",
        "A product and the sum that takes it may become one operation that rounds once."},
    Row{Kind::Remark, "contract-products", "CONTRACTS",
        "How many products and sums of a kernel may become one operation that rounds once."},
    Row{Kind::Rule, "cut-functions", "begin-function",
        "From here on a kernel is another function of machine code."},
    Row{Kind::Remark, "cut-functions", "MANY_ACCESSES",
        "A kernel is several functions, for LLVM takes long for one with so many loads and "
        "stores."},
    Row{Kind::Remark, "", "FIXED_POINT_NOT_REACHED",
        "A group of passes still changed something after as many rounds as are allowed, and was "
        "left."},
};

// "x * 1 => x, where ..."
std::string sentence(const rules::Rule& rule) {
  return rule.condition.empty()
             ? fmt::format("{} => {}", rule.before, rule.after)
             : fmt::format("{} => {}, {}", rule.before, rule.after, rule.condition);
}

const char* pass_of(const rules::Rule& rule) {
  switch (rule.kind) {
    case rules::RuleClass::Exact: return "simplify";
    case rules::RuleClass::Reassociating: return "reassociate";
    case rules::RuleClass::FiniteOnly: return "assume-finite-values";
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<pass::Word> words() {
  std::vector<pass::Word> all;
  for (const Row& row : rows) all.push_back({row.kind, row.passes, row.name, row.sentence});
  for (const rules::Rule& rule : rules::all_rules())
    all.push_back({Kind::Rule, pass_of(rule), rule.name, sentence(rule)});
  return all;
}

}  // namespace loopglass::passes
