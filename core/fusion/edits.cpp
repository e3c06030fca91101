#include "core/fusion/edits.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "core/support/check.h"
#include "core/support/closest.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <map>

namespace loopglass::fusion {

namespace {

constexpr std::array kinds{Edit::Kind::Merge, Edit::Kind::Split, Edit::Kind::Pin};

bool is_identifier(const std::string& word) {
  TextCursor cursor(word);
  const auto read = cursor.accept_identifier();
  return read && *read == word;
}

std::string to_word(const std::string& name) { return is_identifier(name) ? name : quote(name); }

Result<std::string> parse_word(TextCursor& cursor) {
  if (cursor.peek() == '"') return cursor.quoted();
  return cursor.identifier();
}

Result<Edit> parse_edit(TextCursor& cursor) {
  for (const Edit::Kind kind : kinds) {
    if (!cursor.accept(name(kind))) continue;
    Edit edit{kind, {}};
    do {
      edit.nodes.push_back(TRY(parse_word(cursor)));
      if (std::ranges::count(edit.nodes, edit.nodes.back()) > 1)
        return cursor.error(fmt::format("'{}' is named twice", edit.nodes.back()));
    } while (cursor.accept(","));
    if (kind == Edit::Kind::Merge && edit.nodes.size() < 2)
      return cursor.error("expected ',' and a second operator to merge with");
    return edit;
  }
  const std::size_t here = cursor.position();
  const bool is_base = cursor.accept("base");
  cursor.rewind(here);
  return cursor.error(is_base ? "the base stands before all edits"
                              : "expected merge, split or pin");
}

Result<std::size_t> find_operator(const graph::Graph& graph, std::string_view name,
                                  const std::string& where) {
  if (const graph::Node* node = graph.find_node(name)) return graph.position(node->id);
  std::vector<std::string> names;
  for (const graph::NodePtr& node : graph.nodes()) names.push_back(node->name);
  return fail(Code::GraphEntityUnknown,
              fmt::format("the optimised graph has no operator '{}'", name), where,
              did_you_mean(name, names));
}

// The partition while it is edited.
class HandPartition {
 public:
  HandPartition(const BlockRules& rules, const Plan& base, const EditScript& script,
                const PlanOptions& options)
      : rules_(rules),
        graph_(rules.graph()),
        base_(base),
        script_(script),
        options_(options),
        is_pinned_(graph_.nodes().size()) {
    std::vector<std::size_t> part;
    for (const graph::NodePtr& node : graph_.nodes()) part.push_back(base.group_of(node->id).value);
    partition_.emplace(rules_, part);
  }

  Result<Plan> operator()() {
    for (const Edit& edit : script_.edits) TRY_VOID(apply(edit));
    Plan plan = TRY(plan_of_partition(graph_, "manual", partition_->blocks(), rules_.kinds()));
    if (script_.edits.empty()) plan.optimality = base_.optimality;
    plan.events = base_.events;
    plan.events.insert(plan.events.end(), events_.begin(), events_.end());
    record(plan);
    return plan;
  }

 private:
  const std::string& name(std::size_t node) const { return graph_.nodes()[node]->name; }

  std::unexpected<Diagnostic> refused(const Edit& edit, const Refusal& refusal) const {
    return fail(
        Code::PlanInvalid,
        fmt::format("{}: {} ({})", to_text(edit), refusal.sentence, fusion::name(refusal.reason)),
        refusal.condition);
  }

  Result<void> apply(const Edit& edit) {
    std::vector<std::size_t> nodes;
    for (const std::string& word : edit.nodes)
      nodes.push_back(TRY(find_operator(graph_, word, to_text(edit))));
    switch (edit.kind) {
      case Edit::Kind::Merge: return merge(edit, nodes);
      case Edit::Kind::Split:
        for (const std::size_t node : nodes) TRY_VOID(split(edit, node));
        return {};
      case Edit::Kind::Pin:
        for (const std::size_t node : nodes)
          for (const std::size_t member : partition_->nodes_of(partition_->block_of(node)))
            is_pinned_[member] = true;
        return {};
    }
    throw InternalError("kind of edit outside its enumeration");
  }

