#include "passes/graph/rules/pattern.h"

#include "core/ops/registry.h"
#include "core/support/check.h"
#include "passes/graph/rules/work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::passes::rules {

namespace {

using Kind = Pattern::Kind;

// Tries a pattern at a node, both orders of every commutative operator, until `accept` is content.
class Matcher {
 public:
  explicit Matcher(Site& site) : match_{site, {}, {}} {}

  bool root(const Pattern& pattern, const std::function<bool(const Match&)>& accept) {
    if (match_.site.node().op->name != pattern->name) return false;
    return node(pattern, match_.site.node(), [&] { return accept(match_); });
  }

 private:
  using Then = std::function<bool()>;

  bool value(const Pattern& pattern, graph::ValueId id, const Then& then) {
    if (!id) return false;
    switch (pattern->kind) {
      case Kind::Any: return bind(pattern, id, then);
      case Kind::Computed: return match_.site.constant(id) == nullptr && bind(pattern, id, then);
      case Kind::Constant: return match_.site.constant(id) != nullptr && bind(pattern, id, then);
      case Kind::Number: return match_.site.uniform(id) == pattern->number && then();
      case Kind::Operation: {
        const graph::Node* producer = match_.site.peek(id);
        return producer != nullptr && producer->op->name == pattern->name &&
               node(pattern, *producer, then);
      }
    }
    __builtin_unreachable();
  }

  bool bind(const Pattern& letter, graph::ValueId id, const Then& then) {
    const auto [bound, fresh] = match_.letters.try_emplace(letter->name, id);
    if (!fresh) return bound->second == id && then();
    if (then()) return true;
    match_.letters.erase(letter->name);
    return false;
  }

  bool node(const Pattern& pattern, const graph::Node& node, const Then& then) {
    if (node.inputs.size() != pattern->operands.size()) return false;
    match_.nodes.push_back(&node);
    if (operands(pattern, node, 0, false, then)) return true;
    if (node.op->commutative && node.inputs.size() == 2 && operands(pattern, node, 0, true, then))
      return true;
    match_.nodes.pop_back();
    return false;
  }

  bool operands(const Pattern& pattern, const graph::Node& node, std::size_t index, bool exchanged,
                const Then& then) {
    if (index == node.inputs.size()) return then();
    const std::size_t input = exchanged ? node.inputs.size() - 1 - index : index;
    return value(pattern->operands[index], node.inputs[input],
                 [&] { return operands(pattern, node, index + 1, exchanged, then); });
  }

  Match match_;
};

// What `after` comes to at a match, before anything is made.
struct Plan {
  TensorType type;
  double work = 0;
  bool constant = false;  // needs no data
};

std::optional<Plan> plan(const Pattern& pattern, const Match& match, DataType number_type) {
  switch (pattern->kind) {
    case Kind::Any:
    case Kind::Computed:
    case Kind::Constant: {
      const graph::ValueId value = match[pattern];
      return Plan{match.site.type(value), 0, match.site.constant(value) != nullptr};
    }
    case Kind::Number: return Plan{{number_type, {}}, 0, true};
    case Kind::Operation: break;
  }
  const ops::OpDef* op = ops::find_operator(pattern->name);
  CHECK(op != nullptr, fmt::format("no operator {}", pattern->name));
  Plan whole{.type = {}, .constant = true};
  std::vector<Plan> operands;
  std::vector<const TensorType*> types;
  for (const Pattern& operand : pattern->operands) {
    auto planned = plan(operand, match, number_type);
    if (!planned) return std::nullopt;
    whole.work += planned->work;
    whole.constant = whole.constant && planned->constant;
    operands.push_back(*std::move(planned));
  }
  for (std::size_t i = 0; i < operands.size(); ++i)  // a number is of its neighbours' type
    if (pattern->operands[i]->kind == Kind::Number)
      for (std::size_t j = 0; j < operands.size(); ++j)
        if (pattern->operands[j]->kind != Kind::Number)
          operands[i].type.type = operands[j].type.type;
  for (const Plan& operand : operands) types.push_back(&operand.type);
  ops::Attributes attributes;
  auto inferred = ops::infer(*op, types, attributes, 1);
  if (!inferred) return std::nullopt;
  whole.type = inferred->front();
  if (!whole.constant) whole.work += work_of(*op, types, whole.type);
  return whole;
}

graph::ValueId make(const Pattern& pattern, const Match& match) {
  Site& site = match.site;
  switch (pattern->kind) {
    case Kind::Any:
    case Kind::Computed:
    case Kind::Constant: return match[pattern];
    case Kind::Number: return site.make_filled(site.result_type(), pattern->number);
    case Kind::Operation: break;
  }
  std::vector<graph::ValueId> operands(pattern->operands.size());
  DataType number_type = site.result_type().type;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (pattern->operands[i]->kind == Kind::Number) continue;
    operands[i] = make(pattern->operands[i], match);
    number_type = site.type(operands[i]).type;
  }
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (pattern->operands[i]->kind == Kind::Number)
      operands[i] = site.make_uniform(number_type, pattern->operands[i]->number);
  return site.make_folded(pattern->name, std::move(operands));
}

