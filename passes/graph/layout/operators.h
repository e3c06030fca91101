// Which operators of a graph may work in which layouts.
#pragma once

#include "core/graph/graph.h"
#include "core/tensor/layout.h"
#include "passes/graph/missed_rewrite.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::passes::layout {

// The layouts there are to choose from for images (N, C, H, W). Blocks are of one and of two cache
// lines of float32, which are as many AVX-512 registers: a tile of a convolution wants two.
enum class Choice : std::uint8_t { Nchw, Nhwc, Blocked16, Blocked32 };
inline constexpr std::size_t choice_count = 4;
inline constexpr std::array<Choice, choice_count> all_choices{Choice::Nchw, Choice::Nhwc,
                                                              Choice::Blocked16, Choice::Blocked32};
const Layout& layout_of(Choice choice);

// A set of choices; NCHW is always in it.
class Choices {
 public:
  constexpr Choices() = default;
  constexpr bool has(Choice choice) const { return bits_ >> static_cast<unsigned>(choice) & 1U; }
  constexpr void add(Choice choice) { bits_ |= 1U << static_cast<unsigned>(choice); }
  constexpr void keep(Choices other) { bits_ &= other.bits_; }
  constexpr bool only_nchw() const { return bits_ == 1; }
  static constexpr Choices all() {
    Choices choices;
    for (const Choice choice : all_choices) choices.add(choice);
    return choices;
  }

 private:
  unsigned bits_ = 1;
};

enum class Kind : std::uint8_t {
  Convolution,           // of dense channels: reads in one layout, writes in another
  DepthwiseConvolution,  // a filter a channel
  GroupedConvolution,
  Window,       // pooling over windows
  WholeImage,   // pooling over whole images
  Elementwise,  // batch normalisation among them
  Concatenation,
};

// An operator that may work in other layouts than NCHW.
struct Operator {
  graph::NodeId node;
  Kind kind;
  Choices input, output;            // the same set, and the same choice, unless a Convolution
  std::vector<std::size_t> images;  // operands that must come in the layout; the others are
                                    // per-channel or single numbers
  bool has_form() const { return kind != Kind::Elementwise && kind != Kind::Concatenation; }
};

// Nothing where the operator has nothing to do with layouts; a refusal where one would expect it
// here and it stays as it is.
struct Finding {
  std::optional<Operator> found;
  std::optional<MissedRewrite> refusal;
};

// Asks about the nodes of one graph; what it learns of one elementwise operator holds for all like
// it.
class OperatorFinder {
 public:
  explicit OperatorFinder(const graph::Graph& graph) : graph_(graph) {}
  Finding find(const graph::Node& node);

 private:
  Finding convolution(const graph::Node& node) const;
  Finding pooling(const graph::Node& node, Kind kind) const;
  Finding elementwise(const graph::Node& node);
  Finding concatenation(const graph::Node& node) const;
  bool is_elementwise(const graph::Node& node);
  const TensorType& type(graph::ValueId id) const { return graph_.value(id).type; }

  const graph::Graph& graph_;
  std::unordered_map<std::string, bool> known_;
};

}  // namespace loopglass::passes::layout
