// One edge of a plan on a card: all that can be looked at where people argue about it. What is not
// there to be shown has a sentence in its place.
#pragma once

#include "core/fusion/edge_steps.h"
#include "core/fusion/loop_sketch.h"
#include "core/fusion/saving.h"
#include "core/graph/dominators.h"

#include <expected>
#include <functional>
#include <set>

namespace loopglass::fusion {

// The loop nests that a kernel runs one after another, as its schedule makes them.
struct KernelNests {
  struct Nest {
    std::set<graph::NodeId> operators;  // that are computed in it, wholly or in part
    // Those of them whose reductions run in it; nothing: it reduces, but nobody can say for whom.
    std::optional<std::set<graph::NodeId>> reduces = std::set<graph::NodeId>{};
    struct Statement {
      std::set<graph::NodeId> operators;  // that it computes
      std::vector<std::string> loops;     // around it, from the outermost
    };
    std::vector<Statement> statements = {};  // empty: not known
  };
  bool is_view = false;  // it needs no code
  std::vector<Nest> nests;
  // What it takes as it is lowered: what nests hand on, paddings, and tiles that are put together.
  std::int64_t workspace_bytes = 0;
};
using MakeNests = std::function<Result<KernelNests>(GroupId)>;

// How the value of an edge comes to its reader.
enum class Handing : std::uint8_t {
  Memory,   // from one kernel to another
  Nest,     // both are computed in one loop nest
  Nests,    // one nest of a kernel writes it, and another reads it back
  Nothing,  // one of both needs no code
  Unknown,  // the kernel cannot be scheduled
};
std::string_view name(Handing handing);  // "one nest"

// The loops of both ends as they are by themselves, before they are tiled; and those of the nests
// that the schedule makes of both.
struct CardNests {
  std::vector<SketchedNest> producer, consumer;
  Handing handing = Handing::Memory;
  // Of Handing::Nest: each nest that computes both, where one operator gives it its loops; of
  // others the sentence says why they are not here. Nests with the same loops stand here once.
  std::vector<SketchedNest> shared;
  std::optional<std::int64_t> workspace_bytes;  // of the kernel as it is lowered; nothing: of none
  // How often the consumer's nest reads each element of the tensor: as often it would be computed,
  // were it computed where it is read and not kept. Nothing: not known.
  std::optional<double> times_read;
  std::string sentence;  // how the value is handed on, and in what workspace
  std::string missing;   // why there are none; empty: there are
};

// Kinds as TVM's rules go by them: as Relay has them.
struct CardKinds {
  PatternKind producer, consumer, edge;
  std::optional<PatternKind> path;  // nothing: there is no post-dominator
  // How the consumer reads this value by its loops; nothing: no element of it, or its loops are not
  // known.
  std::optional<PatternKind> read;
};

// From the producer to its post-dominator.
struct CardPath {
  struct Stop {
    graph::NodeId node;
    PatternKind kind;                 // of the operator
    std::optional<PatternKind> edge;  // of the edge that leads here; of the first stop nothing
  };
  std::vector<Stop> stops;  // the shortest way over the edge; none: there is no post-dominator
  // All operators on any way, both ends too; in the graph's order.
  std::vector<graph::NodeId> between;
  std::string missing;  // why there is none
};

struct EdgeCard {
  graph::ValueId value;
  graph::NodeId producer, consumer;
  bool fused = false;
  CardNests nests;
  CardKinds kinds;
  CardPath path;
  std::optional<EdgeTraffic> traffic;  // nothing: an end is not known
  EdgeSteps steps;
};

// Cards of one plan's edges. What they have in common is found once.
class EdgeCards {
 public:
  // `told`: the same plan with its events, or one without.
  EdgeCards(std::shared_ptr<const graph::Graph> graph, std::shared_ptr<const Plan> plan,
            std::shared_ptr<const Plan> told);
  EdgeCards(const EdgeCards&) = delete;
  EdgeCards& operator=(const EdgeCards&) = delete;

  // `make_nests` is asked about the kernel of a fused edge.
  EdgeCard operator()(const Decision& decision, const MakeNests& make_nests) const;

  const graph::Graph& graph() const { return *graph_; }
  const std::shared_ptr<const Plan>& plan() const { return plan_; }
  const std::shared_ptr<const Plan>& told() const { return told_; }

 private:
  CardNests nests(const Decision& decision, const MakeNests& make_nests) const;
  void tell_workspace(EdgeCard& card) const;
  void hand_on_apart(const Decision& decision, CardNests& nests) const;
  void hand_on(const Decision& decision, const Result<KernelNests>& made, const LoopNames& names,
               CardNests& nests) const;
  void share(const std::vector<const KernelNests::Nest*>& both, const Decision& decision,
             const LoopNames& names, CardNests& nests) const;
  // Or why it cannot be shown.
  std::expected<SketchedNest, std::string> shared_nest(const KernelNests::Nest& nest,
                                                       const Decision& decision,
                                                       const LoopNames& names) const;
  CardKinds kinds(const Decision& decision, const CardPath& path) const;
  CardPath path(const Decision& decision) const;
  std::string why_no_path(graph::NodeId producer) const;

  std::shared_ptr<const graph::Graph> graph_;
  std::shared_ptr<const Plan> plan_, told_;
  BlockRules rules_;
  EdgeSavings savings_;
  graph::DominatorTree post_dominators_;
};

// A line for each part, indented like the verdict (explain.h) that stands above them. Steps have
// the numbers that `fuse --steps` gives them.
std::string to_text(const EdgeCard& card, const EdgeCards& cards);

// "n 1, oc 6, oh 28, ow 28; sums over ic 1, kh 5, kw 5"
std::string loops_text(const SketchedNest& nest);
// "element by element along oc, oh, ow; again for each of k"; empty where no loop says anything.
std::string walks_text(const SketchedNest& nest);
// How a consumer whose loops are known reads the value (CardKinds::read): "relu1 reads it element
// by element."
std::string read_sentence(std::string_view consumer, std::optional<PatternKind> read);
// How often one loop nest of both would compute each element again, or what it would keep instead;
// empty: nothing.
std::string again_sentence(const EdgeCard& card, const graph::Graph& graph);

}  // namespace loopglass::fusion