// The work of the matched operators that go when the root does: those only they themselves need.
double work_saved(const Match& match) {
  std::vector<const graph::Node*> going{match.nodes.front()};
  const auto goes = [&](graph::NodeId id) {
    return std::ranges::any_of(going, [&](const graph::Node* node) { return node->id == id; });
  };
  for (bool more = true; more;) {
    more = false;
    for (const graph::Node* node : match.nodes) {
      if (goes(node->id)) continue;
      if (!std::ranges::all_of(node->outputs, [&](graph::ValueId output) {
            return !match.site.is_output(output) &&
                   std::ranges::all_of(match.site.users(output), goes);
          }))
        continue;
      going.push_back(node);
      more = true;
    }
  }
  double work = 0;
  for (const graph::Node* node : going) {
    std::vector<const TensorType*> operands;
    bool constant = true;
    for (const graph::ValueId input : node->inputs) {
      operands.push_back(input ? &match.site.type(input) : nullptr);
      constant = constant && (!input || match.site.constant(input) != nullptr);
    }
    if (!constant) work += work_of(*node->op, operands, match.site.type(node->outputs.front()));
  }
  return work;
}

std::optional<graph::ValueId> rewrite(Site& site, const Pattern& before, const Pattern& after,
                                      const Terms& terms) {
  std::optional<graph::ValueId> result;
  Matcher(site).root(before, [&](const Match& match) {
    if (!std::ranges::all_of(terms.when,
                             [&](const Condition& condition) { return condition.holds(match); }))
      return false;
    if (after->kind != Kind::Number) {
      const auto planned = plan(after, match, site.result_type().type);
      if (!planned || planned->type != site.result_type()) return false;
      const double saved = work_saved(match);
      if (terms.saves_work ? planned->work >= saved : planned->work > saved) return false;
    }
    for (const graph::Node* node : match.nodes)
      if (node != match.nodes.front()) site.consume(*node);
    result = make(after, match);
    return true;
  });
  return result;
}

// Operators written between their operands or before one, and how tightly they bind.
struct Sign {
  std::string_view text;
  int binding;
};
const std::map<std::string, Sign>& signs() {
  static const std::map<std::string, Sign> table{
      {"Or", {"or", 1}},          {"And", {"and", 2}},        {"Xor", {"xor", 2}},
      {"Not", {"not ", 3}},       {"Equal", {"==", 4}},       {"Less", {"<", 4}},
      {"LessOrEqual", {"<=", 4}}, {"Greater", {">", 4}},      {"GreaterOrEqual", {">=", 4}},
      {"BitwiseOr", {"|", 5}},    {"BitwiseXor", {"xor", 5}}, {"BitwiseAnd", {"&", 6}},
      {"Add", {"+", 7}},          {"Sub", {"-", 7}},          {"Mul", {"*", 8}},
      {"Div", {"/", 8}},          {"Mod", {"mod", 8}},        {"MatMul", {"@", 8}},
      {"Neg", {"-", 9}},          {"BitwiseNot", {"~", 9}},   {"Pow", {"^", 10}}};
  return table;
}

