#include "passes/pipeline.h"

#include "core/fusion/forced.h"
#include "core/machine/host.h"
#include "passes/fusion/dominator.h"
#include "passes/fusion/dynamic_programming.h"
#include "passes/fusion/manual.h"
#include "passes/fusion/mapping.h"
#include "passes/fusion/none.h"
#include "passes/graph/combine_parallel.h"
#include "passes/graph/fold_batch_normalisation.h"
#include "passes/graph/fold_constants.h"
#include "passes/graph/fold_padding.h"
#include "passes/graph/fold_scale_and_bias.h"
#include "passes/graph/fourier_products.h"
#include "passes/graph/integer_products.h"
#include "passes/graph/layout/assign_layouts.h"
#include "passes/graph/materialise_shapes.h"
#include "passes/graph/merge_common_subexpressions.h"
#include "passes/graph/merge_scales.h"
#include "passes/graph/narrow_weights.h"
#include "passes/graph/pair_products.h"
#include "passes/graph/recompute.h"
#include "passes/graph/remove_dead_code.h"
#include "passes/graph/round_operands.h"
#include "passes/graph/rules/engine.h"
#include "passes/graph/subpixel_convolution.h"
#include "passes/graph/winograd.h"
#include "passes/graph/write_loops.h"

namespace loopglass::passes {

std::vector<pass::GraphPass> graph_passes(const Machine& machine) {
  // Of those that weigh by it.
  const auto on_machine = [&](auto* pass) {
    return [pass, machine](const graph::Graph& graph, pass::Report& report) {
      return pass(graph, report, machine);
    };
  };
  return {
      {{"integer-products", "Multiplies dequantised bytes as bytes, and scales the sums.",
        "before constant folding, which would dequantise the weights",
        pass::Numerics::Reassociating},
       integer_products,
       integer_products_words},
      {{"round-operands",
        "Rounds rows to bytes where a model lets its products by weights of few bits do so "
        "(accuracy_level = 4 of MatMulNBits), and that is faster: of at most sixteen, or where the "
        "machine multiplies bytes in fours.",
        "in front of narrow-weights, which makes floats of the weights that are left",
        pass::Numerics::AsAllowed},
       on_machine(round_operands),
       round_operands_words},
      {{"narrow-weights",
        "Reads weights of few bits as bytes where at most four rows are multiplied by them, else "
        "makes floats of them.",
        "after integer-products, which has no use for what they stand for; before constant "
        "folding, which would make floats of all, and behind it, where scales are computed",
        pass::Numerics::Reassociating},
       narrow_weights,
       narrow_weights_words},
      {{"materialise-shapes", "Turns what follows from shapes alone into constants.",
        "at the beginning, because what it makes lets constant folding begin"},
       materialise_shapes,
       materialise_shapes_words},
      {{"fold-constants", "Computes operators whose inputs are all constants.",
        "before the passes that need to see parameters as constants"},
       fold_constants,
       fold_constants_words},
      {{"simplify", "Applies the algebraic rules that change no result.",
        "after constant folding, because most rules ask for a known operand; before the folding of "
        "batch norms, "
        "scales and pads, which look at direct neighbours"},
       simplify,
       simplify_words},
      {{"reassociate",
        "Applies the algebraic rules that hold for real numbers, whose rounding may differ.",
        "after simplify, which leaves less to regroup; before constant folding's next round, which "
        "computes with "
        "the constants that have met",
        pass::Numerics::Reassociating},
       reassociate,
       reassociate_words},
      {{"assume-finite-values",
        "Applies the algebraic rules that infinities and what is not a number would break.",
        "by hand, where the data is known to be finite; beside simplify, for which it opens the "
        "way",
        pass::Numerics::FiniteOnly},
       assume_finite_values,
       assume_finite_values_words},
      {{"merge-common-subexpressions",
        "Computes once what is computed twice, and keeps equal constants once.",
        "after constant folding and whatever brings operators into one form, which make more "
        "things equal"},
       merge_common_subexpressions,
       merge_common_subexpressions_words},
      {{"fold-padding", "Turns a Pad into the pads of the convolution or pooling that reads it.",
        "before batch-norm folding, which asks whether a convolution has pads"},
       fold_padding,
       fold_padding_words},
      {{"fold-batch-norm",
        "Scales batch normalisation into the weights of the convolution or matrix product beside "
        "it.",
        "after constant folding, so that all its parameters are constants",
        pass::Numerics::Reassociating},
       fold_batch_normalisation,
       fold_batch_normalisation_words},
      {{"fold-scale-and-bias", "Scales and adds constants into the weights and biases beside them.",
        "after batch-norm folding, beside whose weights they come to stand",
        pass::Numerics::Reassociating},
       fold_scale_and_bias,
       fold_scale_and_bias_words},
      {{"merge-scales", "Scales and shifts once what constants scale and shift several times.",
        "after batch norms and scales have gone into the weights that stand beside them, for what "
        "is "
        "left",
        pass::Numerics::Reassociating},
       merge_scales,
       merge_scales_words},
      {{"subpixel-convolution",
        "Computes transposed convolutions as convolutions of more filters, without the zeros "
        "between their elements.",
        "after batch norms and scales have gone into the weights, which are laid out anew; before "
        "the passes that choose forms of convolutions"},
       subpixel_convolution,
       subpixel_convolution_words},
      {{"fourier-products",
        "Computes Fourier transforms as products by constant matrices, those of frames as a "
        "convolution, and long ones in two.",
        "after constant folding, so that windows are constants; before the passes that choose "
        "forms "
        "of products and convolutions",
        pass::Numerics::Reassociating},
       fourier_products,
       fourier_products_words},
      {{"pair-products",
        "Multiplies bytes, whose weights are constants, in fours of terms where the machine does, "
        "or "
        "in pairs; as int16, weights take twice the memory.",
        "after constant folding, so that all weights are constants; results are the same to the "
        "last bit"},
       on_machine(pair_products),
       pair_products_words},
      {{"write-loops",
        "Writes as loop nests what a tensor expression can only search for: TopK, ScatterElements "
        "and ScatterND.",
        "after constant folding, which computes those of constants; what is written as loops is a "
        "kernel by itself",
        pass::Numerics::Reassociating},
       write_loops,
       write_loops_words},
      {{"assign-layouts",
        "Chooses for every operator on images the order of its dimensions: NCHW, NHWC or blocks of "
        "channels.",
        "after every pass that looks for operators by name, since those it moves bear another",
        pass::Numerics::Reassociating},
       on_machine(assign_layouts),
       layout_words},
      {{"layout-nhwc", "Puts every operator that can into NHWC, whatever it costs.",
        "in the place of assign-layouts, to see and to compare", pass::Numerics::Reassociating},
       on_machine(layout_nhwc),
       layout_words},
      {{"layout-blocked", "Puts every operator that can into NCHW16c, whatever it costs.",
        "in the place of assign-layouts, to see and to compare", pass::Numerics::Reassociating},
       on_machine(layout_blocked),
       layout_words},
      {{"winograd-f2",
        "Computes 3 x 3 convolutions in tiles of 2 x 2 results, with 2.25 times fewer "
        "multiplications, where that pays.",
        "by hand, where worse rounding does no harm; after assign-layouts, whose layouts it keeps",
        pass::Numerics::Reassociating},
       on_machine(winograd_f2),
       winograd_words},
      {{"winograd-f4",
        "Computes 3 x 3 convolutions in tiles of 4 x 4 results, with 4 times fewer "
        "multiplications, where that pays.",
        "by hand, where worse rounding does no harm; after assign-layouts, whose layouts it keeps",
        pass::Numerics::Reassociating},
       on_machine(winograd_f4),
       winograd_words},
      {{"combine-parallel",
        "Makes products and convolutions of the same input one wider operator, where that pays.",
        "after folding and merging, which bring weights and biases into their last form"},
       on_machine(combine_parallel),
       combine_parallel_words},
      {{"remove-dead-code", "Removes operators and constants that nothing needs.",
        "at the end, because it clears away what the others leave behind"},
       remove_dead_code,
       remove_dead_code_words},
      {{"recompute", "Computes values again near their late uses, under a limit on memory.",
        "last, because its copies are common subexpressions that an earlier pass would merge"},
       on_machine(recompute),
       recompute_words},
  };
}

std::vector<pass::Preset> presets() {
  const std::string until_layouts =
      "integer-products, round-operands, narrow-weights, (materialise-shapes, fold-constants, "
      "simplify, "
      "reassociate, "
      "merge-common-subexpressions, "
      "remove-dead-code)*, "
      "fold-padding, (fold-batch-norm, fold-scale-and-bias)*, merge-scales, (fold-constants)*, "
      "subpixel-convolution, fourier-products, round-operands, narrow-weights, "
      "pair-products, combine-parallel, write-loops, "
      "remove-dead-code, assign-layouts";
  return {
      {"default", "What a network runs with.", until_layouts + ", recompute"},
      {"winograd", "The same with fewer multiplications in 3 x 3 convolutions, and worse rounding.",
       until_layouts + ", winograd-f4, recompute"},
      {"none", "The graph as it was imported.", ""},
      {"canonical", "One form for everything that means the same.",
       "(materialise-shapes, fold-constants, simplify, merge-common-subexpressions, "
       "remove-dead-code)*"},
      {"teaching", "Every pass once, each seen alone.",
       "integer-products, round-operands, narrow-weights, materialise-shapes, fold-constants, "
       "simplify, "
       "reassociate, "
       "assume-finite-values, "
       "merge-common-subexpressions, fold-padding, "
       "fold-batch-norm, fold-scale-and-bias, merge-scales, subpixel-convolution, "
       "fourier-products, "
       "pair-products, "
       "combine-parallel, "
       "write-loops, "
       "assign-layouts, "
       "remove-dead-code, "
       "recompute"},
  };
}

std::vector<fusion::Strategy> fusion_strategies() {
  std::vector<fusion::Strategy> strategies{
      {"dominator",
       "TVM's rules: merge every operator into its post-dominator where kinds and paths allow it; "
       "and attention over long sequences is one kernel.",
       fusion::forcing_last(fuse_by_dominators)},
      {"mapping",
       "DNNFusion's rules: grow from one-to-one operators where the mapping types combine and it "
       "pays.",
       fusion::forcing_last(fuse_by_mapping)},
      {"dp",
       "Dynamic programming over sets of executed operators: the cheapest plan under the cost "
       "model.",
       fusion::forcing_last(fuse_by_dynamic_programming)},
      {"none", "Every operator its own kernel.", fusion::forcing_last(fuse_nothing)},
  };
  strategies.push_back(fuse_by_hand(strategies));
  return strategies;
}

Toolchain toolchain(const Machine& machine) {
  return {graph_passes(machine), fusion_strategies(), loop_passes(), presets(), machine};
}
Toolchain toolchain() { return toolchain(host_machine()); }

}  // namespace loopglass::passes
