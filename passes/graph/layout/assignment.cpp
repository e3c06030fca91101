#include "passes/graph/layout/assignment.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace loopglass::passes::layout {

namespace {

// Orders of preference: the first layout that a variable can have; NCHW after the last.
using Preference = std::vector<Choice>;
const std::vector<Preference>& preferences() {
  using enum Choice;
  static const std::vector<Preference> all{{},
                                           {Nhwc},
                                           {Blocked16},
                                           {Blocked32, Blocked16},
                                           {Blocked32},
                                           {Blocked16, Nhwc},
                                           {Blocked32, Blocked16, Nhwc},
                                           {Blocked32, Nhwc}};
  return all;
}

constexpr double impossible = 1e18;
constexpr double worthwhile = 1e-6;  // microseconds: less is no improvement but rounding
constexpr int most_sweeps = 16;

std::size_t index(Choice choice) { return static_cast<std::size_t>(choice); }

struct Variable {
  Choices choices;
  std::array<double, choice_count> cost{};
  bool has_form = false;
  Choice value = Choice::Nchw;
  std::optional<std::size_t> coupling;
  std::vector<std::size_t> wires;  // each once
  std::vector<std::size_t> reads;  // of them, as often as it reads them

  double own(Choice choice) const { return choices.has(choice) ? cost[index(choice)] : impossible; }
};

// An image: written by a variable or, without one, in NCHW; read by variables and perhaps in NCHW.
struct Wire {
  const TensorType* type;
  std::optional<std::size_t> writer;
  std::vector<std::size_t> readers;
  std::array<std::size_t, choice_count> readers_in{};  // how many read in each layout
};

// The two variables of a dense convolution.
struct Coupling {
  std::size_t input, output;
  double back_to_nchw;
};

class Assignment {
 public:
  Assignment(const graph::Graph& graph, Aim aim, const Machine& machine)
      : graph_(graph), aim_(aim), machine_(machine) {}

  std::vector<Decision> run() {
    find_operators();
    find_wires();
    aim_.forced ? force(*aim_.forced) : optimise();
    std::vector<Decision> decisions;
    for (Member& member : members_)
      if (member.decision.refusal || decided(member)) decisions.push_back(explain(member));
    return decisions;
  }

 private:
  struct Member {
    Decision decision;
    std::size_t input = 0, output = 0;  // variables; the same one unless a dense convolution
  };

  void find_operators() {
    OperatorFinder finder(graph_);
    for (const graph::NodePtr& node : graph_.nodes()) {
      Finding finding = finder.find(*node);
      if (finding.refusal)
        members_.push_back(
            {{{node->id, {}, {}, {}, {}}, std::move(finding.refusal), {}, {}, {}, 0}, 0, 0});
      if (!finding.found) continue;
      const Operator& op = *finding.found;
      const Cost cost = cost_of(graph_, op, machine_);
      const bool two = op.kind == Kind::Convolution;
      const auto coupling = two ? std::optional(couplings_.size()) : std::nullopt;
      if (two) variables_.push_back({op.input, cost.input, true, {}, coupling, {}, {}});
      variables_.push_back({op.output, cost.output, op.has_form(), {}, coupling, {}, {}});
      const std::size_t last = variables_.size() - 1;
      if (two) couplings_.push_back({last - 1, last, cost.back_to_nchw});
      member_of_[node->id] = members_.size();
      members_.push_back({{op, {}, {}, {}, {}, 0}, two ? last - 1 : last, last});
    }
  }

  const Member* member(graph::NodeId id) const {
    const auto found = member_of_.find(id);
    return found == member_of_.end() ? nullptr : &members_[found->second];
  }

  void find_wires() {
    for (const Member& reader : members_) {
      if (reader.decision.refusal) continue;
      const graph::Node& node = graph_.node(reader.decision.op.node);
      for (const std::size_t k : reader.decision.op.images)
        if (!graph_.value(node.inputs[k]).is_constant()) wire(node.inputs[k]);
      wire(node.outputs[0]);
    }
  }

