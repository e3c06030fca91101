#include "passes/graph/recompute.h"

#include "core/graph/counts.h"
#include "core/runtime/memory_budget.h"
#include "passes/graph/memory_estimate.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace loopglass::passes {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::ValueId;
using runtime::readable_bytes;

constexpr std::size_t longest_chain = 32;       // nodes computed again for one value
constexpr std::size_t attempts_of_a_kind = 12;  // plans made in search of the next rewrite
// Operators planned in all, copies counted: a plan takes time in proportion to them.
constexpr std::size_t most_planned_operators = 1'000'000;

bool is_costly(const graph::Node& node) {
  switch (node.op->family) {
    case ops::Family::Convolution:
    case ops::Family::MatrixProduct:
    case ops::Family::Recurrent: return true;
    default: return false;
  }
}

// A value, the nodes that would compute it again, and from which kernel on it would be read anew.
struct Candidate {
  ValueId value;
  int late = 0;
  std::vector<NodeId> nodes;  // in topological order
  std::int64_t saved = 0;     // bytes, during the fullest kernel
  std::int64_t flops = 0;
  bool costly = false;

  double price() const { return static_cast<double>(flops) / static_cast<double>(saved); }
};

// How bad a plan is: bytes over the limit, summed over kernels, then the arena.
using Badness = std::pair<std::int64_t, std::int64_t>;
Badness badness(const runtime::MemoryPlan& plan, std::int64_t limit) {
  std::int64_t excess = 0;
  for (const std::int64_t live : plan.live) excess += std::max<std::int64_t>(live - limit, 0);
  return {excess, plan.arena_bytes};
}

class Search {
 public:
  Search(const Graph& graph, const MemoryEstimate& estimate) : graph_(graph), estimate_(estimate) {
    for (const runtime::PlannedBuffer& buffer : estimate.memory.buffers)
      buffers_[buffer.value] = &buffer;
  }

  // Best first, costly ones last.
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> found;
    for (const runtime::PlannedBuffer& buffer : estimate_.memory.buffers)
      if (const auto late = next_use_after_peak(buffer)) add_chains(buffer, *late, found);
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
      if (a.costly != b.costly) return b.costly;
      return a.price() != b.price() ? a.price() < b.price() : a.saved > b.saved;
    });
    return found;
  }

 private:
  int kernel_of(NodeId node) const {
    return static_cast<int>(estimate_.groups.membership.at(node).value);
  }

  // For a value that is kept over the fullest kernel and not used in it.
  std::optional<int> next_use_after_peak(const runtime::PlannedBuffer& buffer) const {
    const int peak = estimate_.memory.peak_kernel();
    if (buffer.first >= peak || buffer.last <= peak) return std::nullopt;
    int next = buffer.last;
    for (const Graph::Use& use : graph_.uses(buffer.value)) {
      const int kernel = kernel_of(use.node);
      if (kernel == peak) return std::nullopt;
      if (kernel > peak) next = std::min(next, kernel);
    }
    return next;
  }

  // Longer and longer chains of kernels before the value, as long as what a chain starts from would
  // have to be kept instead.
  void add_chains(const runtime::PlannedBuffer& buffer, int late,
                  std::vector<Candidate>& found) const {
    std::set<NodeId> nodes;
    std::optional<ValueId> wanted = buffer.value;
    while (wanted) {
      add_kernel_part(*wanted, nodes);
      if (nodes.size() > longest_chain || has_opaque(nodes)) return;
      std::int64_t kept = 0;
      wanted = largest_kept(nodes, kept);
      if (kept < buffer.bytes) found.push_back(candidate(buffer, late, nodes, buffer.bytes - kept));
    }
  }

  // What is not known is not done twice.
  bool has_opaque(const std::set<NodeId>& nodes) const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](NodeId id) { return is_opaque(graph_.node(id)); });
  }

  // The nodes of the value's kernel that it depends on.
  void add_kernel_part(ValueId value, std::set<NodeId>& nodes) const {
    const NodeId producer = graph_.value(value).producer;
    std::vector<NodeId> open{producer};
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (!nodes.insert(id).second) continue;
      for (const ValueId input : graph_.node(id).inputs)
        if (input && !buffers_.contains(input))
          if (const NodeId before = graph_.value(input).producer;
              before.valid() && !graph_.is_output(input) &&
              kernel_of(before) == kernel_of(producer))
            open.push_back(before);
    }
  }

  // What the nodes read that is let go before the fullest kernel: bytes to be kept in all, and the
  // largest value among it.
  std::optional<ValueId> largest_kept(const std::set<NodeId>& nodes, std::int64_t& kept) const {
    std::set<ValueId> seen;
    std::optional<ValueId> largest;
    for (const NodeId id : nodes)
      for (const ValueId input : graph_.node(id).inputs) {
        const auto buffer = input ? buffers_.find(input) : buffers_.end();
        if (buffer == buffers_.end() || nodes.contains(graph_.value(input).producer) ||
            !seen.insert(input).second)
          continue;
        if (buffer->second->last >= estimate_.memory.peak_kernel()) continue;
        kept += runtime::aligned(buffer->second->bytes);
        if (!largest || buffer->second->bytes > buffers_.at(*largest)->bytes) largest = input;
      }
    return largest;
  }

  Candidate candidate(const runtime::PlannedBuffer& buffer, int late, const std::set<NodeId>& nodes,
                      std::int64_t saved) const {
    Candidate result{buffer.value, late, {nodes.begin(), nodes.end()}, saved, 0, false};
    std::sort(result.nodes.begin(), result.nodes.end(),
              [&](NodeId a, NodeId b) { return graph_.position(a) < graph_.position(b); });
    for (const NodeId id : nodes) {
      result.flops += flops(graph_, graph_.node(id)).value_or(0);
      result.costly = result.costly || is_costly(graph_.node(id));
    }
    return result;
  }

  const Graph& graph_;
  const MemoryEstimate& estimate_;
  std::map<ValueId, const runtime::PlannedBuffer*> buffers_;
};