  std::optional<Refusal> refuse_pinned(std::size_t node) const {
    if (!is_pinned_[node]) return std::nullopt;
    return Refusal{Reason::Pinned,
                   fmt::format("pinned(group of {}) = yes, must be no", name(node)),
                   fmt::format("The kernel of {} was pinned and stays as it is.", name(node)),
                   {}};
  }

  std::optional<Refusal> refuse_merge(std::size_t a, std::size_t b) const {
    if (partition_->is_forbidden(a, b, options_.constraints))
      return Refusal{Reason::ForcedApart,
                     "forbidden by hand = yes, must be no",
                     "Two of their operators were asked not to be fused.",
                     {}};
    return partition_->refuse_forced(a, b);
  }

  // One after the other, in whichever order every step is legal.
  Result<void> merge(const Edit& edit, const std::vector<std::size_t>& nodes) {
    std::vector<std::size_t> waiting;
    for (const std::size_t node : nodes)
      if (std::find(waiting.begin(), waiting.end(), partition_->block_of(node)) == waiting.end())
        waiting.push_back(partition_->block_of(node));
    if (waiting.size() > 1)
      for (const std::size_t node : nodes)
        if (const auto refusal = refuse_pinned(node)) return refused(edit, *refusal);
    std::size_t grown = waiting.front();
    waiting.erase(waiting.begin());
    while (!waiting.empty()) {
      std::optional<Refusal> first;
      const auto next = std::find_if(waiting.begin(), waiting.end(), [&](std::size_t block) {
        auto refusal = refuse_merge(grown, block);
        if (refusal && !first) first = refusal;
        return !refusal;
      });
      if (next == waiting.end()) return refused(edit, *first);
      grown = partition_->merge(grown, *next);
      waiting.erase(next);
    }
    tell(PlanEvent::Kind::Merge, nodes, Reason::Fused, fmt::format("By hand: {}.", to_text(edit)));
    return {};
  }

  // What remains of a group need not hang together without the operator; and what needs the
  // operator cannot be one kernel with what the operator needs.
  Result<void> split(const Edit& edit, std::size_t node) {
    const std::vector<std::size_t> members = partition_->nodes_of(partition_->block_of(node));
    if (members.size() == 1) return {};
    if (const auto refusal = refuse_pinned(node)) return refused(edit, *refusal);
    std::vector<std::size_t> part = partition_->blocks();
    std::size_t fresh = part.size();  // blocks bear numbers of nodes, so these are free
    for (const std::vector<std::size_t>& piece : pieces_without(node, members)) {
      if (piece.size() > 1)
        if (const auto refusal = rules_.refuse(piece);
            refusal && refusal->reason != Reason::WorkingSet)
          return refused(edit, *refusal);
      for (const std::size_t member : piece) part[member] = fresh;
      ++fresh;
    }
    part[node] = fresh;
    for (const Edge& edge : options_.constraints.forced)
      if (part[graph_.position(edge.producer)] != part[graph_.position(edge.consumer)])
        return fail(Code::PlanInvalid,
                    fmt::format("{}: {} and {} were asked to share a kernel", to_text(edit),
                                graph_.node(edge.producer).name, graph_.node(edge.consumer).name));
    partition_.emplace(rules_, part);
    for (const std::size_t member : members)
      for (const std::size_t reader : rules_.successors(member))
        if (std::ranges::binary_search(members, reader) && part[member] != part[reader])
          parted_[{member, reader}] = node;
    tell(PlanEvent::Kind::Refuse, {node}, Reason::SplitByHand,
         fmt::format("By hand: {} leaves its group.", name(node)));
    return {};
  }

