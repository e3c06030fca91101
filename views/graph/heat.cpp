#include "views/graph/heat.h"

#include "core/runtime/timing_words.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/theme.h"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <set>

namespace loopglass::views {
namespace {

// What adds up, and what makes the value of it.
struct Amount {
  double value = 0;  // of Speed and Model milliseconds
  double flops = 0;
  double estimate = 0;  // milliseconds
  bool known = false;
};

class Amounts {
 public:
  Amounts(Measure measure, const HeatSources& sources) : measure_(measure), sources_(sources) {
    if (sources.plan && sources.timings && is_timed(measure)) add_timed_kernels();
    if (sources.plan && sources.memory && measure == Measure::Memory)
      for (std::size_t k = 0;
           k < std::min(sources.memory->live.size(), sources.plan->groups.size()); ++k)
        of_group_[sources.plan->groups[k].id] = {static_cast<double>(sources.memory->live[k]), 0, 0,
                                                 true};
    if (of_group_.empty()) return;
    for (const graph::NodePtr& node : sources.graph->nodes()) {
      const fusion::GroupId group = sources.group_of(*node);
      if (!group.valid() || !of_group_.contains(group)) continue;
      const bool anchor = sources.plan->group(group).anchor == node->id;
      if (anchor || !bearer_.contains(group)) bearer_[group] = node->id;
    }
  }

  Amount of(graph::NodeId id) const {
    const graph::Node* node = sources_.graph->find(id);
    if (!node) return {};
    if (measure_ == Measure::Bytes) return {static_cast<double>(bytes_of(*node)), 0, 0, true};
    const auto known = of_group_.find(sources_.group_of(*node));
    return known == of_group_.end() ? Amount{} : known->second;
  }
  bool bears(graph::NodeId id) const {
    if (measure_ == Measure::Bytes) return true;
    const graph::Node* node = sources_.graph->find(id);
    if (!node) return false;
    const auto known = bearer_.find(sources_.group_of(*node));
    return known != bearer_.end() && known->second == id;
  }
  Amount sum(const std::vector<graph::NodeId>& nodes) const {
    Amount sum;
    for (const graph::NodeId node : nodes) {
      if (!bears(node)) continue;
      const Amount amount = of(node);
      sum.known |= amount.known;
      sum.flops += amount.flops;
      sum.estimate += amount.estimate;
      // What is alive during a part is what is alive at its fullest.
      sum.value = measure_ == Measure::Memory ? std::max(sum.value, amount.value)
                                              : sum.value + amount.value;
    }
    return sum;
  }
  double value(const Amount& amount) const {
    const auto per_millisecond = [&](double what) {
      return amount.value > 0 ? what / amount.value : 0;
    };
    if (measure_ == Measure::Speed) return per_millisecond(amount.flops) * 1e-6;
    return measure_ == Measure::Model ? per_millisecond(amount.estimate) : amount.value;
  }

 private:
  void add_timed_kernels() {
    for (const runtime::KernelTiming& kernel : sources_.timings->kernels)
      if (!kernel.is_view && !kernel.missing)
        of_group_[kernel.group] = {kernel.time.median_ms, static_cast<double>(kernel.flops), 0,
                                   true};
    if (measure_ != Measure::Model) return;
    if (!sources_.estimates || sources_.timings->threads != 1) return of_group_.clear();
    for (std::size_t k = 0; k < sources_.plan->groups.size(); ++k)
      if (const auto timed = of_group_.find(sources_.plan->groups[k].id); timed != of_group_.end())
        timed->second.estimate = sources_.estimates->costs[k].total * 1e-3;
  }

  std::int64_t bytes_of(const graph::Node& node) const {
    std::int64_t bytes = 0;
    for (const graph::ValueId output : node.outputs)
      if (const graph::Value* value = sources_.graph->find(output); value && value->type.is_known())
        bytes += value->type.bytes();
    return bytes;
  }

