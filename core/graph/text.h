// The graph's text form, which parses back to an equal graph, and its JSON form.
//
//   graph "lenet" {
//     input %image: float32[1x1x28x28]
//     const %bias: float32[2] = [0.5, -1]
//     const %weight: float32[6x1x5x5] = hash 0x1f00c3d2a7b45e61
//     %c: float32[1x6x24x24] = Conv(%image, %weight, _) {pads = [0, 0, 0, 0]} "conv1" from 0, 2
//     output %c
//   }
//
// `_` is an optional input left out; the numbers after `from` are the origin; a name that is not a
// plain word is quoted: %"layer/1:0". What is not known is printed like any operator:
//
//     %y: opaque "float32[?x4]" = Opaque(%x) {code = 2001, operator = "Det", reason = "..."} "det"
#pragma once

#include "core/graph/graph.h"

namespace loopglass::graph {

struct TextOptions {
  // Constants of more elements than this print as `hash 0x...` and are looked up in the graph given
  // to `parse` (they do not stand alone); -1 prints everything in full.
  std::int64_t constant_elements = 16;
  bool defaults = false;  // also attributes that have their default value
};

std::string to_text(const Graph& graph, const TextOptions& options = {});
// `constants` supplies the data of constants printed by hash; may be null when there are none.
Result<Graph> parse(std::string_view text, const Graph* constants = nullptr);

// {"name", "inputs", "outputs",
//  "nodes": [{id, name, operator, opaque, family, inputs, outputs, attributes, origin}],
//  "values": [{id, name, type, shape (null: not known), constant}]}, two-space indented.
std::string to_json(const Graph& graph);

}  // namespace loopglass::graph