  void wire(graph::ValueId id) {
    if (!wired_.insert(id).second) return;
    const graph::Value& value = graph_.value(id);
    Wire wire{&value.type, {}, {}, {}};
    if (graph_.is_output(id)) ++wire.readers_in[index(Choice::Nchw)];
    if (const Member* writer = value.producer ? member(value.producer) : nullptr)
      wire.writer = writer->output;
    for (const graph::Graph::Use& use : graph_.uses(id)) {
      const Member* reader = member(use.node);
      if (reader != nullptr && std::ranges::count(reader->decision.op.images, use.input) > 0)
        wire.readers.push_back(reader->input);
      ++wire.readers_in[index(Choice::Nchw)];  // where every variable begins
    }
    const std::size_t number = wires_.size();
    if (wire.writer) variables_[*wire.writer].wires.push_back(number);
    for (const std::size_t reader : wire.readers) {
      Variable& variable = variables_[reader];
      variable.reads.push_back(number);
      if (variable.wires.empty() || variable.wires.back() != number)
        variable.wires.push_back(number);
    }
    wires_.push_back(std::move(wire));
  }

  // One transform for each layout it is read in other than that it is written in.
  double cost(const Wire& wire) const {
    const Choice written = wire.writer ? variables_[*wire.writer].value : Choice::Nchw;
    double total = 0;
    for (const Choice choice : all_choices)
      if (wire.readers_in[index(choice)] > 0)
        total += transform_cost(*wire.type, written, choice, machine_);
    return total;
  }

  double cost(const Coupling& coupling) const {
    const bool back = variables_[coupling.input].value != Choice::Nchw &&
                      variables_[coupling.output].value == Choice::Nchw;
    return back ? coupling.back_to_nchw : 0;
  }

  double transforms(const std::vector<std::size_t>& wires) const {
    return std::accumulate(wires.begin(), wires.end(), 0.0,
                           [&](double sum, std::size_t w) { return sum + cost(wires_[w]); });
  }

  void set(Variable& variable, Choice choice) {
    for (const std::size_t w : variable.reads) {
      --wires_[w].readers_in[index(variable.value)];
      ++wires_[w].readers_in[index(choice)];
    }
    variable.value = choice;
  }

  // --- choosing ---------------------------------------------------------------------------------

  void force(Choice choice) {
    for (const Region& region : regions())
      if (std::ranges::any_of(region.variables,
                              [&](std::size_t v) { return variables_[v].has_form; }))
        fill(region, {choice});
  }

  struct Region {
    std::vector<std::size_t> variables, wires, couplings;
  };

  std::vector<Region> regions() const {
    std::vector<std::size_t> root(variables_.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t v) {
      while (root[v] != v) v = root[v] = root[root[v]];
      return v;
    };
    const auto ends = [](const Wire& wire) {
      std::vector<std::size_t> all = wire.readers;
      if (wire.writer) all.push_back(*wire.writer);
      return all;
    };
    for (const Wire& wire : wires_)
      for (const std::size_t end : ends(wire)) root[find(end)] = find(ends(wire)[0]);
    std::vector<Region> regions;
    std::unordered_map<std::size_t, std::size_t> number;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
      const auto [at, fresh] = number.try_emplace(find(v), regions.size());
      if (fresh) regions.emplace_back();
      Region& region = regions[at->second];
      region.variables.push_back(v);
      // Both ends may lie in one region; they are neighbours in the order of variables.
      const auto coupling = variables_[v].coupling;
      if (coupling && (region.couplings.empty() || region.couplings.back() != *coupling))
        region.couplings.push_back(*coupling);
    }
    for (std::size_t w = 0; w < wires_.size(); ++w)
      if (const auto all = ends(wires_[w]); !all.empty())
        regions[number.at(find(all[0]))].wires.push_back(w);
    return regions;
  }