  std::vector<std::vector<std::size_t>> pieces_without(
      std::size_t node, const std::vector<std::size_t>& members) const {
    std::vector<std::size_t> rest, later{node};
    for (const std::size_t member : members) {
      if (member == node) continue;
      rest.push_back(member);
      const auto& producers = rules_.predecessors(member);
      if (std::any_of(producers.begin(), producers.end(), [&](std::size_t producer) {
            return std::find(later.begin(), later.end(), producer) != later.end();
          }))
        later.push_back(member);
    }
    std::sort(later.begin(), later.end());
    std::vector<std::vector<std::size_t>> pieces;
    for (const auto& piece : components(rest)) {
      const auto reads = [&](std::size_t a, std::size_t b) {
        return std::ranges::binary_search(rules_.predecessors(a), b);
      };
      const bool before =
          std::ranges::any_of(piece, [&](std::size_t member) { return reads(node, member); });
      const bool after =
          std::ranges::any_of(piece, [&](std::size_t member) { return reads(member, node); });
      if (!before || !after) {
        pieces.push_back(piece);
        continue;
      }
      std::vector<std::size_t> needed, needing;
      for (const std::size_t member : piece)
        (std::ranges::binary_search(later, member) ? needing : needed).push_back(member);
      for (const auto& half : {needed, needing})
        for (auto& part : components(half)) pieces.push_back(std::move(part));
    }
    return pieces;
  }

  // Of the nodes, those that hang together by edges among them; ascending all.
  std::vector<std::vector<std::size_t>> components(const std::vector<std::size_t>& nodes) const {
    std::vector<std::vector<std::size_t>> found;
    std::vector<std::size_t> left = nodes;
    while (!left.empty()) {
      std::vector<std::size_t> piece{left.front()};
      left.erase(left.begin());
      for (std::size_t i = 0; i < piece.size(); ++i)
        for (const auto* edges : {&rules_.successors(piece[i]), &rules_.predecessors(piece[i])})
          for (const std::size_t other : *edges)
            if (std::erase(left, other) > 0) piece.push_back(other);
      std::sort(piece.begin(), piece.end());
      found.push_back(std::move(piece));
    }
    return found;
  }

  void tell(PlanEvent::Kind kind, const std::vector<std::size_t>& nodes, Reason reason,
            std::string sentence) {
    if (!options_.record_events) return;
    PlanEvent event{kind, {}, reason, std::move(sentence), {}};
    for (const std::size_t node : nodes) event.nodes.push_back(graph_.nodes()[node]->id);
    events_.push_back(std::move(event));
  }

  // What the base had apart and still is keeps the base's reason.
  void record(Plan& plan) const {
    std::map<Edge, const Decision*> before;
    for (const Decision& decision : base_.decisions)
      before.emplace(Edge{decision.producer, decision.consumer}, &decision);
    const auto as_before = [&](const Edge& edge) {
      const Decision& known = *before.at(edge);
      Refusal kept{known.reason, known.condition, known.sentence, known.numbers};
      std::erase_if(kept.numbers,
                    [](const auto& number) { return number.first == "bytes"; });  // recorded anew
      return kept;
    };
    const auto why_not = [&](const Edge& edge) {
      if (const auto cut =
              parted_.find({graph_.position(edge.producer), graph_.position(edge.consumer)});
          cut != parted_.end())
        return Refusal{
            Reason::SplitByHand,
            fmt::format("split {}", name(cut->second)),
            fmt::format("{} was taken out of the group of both by hand.", name(cut->second)),
            {}};
      return as_before(edge);
    };
    record_decisions(plan, graph_, options_, why_not, [&](const Edge& edge) {
      if (before.at(edge)->fused) return as_before(edge);
      return Refusal{Reason::Fused,
                     "merged by hand = yes",
                     "Both run in one kernel: they were merged by hand.",
                     {}};
    });
    for (Decision& decision : plan.decisions)
      if (decision.fused && !before.at({decision.producer, decision.consumer})->fused)
        decision.forced = true;
  }

