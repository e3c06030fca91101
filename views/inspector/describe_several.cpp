#include "views/inspector/describe_several.h"

#include "core/graph/counts.h"
#include "core/graph/likeness.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/inspector/operator_rows.h"
#include "views/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loopglass::views {
namespace {

// With what all names begin, by whole parts: "layer1/block.2" of "layer1/block.2/conv" and others.
std::string shared_beginning(const std::vector<graph::NodePtr>& nodes) {
  std::string shared = nodes.front()->name;
  for (const graph::NodePtr& node : nodes) {
    const auto differ =
        std::mismatch(shared.begin(), shared.end(), node->name.begin(), node->name.end()).first;
    shared.erase(differ, shared.end());
  }
  const std::size_t end = shared.find_last_of("/.");
  return shared.substr(0, end == std::string::npos ? 0 : end);
}

struct Amounts {
  std::int64_t flops = 0, bytes = 0;
};

Amounts amounts_of(const graph::Graph& graph, const std::vector<graph::NodePtr>& nodes) {
  Amounts sum;
  std::unordered_map<std::uint64_t, std::int64_t> flops_of;  // networks repeat themselves
  for (const graph::NodePtr& node : nodes) {
    if (!graph.find(node->id)) continue;  // of another step
    const auto [known, is_new] = flops_of.try_emplace(graph::likeness(graph, *node));
    if (is_new) known->second = graph::flops(graph, *node).value_or(0);
    sum.flops += known->second;
    for (const graph::ValueId output : node->outputs)
      if (const graph::Value* value = graph.find(output); value && value->type.is_known())
        sum.bytes += value->type.bytes();
  }
  return sum;
}

// Of kernels that do their main work here.
struct Times {
  std::size_t kernels = 0;
  double milliseconds = 0, of_network = 0;
};

Times measured(const runtime::BenchmarkReport& report, const std::set<fusion::GroupId>& kernels) {
  Times times;
  for (const runtime::KernelTiming& kernel : report.kernels) {
    if (kernel.is_view || kernel.missing) continue;
    times.of_network += kernel.time.median_ms;
    if (!kernels.contains(kernel.group)) continue;
    times.milliseconds += kernel.time.median_ms;
    ++times.kernels;
  }
  return times;
}

Times estimated(const fusion::Plan& plan, const fusion::PlanSummary& summary,
                const std::set<fusion::GroupId>& kernels) {
  Times times;
  for (std::size_t k = 0; k < plan.groups.size(); ++k) {
    const double milliseconds = summary.costs[k].total * 1e-3;
    times.of_network += milliseconds;
    if (!kernels.contains(plan.groups[k].id)) continue;
    times.milliseconds += milliseconds;
    ++times.kernels;
  }
  return times;
}

void time_row(Page& page, const char* name, const Times& times, int blocks) {
  if (times.kernels == 0) return;
  QString text = Page::escape(readable_time(Milliseconds(times.milliseconds)));
  if (times.of_network > 0)
    text += Page::escape(fmt::format(", {:.1f} % of all kernels together",
                                     100 * times.milliseconds / times.of_network));
  if (blocks > 1)
    text += Page::escape(
        fmt::format(", {} a block", readable_time(Milliseconds(times.milliseconds / blocks))));
  page.row(name, text + "<br>" +
                     Page::muted(fmt::format("of {} whose anchor{} here", times.kernels,
                                             times.kernels == 1 ? " is" : "s are")));
}

void cost_rows(Page& page, const Document& document, const std::vector<graph::NodePtr>& nodes,
               int blocks) {
  const auto plan = document.fusion().plan();
  if (plan && !document.fusion().is_guessing()) {
    std::set<graph::NodeId> ids;
    std::set<fusion::GroupId> touched, anchored;
    for (const graph::NodePtr& node : nodes) {
      ids.insert(node->id);
      if (const fusion::GroupId group = document.fusion().group_of(*node); group.valid())
        touched.insert(group);
    }
    for (const fusion::GroupId group : touched)
      if (ids.contains(plan->group(group).anchor)) anchored.insert(group);
    QString kernels = QString::number(anchored.size());
    if (const std::size_t others = touched.size() - anchored.size(); others > 0)
      kernels += Page::muted(fmt::format(", and part of {} whose anchor{} elsewhere", others,
                                         others == 1 ? " is" : "s are"));
    page.row("Kernels", kernels);
    if (const auto report = document.benchmark().report()) {
      time_row(page, "Time", measured(*report, anchored), blocks);
      if (const QString when = document.benchmark().measured_words(); !when.isEmpty())
        page.row("", Page::muted(when.toStdString()));
    } else if (document.cost_model()->is_calibrated())
      time_row(page, "Estimated time", estimated(*plan, *document.fusion().summary(), anchored),
               blocks);
  }
  const Amounts amounts = amounts_of(*document.history().graph(), nodes);
  page.row("Arithmetic",
           QString::fromStdString(readable_flops(static_cast<double>(amounts.flops))));
  page.row("Results", Page::escape(readable_bytes(amounts.bytes)));
}

}  // namespace

void describe_several(Page& page, const Document& document,
                      const std::vector<graph::NodePtr>& nodes,
                      const std::optional<SelectedPart>& part) {
  const auto graph = document.history().graph();
  const int blocks = part ? part->blocks : 1;
  if (part)
    page.title(blocks > 1 ? fmt::format("{} ×{}", part->title, blocks) : part->title,
               Page::chip(theme().raised, theme().text, "fold"));
  else
    page.title(fmt::format("{} operators", nodes.size()),
               Page::chip(theme().raised, theme().text, "selected"));
  page.open_table();
  if (part) {
    QString holds = Page::escape(fmt::format("{} operators", nodes.size()));
    if (blocks > 1)
      holds +=
          "<br>" + Page::muted(fmt::format("{} blocks of {}, alike operator for operator", blocks,
                                           nodes.size() / static_cast<std::size_t>(blocks)));
    page.row("Holds", holds);
  }
  if (const std::string beginning = shared_beginning(nodes);
      part && !beginning.empty() && beginning != part->title)
    page.row("Names begin", Page::code(beginning));
  cost_rows(page, document, nodes, blocks);
  page.close_table();
  list_operators(page, nodes);
  constexpr std::size_t listed = 60;
  page.heading("By name");
  page.open_list();
  for (std::size_t i = 0; i < std::min(listed, nodes.size()); ++i)
    page.item(graph->find(nodes[i]->id) ? node_link(*nodes[i]) : Page::escape(nodes[i]->name));
  if (nodes.size() > listed)
    page.item(Page::muted(fmt::format("and {} more", nodes.size() - listed)));
  page.close_list();
}

}  // namespace loopglass::views