  Measure measure_;
  const HeatSources& sources_;
  std::unordered_map<fusion::GroupId, Amount> of_group_;
  std::unordered_map<fusion::GroupId, graph::NodeId> bearer_;
};

}  // namespace

QString measure_name(Measure measure) {
  switch (measure) {
    case Measure::Family: return QObject::tr("Operator families");
    case Measure::Time: return QObject::tr("Time");
    case Measure::Speed: return QObject::tr("GFLOP/s");
    case Measure::Model: return QObject::tr("Estimated over measured");
    case Measure::Bytes: return QObject::tr("Bytes of results");
    case Measure::Memory: return QObject::tr("Bytes alive");
  }
  __builtin_unreachable();
}

std::string measure_key(Measure measure) {
  switch (measure) {
    case Measure::Family: return "families";
    case Measure::Time: return "time";
    case Measure::Speed: return "speed";
    case Measure::Model: return "model";
    case Measure::Bytes: return "bytes";
    case Measure::Memory: return "memory";
  }
  __builtin_unreachable();
}

QString measure_doc(Measure measure) {
  switch (measure) {
    case Measure::Family: return QObject::tr("What kind of operator a box is");
    case Measure::Time:
      return QObject::tr(
          "Median time of its kernels, as the benchmark measured them, and their share");
    case Measure::Speed: return QObject::tr("Arithmetic of its kernels over their time");
    case Measure::Model:
      return QObject::tr(
          "What the cost model says of its kernels over their measured time, both on one thread: "
          "too much in warm colours, too little in cold ones");
    case Measure::Bytes:
      return QObject::tr(
          "What its operators make, fused or not; edges are as wide as what they carry");
    case Measure::Memory: return QObject::tr("Intermediates alive while it runs, at the fullest");
  }
  __builtin_unreachable();
}

QString measured_text(Measure measure, double value) {
  switch (measure) {
    case Measure::Family: return {};
    case Measure::Time: return QString::fromStdString(readable_time(Milliseconds(value)));
    case Measure::Speed:
      return value > 0 ? QString::fromStdString(readable_speed(value)) : QObject::tr("–");
    case Measure::Model: return QObject::tr("× %1").arg(value, 0, 'g', 2);
    case Measure::Bytes:
    case Measure::Memory:
      return QString::fromStdString(readable_bytes(static_cast<std::int64_t>(value)));
  }
  __builtin_unreachable();
}

QString scale_text(Measure measure, double greatest, double part) {
  if (measure != Measure::Model)
    return part > 0 ? measured_text(measure, part * greatest) : QStringLiteral("0");
  return measured_text(measure, std::pow(greatest, part));
}

bool goes_both_ways(Measure measure) { return measure == Measure::Model; }

bool is_timed(Measure measure) {
  return measure == Measure::Time || measure == Measure::Speed || measure == Measure::Model;
}

Heat heat_of(const Drawn& drawn, Measure measure, const HeatSources& sources, double at_least) {
  Heat heat;
  if (measure == Measure::Family || !sources.graph) return heat;
  const Amounts amounts(measure, sources);
  struct Value {
    double value;
    bool says_it;
  };
  std::vector<std::pair<std::uint32_t, Value>> values;
  for (std::uint32_t box = 0; box < drawn.content.entities.size(); ++box) {
    if (drawn.canvas.nodes[box].ghost) continue;
    if (const auto* part = std::get_if<FoldedPart>(&drawn.content.entities[box])) {
      const Amount sum = amounts.sum(nodes_of(drawn.content, *part));
      if (sum.known) values.push_back({box, {amounts.value(sum), true}});
    } else if (const auto* node = std::get_if<graph::NodeId>(&drawn.content.entities[box])) {
      const Amount amount = amounts.of(*node);
      if (amount.known) values.push_back({box, {amounts.value(amount), amounts.bears(*node)}});
    }
  }
  // Of all kernels, as everywhere: another step may have no operator of some of them.
  if (measure == Measure::Time && sources.timings && !values.empty())
    heat.total = runtime::sum_of_kernels(*sources.timings);
  // A model that is off by so much is as wrong one way as the other.
  const auto weight = [&](double value) {
    if (measure != Measure::Model) return value;
    return value > 0 ? std::max(value, 1 / value) : 1;
  };
  const auto part = [&](double value) {
    if (measure == Measure::Model)
      return heat.greatest > 1 && value > 0 ? std::log(value) / std::log(heat.greatest) : 0;
    return heat.greatest > 0 ? value / heat.greatest : 0;
  };
  if (!values.empty()) heat.greatest = at_least;
  for (const auto& [box, value] : values)
    heat.greatest = std::max(heat.greatest, weight(value.value));
  for (const auto& [box, value] : values) {
    QString word;
    if (value.says_it) {
      word = measured_text(measure, value.value);
      if (heat.total > 0)
        word += QObject::tr(" · %1 %").arg(100 * value.value / heat.total, 0, 'f', 1);
    }
    heat.boxes[box] = {theme().heat(part(value.value)), word};
  }
  return heat;
}

void add_heat(const Drawn& drawn, Measure measure, const HeatSources& sources,
              CanvasOverlay& overlay, double at_least) {
  if (measure == Measure::Family || !sources.graph) return;
  overlay.heats = heat_of(drawn, measure, sources, at_least).boxes;
  if (measure != Measure::Bytes) return;
  overlay.edges.resize(drawn.canvas.edges.size());
  std::vector<std::int64_t> carried(drawn.canvas.edges.size());
  for (std::uint32_t e = 0; e < carried.size(); ++e)
    if (const graph::Value* value = sources.graph->find(drawn.content.edge_values[e]);
        value && value->type.is_known())
      carried[e] = value->type.bytes();
  const std::int64_t most = carried.empty() ? 0 : *std::ranges::max_element(carried);
  for (std::uint32_t e = 0; e < carried.size(); ++e)
    if (carried[e] > 0) overlay.edges[e].width = width_of_bytes(carried[e], most);
}

double width_of_bytes(std::int64_t bytes, std::int64_t most) {
  constexpr double least = 1, greatest = 12;
  if (most <= 0) return least;
  return least +
         (greatest - least) * std::sqrt(static_cast<double>(bytes) / static_cast<double>(most));
}

}  // namespace loopglass::views
