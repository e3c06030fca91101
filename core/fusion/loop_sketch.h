// Loop nests in miniature: the loops of an operator as its tensor expressions have them, before
// they are tiled, and how each walks over one tensor that the nest writes or reads. What finishes a
// sum at its own places (a bias) is in the nest of the sum.
#pragma once

#include "core/fusion/plan.h"
#include "core/te/te.h"

namespace loopglass::fusion {

// How a loop of a nest walks over a tensor; of several loads the last of these that any of them
// does.
enum class Walk : std::uint8_t {
  None,       // the nest does not touch the tensor
  Once,       // one iteration
  Elements,   // each iteration is at other elements, in a dimension that the loop walks alone
  Repeats,    // each iteration is at the same elements as the one before
  Window,     // the loop slides a window with another, or walks within it: oh + kh
  Elsewhere,  // by an index that is none of these: a shape that changes, data that says where
};
std::string_view name(Walk walk);         // "window"
std::string_view explanation(Walk walk);  // a sentence for the legend

struct SketchedLoop {
  std::string role;                    // "oc", as loops are called everywhere (te/axis_roles.h)
  std::optional<std::int64_t> extent;  // nothing: not known
  bool reduction = false;
  Walk walk = Walk::None;
};

struct SketchedNest {
  std::string tensor = {};               // that it computes, as the kernel's expressions call it
  std::vector<SketchedLoop> loops = {};  // outermost first
  // Writes the tensor in question, or reads it or what is made of its elements.
  bool touches = false;
};

// The names of the loops of some operators, which lend them to one another: a Relu that reads a
// convolution has its n, oc, oh, ow.
class LoopNames {
 public:
  // In topological order.
  LoopNames(const graph::Graph& graph, const std::vector<graph::NodeId>& nodes);

  struct Stage {
    std::string tensor;
    std::vector<std::string> roles;  // of its axes, then of its reduction axes
  };
  // For each stage of the operator's program.
  std::vector<Stage> of(graph::NodeId node, const te::Program& program) const;

 private:
  static std::vector<Stage> stages_of(const te::Program& program);

  std::unordered_map<graph::NodeId, std::vector<Stage>> names_;
};

// The nests of an operator in their order, with how they walk over a value that it gives or takes.
// None: it hands on its operand. Fails where the operator has no loops that are known.
Result<std::vector<SketchedNest>> sketch(const graph::Graph& graph, graph::NodeId node,
                                         graph::ValueId value, const LoopNames& names);

}  // namespace loopglass::fusion