struct Rewritten {
  Graph graph;
  pass::Rewrite rewrite;
  std::int64_t flops = 0;  // operations more than before
};

// A value without early uses is not computed twice but later: what nothing reads any more goes.
std::int64_t remove_unread(graph::GraphBuilder& builder, const Graph& graph,
                           const std::vector<NodeId>& nodes) {
  std::int64_t flops = 0;
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    const auto& outputs = builder.node(*id).outputs;
    if (std::any_of(outputs.begin(), outputs.end(),
                    [&](ValueId output) { return builder.is_used(output); }))
      continue;
    flops += graph::flops(graph, graph.node(*id)).value_or(0);
    builder.remove_node(*id);
  }
  return flops;
}

// The node again, reading other values; it takes over the old one's names, users and place among
// the graph's outputs.
Result<NodeId> replace_node(graph::GraphBuilder& builder, NodeId old_id,
                            std::vector<ValueId> inputs) {
  const graph::Node old = builder.node(old_id);
  std::vector<std::string> names;
  for (const ValueId output : old.outputs) names.push_back(builder.value(output).name);
  const NodeId made = TRY(builder.add_node(old.name, *old.op, std::move(inputs), old.attributes,
                                           old.outputs.size(), old.origin, names));
  for (std::size_t i = 0; i < old.outputs.size(); ++i)
    builder.replace_uses(old.outputs[i], builder.output(made, i));
  builder.remove_node(old_id);
  builder.rename(made, old.name);
  for (std::size_t i = 0; i < names.size(); ++i) builder.rename(builder.output(made, i), names[i]);
  return made;
}

Result<Rewritten> apply(const Graph& graph, const MemoryEstimate& estimate,
                        const Candidate& candidate) {
  graph::GraphBuilder builder(graph);
  pass::Rewrite rewrite;
  rewrite.rule = "recompute";
  std::map<ValueId, ValueId> again;
  for (const NodeId id : candidate.nodes) {
    const graph::Node& node = graph.node(id);
    std::vector<ValueId> inputs = node.inputs;
    std::vector<std::string> names;
    for (ValueId& input : inputs)
      if (const auto copy = again.find(input); copy != again.end()) input = copy->second;
    for (const ValueId output : node.outputs) names.push_back(graph.value(output).name + "_again");
    const NodeId made =
        TRY(builder.add_node(node.name + "_again", *node.op, std::move(inputs), node.attributes,
                             node.outputs.size(), node.origin, names));
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      again[node.outputs[i]] = builder.output(made, i);
    rewrite.made.push_back(made.value);
  }
  std::set<std::size_t> readers;  // positions, so in topological order
  for (const Graph::Use& use : graph.uses(candidate.value))
    if (static_cast<int>(estimate.groups.membership.at(use.node).value) >= candidate.late)
      readers.insert(graph.position(use.node));
  for (const std::size_t position : readers) {
    const NodeId reader = graph.nodes()[position]->id;
    std::vector<ValueId> inputs = builder.node(reader).inputs;
    std::replace(inputs.begin(), inputs.end(), candidate.value, again.at(candidate.value));
    rewrite.consumed.push_back(reader.value);
    rewrite.made.push_back(TRY(replace_node(builder, reader, std::move(inputs))).value);
  }
  const std::int64_t flops = candidate.flops - remove_unread(builder, graph, candidate.nodes);
  for (const NodeId id : candidate.nodes)
    if (!builder.find(id)) rewrite.consumed.push_back(id.value);
  const std::string& reader = graph.nodes()[*readers.begin()]->name;
  const bool twice = builder.find(candidate.nodes.back()) != nullptr;
  rewrite.detail = fmt::format(
      "{} is {}, instead of keeping {} through {}.", graph.value(candidate.value).name,
      twice ? fmt::format("computed again for {}, with {} operations more", reader, flops)
            : fmt::format("computed no earlier than {} needs it", reader),
      readable_bytes(candidate.saved),
      estimate.groups.groups[static_cast<std::size_t>(estimate.memory.peak_kernel())].name);
  return Rewritten{TRY(std::move(builder).finish()), std::move(rewrite), flops};
}

