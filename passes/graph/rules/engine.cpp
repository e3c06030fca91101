// A worklist of nodes, producers first. At each node the rules for its operator are tried in the
// order of the tables; the first that applies replaces the node, and what may see the change is put
// back on the list. When the list is empty and something was rewritten, all nodes are gone through
// once more, so that what is left is a fixed point whatever the rules look at.
#include "passes/graph/rules/engine.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <ranges>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace loopglass::passes {

namespace rules {

// Applies rules to one graph.
class Engine {
 public:
  Engine(const graph::Graph& graph, std::span<const Rule* const> rules, pass::Report& report)
      : original_(graph),
        edits_(graph),
        rules_(rules),
        report_(report),
        rewrites_left_(rewrites_per_node * graph.nodes().size() + least_rewrites) {}

  Result<graph::Graph> run() {
    for (const graph::NodePtr& node : original_.nodes()) rank_[node->id] = rank_.size();
    do {
      changed_ = false;
      for (const auto& [id, rank] : rank_) queue_.insert({rank, id});
      TRY_VOID(drain());
    } while (changed_ && report_.may_rewrite() && rewrites_left_ > 0);
    if (rewrites_made_ == 0) return original_;
    return std::move(edits_).finish();
  }

 private:
  // Rules that undo each other are a defect, but no reason to run forever.
  static constexpr std::size_t rewrites_per_node = 32, least_rewrites = 256;
  // How far above a change a rule may look down on it.
  static constexpr int depth_of_rules = 3;

  Result<void> drain() {
    while (!queue_.empty()) {
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "the rewriting of operators was cancelled");
      if (!report_.may_rewrite()) return {};
      const graph::NodeId id = queue_.extract(queue_.begin()).value().second;
      const graph::Node* node = edits_.graph().find(id);
      if (node == nullptr || !edits_.is_needed(*node) || !rewrite(*node)) continue;
      changed_ = true;
      ++rewrites_made_;
      if (--rewrites_left_ > 0) continue;
      report_.remark({pass::RemarkKind::Missed,
                      "RULES_DO_NOT_SETTLE",
                      {},
                      {{"rewrites", static_cast<double>(rewrites_made_)}},
                      "The rules kept finding something to rewrite and were stopped."});
      return {};
    }
    return {};
  }

  bool rewrite(const graph::Node& node) {
    const bool again = settled_.contains(node.id);
    bool wanted = false;
    for (const Rule* rule : rules_for(*node.op)) {
      if (again && rule->local) continue;
      Site site(edits_, node);
      const auto replacement = rule->apply(site);
      if (!replacement) continue;
      if (!can_stand(site, *rule, *replacement)) {
        remove_unneeded(site.made_);
        wanted = true;
        continue;
      }
      replace(site, *rule, *replacement);
      return true;
    }
    if (!wanted) settled_.insert(node.id);
    return false;
  }

  // By operator, so that a node is not asked about rules that cannot concern it.
  const std::vector<const Rule*>& rules_for(const ops::OpDef& op) {
    const auto [found, fresh] = rules_for_.try_emplace(&op);
    if (fresh)
      for (const Rule* rule : rules_)
        if (rule->roots.empty() || std::ranges::find(rule->roots, op.name) != rule->roots.end())
          found->second.push_back(rule);
    return found->second;
  }

