#include "passes/graph/layout/assign_layouts.h"

#include "passes/graph/layout/rewrite.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::passes {

namespace {

using namespace layout;

std::string name(const Decision::Alternative& alternative) {
  const std::string &in = layout_of(alternative.input).text(),
                    &out = layout_of(alternative.output).text();
  return in == out ? out : fmt::format("{} to {}", in, out);
}

void remark_refusal(pass::Report& report, const graph::Node& node, const MissedRewrite& refusal) {
  report.remark({pass::RemarkKind::Missed, refusal.code, node.name, refusal.numbers, refusal.text});
}

// What each layout was estimated to cost, and so why this one.
void remark_choice(pass::Report& report, const graph::Node& node, const Decision& decision) {
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<std::string> others;
  // By rates that are typical, or measured on other kernels: shares, no times.
  const Decision::Alternative& chosen = decision.alternatives[decision.chosen];
  for (std::size_t a = 0; a < decision.alternatives.size(); ++a) {
    const Decision::Alternative& alternative = decision.alternatives[a];
    numbers.emplace_back(fmt::format("{} us", name(alternative)), alternative.own);
    numbers.emplace_back(fmt::format("{} transforms us", name(alternative)),
                         alternative.transforms);
    if (a != decision.chosen)
      others.push_back(fmt::format("{:.0f} % in {}",
                                   100 * (alternative.own + alternative.transforms) /
                                       std::max(chosen.own + chosen.transforms, 1e-9),
                                   name(alternative)));
  }
  const bool moved = decision.changes();
  std::string text =
      fmt::format("{} {} {}", node.name, moved ? "works in" : "stays in", name(chosen));
  text += others.empty()
              ? "; no other layout is possible."
              : fmt::format(": with the transforms around it estimated at 100 %, against {}.",
                            fmt::join(others, ", "));
  report.remark({moved ? pass::RemarkKind::Applied : pass::RemarkKind::Note,
                 moved ? "LAYOUT_CHOSEN" : "LAYOUT_KEPT", node.name, std::move(numbers),
                 std::move(text)});
}

// Forced, but its channels cannot be cut into the blocks.
void remark_indivisible(pass::Report& report, const graph::Node& node, Choice wanted) {
  const std::int64_t block = layout_of(wanted).block(1);
  report.remark(
      {pass::RemarkKind::Missed,
       "LAYOUT_CHANNELS_INDIVISIBLE",
       node.name,
       {{"block", static_cast<double>(block)}},
       fmt::format("{} stays in NCHW: its channels, or those of a group, are no multiple of {}.",
                   node.name, block)});
}

Result<graph::Graph> run(const graph::Graph& graph, pass::Report& report, Aim aim,
                         const Machine& machine) {
  const std::vector<Decision> decisions = assign(graph, aim, machine);
  for (const Decision& decision : decisions) {
    const graph::Node& node = graph.node(decision.op.node);
    if (decision.refusal) remark_refusal(report, node, *decision.refusal);
    else if (!decision.op.has_form()) continue;  // it follows its neighbours
    else if (!aim.forced) remark_choice(report, node, decision);
    else if (decision.output != *aim.forced) remark_indivisible(report, node, *aim.forced);
  }
  return apply(graph, decisions, report);
}

}  // namespace

Result<graph::Graph> assign_layouts(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine) {
  return run(graph, report, {}, machine);
}

Result<graph::Graph> layout_nhwc(const graph::Graph& graph, pass::Report& report,
                                 const Machine& machine) {
  return run(graph, report, {Choice::Nhwc}, machine);
}

Result<graph::Graph> layout_blocked(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine) {
  return run(graph, report, {Choice::Blocked16}, machine);
}

pass::Words layout_words() {
  return {{pass::Word::Kind::Rule, "into-layout",
           "An operator is replaced by the same one in another layout; what has to be rearranged "
           "is, around it."},
          {pass::Word::Kind::Remark, "LAYOUT_CHOSEN",
           "The operator is faster in this layout, all that has to be rearranged included, as "
           "estimated."},
          {pass::Word::Kind::Remark, "LAYOUT_KEPT",
           "The operator stays in its layout: another one would cost more than it gains, as "
           "estimated."},
          {pass::Word::Kind::Remark, "LAYOUT_CHANNELS_INDIVISIBLE",
           "The operator stays in NCHW, for its channels are no multiple of a block."},
          {pass::Word::Kind::Remark, "LAYOUT_RANK",
           "The operator stays as it is: layouts are chosen for images."},
          {pass::Word::Kind::Remark, "LAYOUT_WEIGHTS_NOT_CONSTANT",
           "The operator stays in NCHW: its weights would have to be rearranged in every run."},
          {pass::Word::Kind::Remark, "LAYOUT_POSITIONS",
           "The operator stays in NCHW: the positions that it gives count in that order."}};
}

}  // namespace loopglass::passes