  void optimise() {
    const std::vector<Region> all = regions();
    Region whole;
    for (const Region& region : all) {
      whole.variables.insert(whole.variables.end(), region.variables.begin(),
                             region.variables.end());
      whole.wires.insert(whole.wires.end(), region.wires.begin(), region.wires.end());
    }
    whole.couplings.resize(couplings_.size());
    std::iota(whole.couplings.begin(), whole.couplings.end(), std::size_t{0});
    prefer(whole);
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      bool improved = false;
      for (const Region& region : all) improved = prefer(region) || improved;
      for (std::size_t v = 0; v < variables_.size(); ++v) improved = improve(v) || improved;
      if (!improved) return;
    }
  }

  double cost(const Region& region) const {
    double total = transforms(region.wires);
    for (const std::size_t v : region.variables) total += variables_[v].own(variables_[v].value);
    for (const std::size_t c : region.couplings) total += cost(couplings_[c]);
    return total;
  }

  // Gives each variable the first of these layouts that it can have.
  void fill(const Region& region, const Preference& preference) {
    for (const std::size_t v : region.variables) {
      const auto found = std::ranges::find_if(
          preference, [&](Choice choice) { return variables_[v].choices.has(choice); });
      set(variables_[v], found == preference.end() ? Choice::Nchw : *found);
    }
  }

  // The best order of preference for the region, if it is better than what it has.
  bool prefer(const Region& region) {
    std::vector<Choice> best;
    const auto keep = [&] {
      best.clear();
      for (const std::size_t v : region.variables) best.push_back(variables_[v].value);
    };
    keep();
    double least = cost(region);
    bool improved = false;
    for (const Preference& preference : preferences()) {
      fill(region, preference);
      const double total = cost(region);
      if (total >= least - worthwhile) continue;
      least = total;
      improved = true;
      keep();
    }
    for (std::size_t i = 0; i < best.size(); ++i) set(variables_[region.variables[i]], best[i]);
    return improved;
  }

  double around(const Variable& variable) const {
    return variable.own(variable.value) + transforms(variable.wires) +
           (variable.coupling ? cost(couplings_[*variable.coupling]) : 0);
  }

  bool improve(std::size_t v) {
    Variable& variable = variables_[v];
    const Choice before = variable.value;
    Choice best = before;
    double least = around(variable);
    for (const Choice choice : all_choices) {
      if (choice == before || !variable.choices.has(choice)) continue;
      set(variable, choice);
      if (const double total = around(variable); total < least - worthwhile)
        least = total, best = choice;
    }
    set(variable, best);
    return best != before;
  }

  // --- explaining -------------------------------------------------------------------------------

  // Where no operator has a form, nothing is gained by any layout, and nothing is to be said.
  bool decided(const Member& member) const {
    return member.decision.op.has_form() || variables_[member.output].value != Choice::Nchw;
  }

  Decision explain(Member& member) {
    Decision& decision = member.decision;
    if (decision.refusal) return decision;
    Variable &input = variables_[member.input], &output = variables_[member.output];
    decision.input = input.value;
    decision.output = output.value;
    const auto add = [&](Choice in, Choice out) {
      const bool two = member.input != member.output;
      set(output, out);
      if (two) set(input, in);
      const double coupled = two ? input.own(in) + cost(couplings_[*input.coupling]) : 0;
      decision.alternatives.push_back(
          {in, out, output.own(out) + coupled,
           transforms(output.wires) + (two ? transforms(input.wires) : 0)});
    };
    for (const Choice choice : all_choices) {
      if (!output.choices.has(choice)) continue;
      if (choice == decision.output) decision.chosen = decision.alternatives.size();
      if (choice == decision.output) add(decision.input, decision.output);
      else add(input.choices.has(choice) ? choice : Choice::Nchw, choice);
    }
    set(input, decision.input);
    set(output, decision.output);
    return decision;
  }

  const graph::Graph& graph_;
  Aim aim_;
  const Machine& machine_;
  std::vector<Member> members_;
  std::unordered_map<graph::NodeId, std::size_t> member_of_;
  std::vector<Variable> variables_;
  std::vector<Coupling> couplings_;
  std::vector<Wire> wires_;
  std::unordered_set<graph::ValueId> wired_;
};

}  // namespace

std::vector<Decision> assign(const graph::Graph& graph, Aim aim, const Machine& machine) {
  return Assignment(graph, aim, machine).run();
}

}  // namespace loopglass::passes::layout
