#include "core/glossary_words.h"

#include <array>

namespace loopglass {

namespace {

constexpr std::array words{
    GlossaryWord{"anchor",
                 "The operator whose loop nest a kernel takes: a convolution or a product where "
                 "there is one. The others join its loops."},
    GlossaryWord{"arena",
                 "One block of memory in which all intermediates of a network lie, those at one "
                 "place whose lives do not meet."},
    GlossaryWord{"block",
                 "In a loop nest: what is computed at each iteration, with the regions that it "
                 "reads and writes. Schedules move loops around blocks."},
    GlossaryWord{"ceiling", "What a kernel would take if one roof alone were in its way."},
    GlossaryWord{"CSE",
                 "Common subexpression elimination: what is computed twice alike is computed once. "
                 "The pass is merge-common-subexpressions."},
    GlossaryWord{"dot_pairs",
                 "Two products of int16 in each int32 of a vector, summed: what one instruction "
                 "does (pmaddwd). In kernels of quantised networks."},
    GlossaryWord{"dot_quads",
                 "Four products of a byte without a sign and one with one, summed, in each int32 "
                 "of a vector: one instruction with VNNI (vpdpbusd), else two dot_pairs. In "
                 "kernels of quantised networks."},
    GlossaryWord{"fixed point",
                 "A group of passes in brackets with a star runs until none of them changes "
                 "anything any more."},
    GlossaryWord{
        "FLOP",
        "One operation on numbers, sum or product; a multiply-add is two. GFLOP/s are 10^9 "
        "of them a second, of whole numbers, too, where a kernel computes in these."},
    GlossaryWord{"folding",
                 "Doing when a network is compiled what would be done in every run: of constants, "
                 "of weights, of padding."},
    GlossaryWord{"fused", "On an edge: producer and consumer are in one kernel."},
    GlossaryWord{"fusion",
                 "Putting operators into one kernel, so that what one hands to the next stays in "
                 "registers or near."},
    GlossaryWord{"group", "The operators that one kernel computes, as a fusion plan has them."},
    GlossaryWord{"halo",
                 "What a tile of a consumer that reads by windows needs around the producer's tile "
                 "of the same place."},
    GlossaryWord{"kernel",
                 "A group of operators as one function of machine code, called once in a run."},
    GlossaryWord{
        "kind",
        "How an element of an operator's result depends on elements of an operand, in TVM's order: "
        "Elementwise, Broadcast, Injective, CommReduce, OutElementwiseFusable, Tuple, Opaque."},
    GlossaryWord{"lane",
                 "One element of a vector register, and so one of the iterations that a vectorized "
                 "loop runs at once."},
    GlossaryWord{
        "layout",
        "In which order a tensor's elements lie: NCHW16c has blocks of 16 channels innermost."},
    GlossaryWord{"loop nest",
                 "A kernel as loops around blocks, before and after it is scheduled; lowered, it "
                 "is what machine code is made of."},
    GlossaryWord{"median",
                 "Of times: half of the rounds were faster, half slower. It says what is usual "
                 "where a mean is moved by one disturbance."},
    GlossaryWord{
        "near miss",
        "An edge that is not fused, with the smallest change to the plan that would fuse it."},
    GlossaryWord{"pass",
                 "A step of the compiler, from a graph to a graph or from a loop nest to a loop "
                 "nest, that computes the same."},
    GlossaryWord{"path",
                 "The operators from a producer to its post-dominator; its kind is the highest of "
                 "its edges'."},
    GlossaryWord{"phase",
                 "One of the four rounds of the strategy `dominator`: as in TVM anchors take what "
                 "follows them, then Injective operators join, then producers of tuples; last "
                 "attention's products join the softmax between them, where sequences are long."},
    GlossaryWord{
        "place",
        "A point in the history of the graph passes: a step, or so many rewrites into one."},
    GlossaryWord{
        "post-dominator",
        "Of an operator: the first that lies on every way from it to the network's results."},
    GlossaryWord{"preset", "A pipeline of graph passes by a name: @canonical."},
    GlossaryWord{"quartile",
                 "Of times: a quarter of the rounds were faster than the lower one, a quarter "
                 "slower than the upper one."},
    GlossaryWord{"remark",
                 "What a pass decided about an operator or a buffer, with a code and numbers: "
                 "applied, missed (it wanted to and could not) or a note."},
    GlossaryWord{"rewrite",
                 "One change that a pass makes: operators that go, those that come, and why."},
    GlossaryWord{"roof",
                 "The most that the machine gives: arithmetic in a second, or bytes of one level "
                 "of memory."},
    GlossaryWord{"schedule",
                 "What is done to a kernel's loops without changing what they compute: a script of "
                 "primitives, one a line."},
    GlossaryWord{"spread",
                 "How far apart the quartiles of a measurement are, as a part of the median: what "
                 "is less than that is no difference."},
    GlossaryWord{"step",
                 "The graph, or a kernel's loop nest, after one pass or one line of a schedule; 0 "
                 "is before the first."},
    GlossaryWord{"strategy", "The rules, or the search, by which operators are put into kernels."},
    GlossaryWord{"tile",
                 "A part of an iteration space that is computed together, so that what it reads "
                 "stays near."},
    GlossaryWord{
        "verdict",
        "Why an edge is fused or not, or what binds a kernel: a code, numbers and a sentence."},
    GlossaryWord{"view",
                 "A kernel that needs no code: its results lie ready, or are written in place."},
};

}  // namespace

std::span<const GlossaryWord> glossary_words() { return words; }

}  // namespace loopglass