  bool can_stand(const Site& site, const Rule& rule, graph::ValueId replacement) {
    const graph::Node& node = site.node_;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const graph::ValueId from = node.outputs[i];
      if (i > 0 && !edits_.graph().is_used(from)) continue;
      const graph::ValueId to = i == 0 ? replacement : stand_in(site, i);
      if (!to) return false;
      CHECK(site.type(from) == site.type(to) && from != to,
            fmt::format("rule {} offers {} for {} at '{}'", rule.name, to_string(site.type(to)),
                        to_string(site.type(from)), node.name));
      if (edits_.graph().can_replace(from, to)) continue;
      if (at_interface_.insert(node.id).second)
        report_.remark({pass::RemarkKind::Missed,
                        "IDENTITY_AT_INTERFACE",
                        node.name,
                        {},
                        fmt::format("{}: {} would join two ends of the network's interface.",
                                    node.name, rule.name)});
      return false;
    }
    return true;
  }

  static graph::ValueId stand_in(const Site& site, std::size_t result) {
    for (const auto& [index, value] : site.stand_ins_)
      if (index == result) return value;
    return {};
  }

  void replace(const Site& site, const Rule& rule, graph::ValueId replacement) {
    const graph::Node node = site.node_;
    pass::Rewrite record{rule.name, {}, {}, explanation(site, rule)};
    const std::string result_name = edits_.graph().value(node.outputs.front()).name;
    for (const graph::ValueId output : node.outputs) queue_users(output, depth_of_rules);
    for (const auto& [result, value] : site.stand_ins_)
      if (edits_.graph().is_used(node.outputs[result]))
        edits_.replace_uses(node.outputs[result], value);
    edits_.replace_uses(node.outputs.front(), replacement);
    for (const graph::NodeId removed : remove_with_operands(node.id))
      record.consumed.push_back(removed.value);
    remove_unneeded(site.made_);
    for (const graph::NodeId made : site.made_) {
      if (edits_.graph().find(made) == nullptr) continue;
      record.made.push_back(made.value);
      rank_[made] = rank_.at(node.id);
      queue_.insert({rank_.at(made), made});
    }
    // What was made in its stead goes by its name.
    const graph::NodeId producer = edits_.graph().value(replacement).producer;
    if (std::ranges::find(site.made_, producer) != site.made_.end()) {
      edits_.rename(producer, node.name);
      edits_.rename(replacement, result_name);
    }
    report_.rewrite(std::move(record));
  }

  static std::string explanation(const Site& site, const Rule& rule) {
    if (!site.explanation_.empty()) return site.explanation_;
    return fmt::format("{} ({}): {} is {}{}{}", site.node_.name, site.node_.op->name, rule.before,
                       rule.after, rule.condition.empty() ? "" : ", ", rule.condition);
  }

  // The node, and operands that nothing else needs; their remaining neighbours may now be the only
  // users of something, and are looked at again.
  std::vector<graph::NodeId> remove_with_operands(graph::NodeId root) {
    std::vector<graph::NodeId> removed, waiting{root};
    while (!waiting.empty()) {
      const graph::NodeId id = waiting.back();
      waiting.pop_back();
      const graph::Node* node = edits_.graph().find(id);
      if (node == nullptr || edits_.is_needed(*node)) continue;
      const std::vector<graph::ValueId> operands = node->inputs;
      edits_.remove_node(id);
      removed.push_back(id);
      for (const graph::ValueId operand : operands) {
        if (!operand) continue;
        const graph::NodeId producer = edits_.graph().value(operand).producer;
        if (!producer) continue;
        waiting.push_back(producer);
        if (edits_.users(operand).size() == 1) queue_users(operand, depth_of_rules);
      }
    }
    return removed;
  }

  // Of what a rule made, last made first.
  void remove_unneeded(const std::vector<graph::NodeId>& made) {
    for (const graph::NodeId id : made | std::views::reverse)
      if (const graph::Node* node = edits_.graph().find(id); node && !edits_.is_needed(*node))
        edits_.remove_node(id);
  }

  void queue_users(graph::ValueId value, int depth) {
    for (const graph::NodeId user : edits_.users(value)) {
      const auto rank = rank_.find(user);
      if (rank == rank_.end()) continue;  // made by the rule at hand
      queue_.insert({rank->second, user});
      if (depth > 1)
        for (const graph::ValueId output : edits_.graph().node(user).outputs)
          queue_users(output, depth - 1);
    }
  }

  const graph::Graph& original_;
  Edits edits_;
  std::span<const Rule* const> rules_;
  pass::Report& report_;
  std::size_t rewrites_left_, rewrites_made_ = 0;
  bool changed_ = false;
  // A node made in another's stead stands at its place in the original order.
  std::unordered_map<graph::NodeId, std::size_t> rank_;
  std::set<std::pair<std::size_t, graph::NodeId>> queue_;
  std::unordered_map<const ops::OpDef*, std::vector<const Rule*>> rules_for_;
  std::unordered_set<graph::NodeId> at_interface_;  // where that was said already
  std::unordered_set<graph::NodeId> settled_;       // no rule wants to replace them as things stand
};

}  // namespace rules

namespace {

Result<graph::Graph> apply_class(const graph::Graph& graph, rules::RuleClass kind,
                                 pass::Report& report) {
  std::vector<const rules::Rule*> chosen;
  for (const rules::Rule& rule : rules::all_rules())
    if (rule.kind == kind) chosen.push_back(&rule);
  return apply_rules(graph, chosen, report);
}

}  // namespace

Result<graph::Graph> apply_rules(const graph::Graph& graph,
                                 std::span<const rules::Rule* const> rules, pass::Report& report) {
  return rules::Engine(graph, rules, report).run();
}

Result<graph::Graph> simplify(const graph::Graph& graph, pass::Report& report) {
  return apply_class(graph, rules::RuleClass::Exact, report);
}

Result<graph::Graph> reassociate(const graph::Graph& graph, pass::Report& report) {
  return apply_class(graph, rules::RuleClass::Reassociating, report);
}

Result<graph::Graph> assume_finite_values(const graph::Graph& graph, pass::Report& report) {
  return apply_class(graph, rules::RuleClass::FiniteOnly, report);
}

namespace {

pass::Words words_of(rules::RuleClass kind) {
  pass::Words words{{pass::Word::Kind::Remark, "RULES_DO_NOT_SETTLE",
                     "The rules kept finding something to rewrite and were stopped."},
                    {pass::Word::Kind::Remark, "IDENTITY_AT_INTERFACE",
                     "An operator that only copies stays, for it would join an input and a result "
                     "of the network, or two results."}};
  for (const rules::Rule& rule : rules::all_rules()) {
    if (rule.kind != kind) continue;
    std::string sentence = fmt::format("{} => {}", rule.before, rule.after);
    if (!rule.condition.empty()) sentence += ", " + rule.condition;
    words.push_back({pass::Word::Kind::Rule, rule.name, std::move(sentence)});
  }
  return words;
}

}  // namespace

pass::Words simplify_words() { return words_of(rules::RuleClass::Exact); }
pass::Words reassociate_words() { return words_of(rules::RuleClass::Reassociating); }
pass::Words assume_finite_values_words() { return words_of(rules::RuleClass::FiniteOnly); }

}  // namespace loopglass::passes