// The rewrites of one run, one after another.
class Recomputation {
 public:
  Recomputation(const Graph& graph, std::int64_t limit, pass::Report& report,
                const Machine& machine)
      : graph_(graph), limit_(limit), report_(report), estimator_(machine) {}

  Result<Graph> run() {
    MemoryEstimate estimate = TRY(estimator_.estimate(graph_));
    const std::int64_t before = estimate.memory.arena_bytes;
    remember(before);
    while (estimate.memory.arena_bytes > limit_ && report_.may_rewrite()) {
      if (TRY(improve(estimate))) {
        if (estimate.memory.arena_bytes < best_.arena_bytes) remember(estimate.memory.arena_bytes);
        continue;
      }
      // What came after the smallest arena made some kernels need less, but not the fullest.
      graph_ = best_.graph;
      flops_ = best_.flops;
      report_.rewrites.resize(best_.rewrites);
      conclude(before, best_.arena_bytes);
      return graph_;
    }
    if (estimate.memory.arena_bytes <= limit_) conclude(before, estimate.memory.arena_bytes);
    return graph_;
  }

 private:
  // Makes the first of the best rewrites that the plan honours; false: there is none.
  Result<bool> improve(MemoryEstimate& estimate) {
    std::size_t attempts[2] = {0, 0};
    for (const Candidate& candidate : Search(graph_, estimate).candidates()) {
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "recomputing was cancelled");
      if (attempts[candidate.costly]++ >= attempts_of_a_kind) continue;
      if (planned_ > most_planned_operators) return false;
      planned_ += graph_.nodes().size();
      Rewritten rewritten = TRY(apply(graph_, estimate, candidate));
      MemoryEstimate changed = TRY(estimator_.estimate(rewritten.graph));
      if (badness(changed.memory, limit_) >= badness(estimate.memory, limit_)) continue;
      graph_ = std::move(rewritten.graph);
      estimate = std::move(changed);
      report_.rewrite(std::move(rewritten.rewrite));
      flops_ += rewritten.flops;
      return true;
    }
    return false;
  }

  void conclude(std::int64_t before, std::int64_t after) {
    const bool reached = after <= limit_;
    if (reached && report_.rewrites.empty()) return;
    const std::string change =
        report_.rewrites.empty()
            ? fmt::format("the intermediates take {}", readable_bytes(after))
            : fmt::format("the intermediates take {} instead of {}, for {} operations more",
                          readable_bytes(after), readable_bytes(before), flops_);
    report_.remark({reached ? pass::RemarkKind::Applied : pass::RemarkKind::Missed,
                    reached ? "MEMORY_LIMIT_KEPT" : "MEMORY_LIMIT_NOT_KEPT",
                    graph_.name(),
                    {{"limit", static_cast<double>(limit_)},
                     {"peak_before", static_cast<double>(before)},
                     {"peak_after", static_cast<double>(after)},
                     {"extra_flops", static_cast<double>(flops_)}},
                    reached
                        ? fmt::format("With a limit of {}, {}.", readable_bytes(limit_), change)
                        : fmt::format("The limit of {} cannot be kept: {}, and {}.",
                                      readable_bytes(limit_), change,
                                      planned_ > most_planned_operators
                                          ? "a network of this size is not searched further"
                                          : "computing nothing more again would make it less")});
  }

  void remember(std::int64_t arena_bytes) {
    best_ = {graph_, arena_bytes, flops_, report_.rewrites.size()};
  }

  struct State {
    Graph graph;
    std::int64_t arena_bytes = 0, flops = 0;
    std::size_t rewrites = 0;
  };

  Graph graph_;
  const std::int64_t limit_;
  pass::Report& report_;
  MemoryEstimator estimator_;
  std::int64_t flops_ = 0;   // operations more than at the start
  std::size_t planned_ = 0;  // operators in all plans made so far
  State best_;               // of the smallest arena so far
};

}  // namespace

Result<Graph> recompute(const Graph& graph, pass::Report& report, const Machine& machine) {
  if (!report.settings.memory_limit) return graph;
  auto result = Recomputation(graph, *report.settings.memory_limit, report, machine).run();
  if (result || result.error().code == Code::Cancelled) return result;
  // A network that cannot be planned can still be looked at.
  report.remark({pass::RemarkKind::Missed,
                 "MEMORY_LIMIT_UNPLANNED",
                 graph.name(),
                 {},
                 "The network's memory cannot be planned: " + result.error().what + "."});
  report.rewrites.clear();
  return graph;
}

pass::Words recompute_words() {
  return {
      {pass::Word::Kind::Remark, "MEMORY_LIMIT_KEPT",
       "The intermediates now take no more than --memory-limit, because some are computed twice."},
      {pass::Word::Kind::Remark, "MEMORY_LIMIT_NOT_KEPT",
       "The intermediates take more than --memory-limit, whatever is computed twice."},
      {pass::Word::Kind::Remark, "MEMORY_LIMIT_UNPLANNED",
       "The network's memory cannot be planned, so that nothing is known of --memory-limit."}};
}

}  // namespace loopglass::passes