  const BlockRules& rules_;
  const graph::Graph& graph_;
  const Plan& base_;
  const EditScript& script_;
  const PlanOptions& options_;
  std::optional<PartitionBuilder> partition_;  // always there; made anew where a group falls apart
  std::vector<bool> is_pinned_;
  // The edges that a split cut, and the operator that it took out.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> parted_;
  std::vector<PlanEvent> events_;
};

}  // namespace

std::string_view name(Edit::Kind kind) {
  switch (kind) {
    case Edit::Kind::Merge: return "merge";
    case Edit::Kind::Split: return "split";
    case Edit::Kind::Pin: return "pin";
  }
  throw InternalError("kind of edit outside its enumeration");
}

Result<EditScript> parse_edits(std::string_view text) {
  TextCursor cursor(text);
  EditScript script;
  if (cursor.accept("base")) script.base = TRY(parse_word(cursor));
  while (!cursor.at_end()) script.edits.push_back(TRY(parse_edit(cursor)));
  return script;
}

std::string to_text(const Edit& edit) {
  std::vector<std::string> words;
  for (const std::string& node : edit.nodes) words.push_back(to_word(node));
  return fmt::format("{} {}", name(edit.kind), fmt::join(words, ", "));
}

std::string to_text(const EditScript& script) {
  std::string text = script.base.empty() ? "" : fmt::format("base {}\n", to_word(script.base));
  for (const Edit& edit : script.edits) text += to_text(edit) + "\n";
  return text;
}

Result<Plan> apply_edits(const BlockRules& rules, const Plan& base, const EditScript& script,
                         const PlanOptions& options) {
  return HandPartition(rules, base, script, options)();
}

bool reads(const graph::Graph& graph, graph::NodeId producer, graph::NodeId consumer) {
  return std::ranges::any_of(graph.node(producer).outputs, [&](graph::ValueId value) {
    return std::ranges::any_of(graph.uses(value),
                               [&](const graph::Graph::Use& use) { return use.node == consumer; });
  });
}

// Names may have colons: of all places to part them at, the first where there is such an edge, else
// such operators.
Result<Edge> find_edge(const graph::Graph& graph, std::string_view text) {
  const std::string where(text);
  const std::string form = "an edge is written PRODUCER:CONSUMER, by the names of two operators";
  const std::size_t first = text.find(':');
  const graph::Node *producer = nullptr, *consumer = nullptr;
  for (std::size_t colon = first; colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const graph::Node* from = graph.find_node(text.substr(0, colon));
    const graph::Node* to = graph.find_node(text.substr(colon + 1));
    if (from == nullptr || to == nullptr) continue;
    if (reads(graph, from->id, to->id)) return Edge{from->id, to->id};
    if (producer == nullptr) std::tie(producer, consumer) = std::tie(from, to);
  }
  if (consumer == nullptr) {
    const bool has_ends =
        first != std::string_view::npos && text.front() != ':' && text.back() != ':';
    if (!has_ends) return fail(Code::UsageInvalid, fmt::format("'{}' is no edge", text), {}, form);
    const std::size_t from = TRY(find_operator(graph, text.substr(0, first), where));
    const std::size_t to = TRY(find_operator(graph, text.substr(first + 1), where));
    producer = graph.nodes()[from].get();
    consumer = graph.nodes()[to].get();
  }
  if (reads(graph, producer->id, consumer->id)) return Edge{producer->id, consumer->id};
  std::vector<std::string> readers;
  for (const graph::ValueId value : producer->outputs)
    for (const graph::Graph::Use& use : graph.uses(value))
      readers.push_back(graph.node(use.node).name);
  return fail(Code::GraphEntityUnknown,
              fmt::format("{} does not read what {} computes", consumer->name, producer->name),
              where,
              readers.empty() ? "nothing reads it"
                              : fmt::format("it is read by {}", fmt::join(readers, ", ")));
}

}  // namespace loopglass::fusion