std::string text(const Pattern& pattern, int binding) {
  if (pattern->kind == Kind::Number)
    return pattern->name.empty() ? fmt::format("{}", pattern->number) : pattern->name;
  if (pattern->kind != Kind::Operation) return pattern->name;
  const auto sign = signs().find(pattern->name);
  const std::vector<Pattern>& operands = pattern->operands;
  if (sign == signs().end()) {
    std::vector<std::string> parts;
    for (const Pattern& operand : operands) parts.push_back(text(operand, 0));
    return fmt::format("{}({})", pattern->name, fmt::join(parts, ", "));
  }
  const auto& [symbol, tightness] = sign->second;
  std::string last = text(operands.back(), tightness + 1);
  if (last.starts_with('-')) last = "(" + last + ")";  // no sign after a sign
  const std::string whole =
      operands.size() == 1 ? fmt::format("{}{}", symbol, last)
                           : fmt::format("{} {} {}", text(operands[0], tightness), symbol, last);
  return tightness < binding ? "(" + whole + ")" : whole;
}

Rule rule_of(const Row& row, const Terms& terms, const std::string& suffix) {
  std::vector<std::string> clauses;
  for (const Condition& condition : terms.when) clauses.push_back(condition.text);
  if (terms.saves_work) clauses.push_back("where that is less work");
  if (!terms.because.empty()) clauses.push_back(terms.because);
  return {
      .name = row.name + suffix,
      .before = to_text(row.before),
      .after = to_text(row.after),
      .condition = fmt::format("{}", fmt::join(clauses, "; ")),
      .kind = terms.kind,
      .roots = {row.before->name},
      .apply = [row, terms](Site& site) { return rewrite(site, row.before, row.after, terms); }};
}

const Pattern* first_letter(const Pattern& pattern) {
  if (pattern->kind == Kind::Number) return nullptr;
  if (pattern->kind != Kind::Operation) return &pattern;
  for (const Pattern& operand : pattern->operands)
    if (const Pattern* letter = first_letter(operand)) return letter;
  return nullptr;
}

}  // namespace

Pattern Pattern::truth(bool holds) {
  return Pattern({Kind::Number, holds ? "true" : "false", holds ? 1.0 : 0.0, {}});
}

std::string to_text(const Pattern& pattern) { return text(pattern, 0); }

DataType first_type(const Pattern& pattern, const Match& match) {
  const Pattern* letter = first_letter(pattern);
  CHECK(letter != nullptr, "a pattern without letters");
  return match.site.type(match[*letter]).type;
}

RuleTable table(const std::vector<Row>& rows) {
  RuleTable rules;
  for (const Row& row : rows) {
    if (!row.terms.exact_for_integers) {
      rules.push_back(rule_of(row, row.terms, ""));
      continue;
    }
    const auto has_floats = [before = row.before](const Match& match) {
      return is_float(first_type(before, match));
    };
    Terms inexact = row.terms, exact = row.terms;
    inexact.when.insert(inexact.when.begin(), {"for floating point", has_floats});
    exact.kind = RuleClass::Exact;
    exact.because = {};
    exact.when.insert(exact.when.begin(),
                      {"for integers, which are exact and wrap around",
                       [has_floats](const Match& match) { return !has_floats(match); }});
    rules.push_back(rule_of(row, inexact, ""));
    rules.push_back(rule_of(row, exact, "-integers"));
  }
  return rules;
}

}  // namespace loopglass::passes::rules
