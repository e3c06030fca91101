// The table of loop passes: from a scheduled nest of blocks to plain loops over flat memory, every
// one of a kind that machine code has, every buffer in its place. Code generation translates what
// comes of the last, and decides nothing.
#include "passes/loop/compact_buffers.h"
#include "passes/loop/contract_products.h"
#include "passes/loop/cut_functions.h"
#include "passes/loop/cut_vectors.h"
#include "passes/loop/demote_loops.h"
#include "passes/loop/expand_lane_buffers.h"
#include "passes/loop/flatten_buffers.h"
#include "passes/loop/limit_unrolling.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/make_init_explicit.h"
#include "passes/loop/match_intrinsics.h"
#include "passes/loop/pad_lanes.h"
#include "passes/loop/peel_predicates.h"
#include "passes/loop/place_allocations.h"
#include "passes/loop/place_workspace.h"
#include "passes/loop/serialize_lanes.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/trim_loops.h"
#include "passes/pipeline.h"

namespace loopglass::passes {

std::vector<pass::FuncPass> loop_passes() {
  return {
      {{"demote-loops",
        "Makes a loop serial where threads or lanes are taken by another one, or are a GPU's.",
        "first: other passes decide by what is parallel and what is a vector"},
       demote_loops,
       demote_loops_words},
      {{"place-allocations",
        "Moves each allocation to the lowest place around all uses of its buffer.",
        "while blocks still say what an iteration writes and reads"},
       place_allocations,
       place_allocations_words},
      {{"make-init-explicit", "Turns the initial value of a reduction into a conditional store.",
        "before the blocks that hold initial values are taken away"},
       make_init_explicit,
       make_init_explicit_words},
      {{"lower-blocks",
        "Replaces iteration variables by what they are bound to, and predicates by conditions.",
        "after the passes that ask what a block means"},
       lower_blocks,
       lower_blocks_words},
      {{"compact-buffers",
        "Shrinks each allocation to the part of it that is touched while it lives.",
        "after lower-blocks, since the new indices speak of the loops around a block"},
       compact_buffers,
       compact_buffers_words},
      {{"expand-lane-buffers",
        "Gives a buffer that a vectorised loop allocates a place for each lane.",
        "after compaction, which shrinks what lanes multiply, and before flattening"},
       expand_lane_buffers,
       expand_lane_buffers_words},
      {{"flatten-buffers", "Gives every buffer one dimension, row-major.",
        "after compaction, which thinks in dimensions, and before the last simplification"},
       flatten_buffers},
      {{"simplify-loops", "Simplifies indices and conditions, and drops loops of one iteration.",
        "after flattening, so that steps across dimensions become plain ones"},
       simplify_loops},
      {{"peel-predicates", "Decides boundary predicates once per tile, outside the hot loops.",
        "because it doubles code, after every pass that would walk that twice"},
       peel_predicates,
       peel_predicates_words},
      {{"trim-loops", "Ends a loop where the condition on all that it does ends.",
        "after peel-predicates, which leaves the tile at an edge by itself"},
       trim_loops,
       trim_loops_words},
      {{"limit-unrolling",
        "Keeps a loop a loop where unrolled it would be too many statements in one place.",
        "after passes that decide by what is to be unrolled, and make copies that count as well"},
       limit_unrolling,
       limit_unrolling_words},
      {{"pad-lanes",
        "Gives rows of registers that are walked by an odd number of lanes room for whole vectors.",
        "before cut-vectors, whose last vector would be stored under a mask, which is memory"},
       pad_lanes,
       pad_lanes_words},
      {{"cut-vectors",
        "Cuts a vectorised loop whose lanes are no power of two into vectors that are.",
        "after limit-unrolling, which counts an odd vector as what is made of it here"},
       cut_vectors,
       cut_vectors_words},
      {{"serialize-lanes",
        "Makes a vectorised loop serial where its lanes would store into one element.",
        "after the passes that make copies of a loop and simplify them anew, which leaves indices "
        "as "
        "code generation takes them"},
       serialize_lanes,
       serialize_lanes_words},
      {{"place-workspace",
        "Puts buffers of one iteration of a parallel loop on its stack, or cuts them out of the "
        "workspace.",
        "after the passes that make copies of an allocation, which need their places as well"},
       place_workspace,
       place_workspace_words},
      {{"match-intrinsics",
        "Leaves a nest to the intrinsic that is noted on it where the two are the same.",
        "after every pass that changes loops, indices and where buffers lie"},
       match_intrinsics,
       match_intrinsics_words},
      {{"contract-products",
        "Lets a product round together with the sum that takes it, in one instruction.",
        "late: what other passes leave of products and sums decides whether there is anything to "
        "allow"},
       contract_products,
       contract_products_words},
      {{"cut-functions",
        "Cuts a kernel of very many loads and stores into functions that are called in turn.",
        "last: copies that other passes make count, and where buffers lie decides what can be "
        "parted"},
       cut_functions,
       cut_functions_words},
  };
}

}  // namespace loopglass::passes
