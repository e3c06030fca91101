// One moment of how a plan came about: who plays which part in it, and what is one kernel by then.
#include "views/graph/plan_overlays.h"
#include "views/text.h"
#include "views/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace loopglass::views {
namespace {

QString translated(const char* source) {
  return QCoreApplication::translate("MomentOverlay", source);
}

// What has become one kernel so far, by a representative.
class Joined {
 public:
  void join(const std::vector<graph::NodeId>& nodes) {
    for (const graph::NodeId node : nodes) parent_[find(node)] = find(nodes.front());
  }
  graph::NodeId find(graph::NodeId node) {
    auto entry = parent_.try_emplace(node, node).first;
    while (entry->second != entry->first) {
      const auto above = parent_.find(entry->second);
      entry->second = above->second;
      entry = above;
    }
    return entry->first;
  }

 private:
  std::unordered_map<graph::NodeId, graph::NodeId> parent_;
};

class MomentOverlay {
 public:
  MomentOverlay(const Drawn& drawn, const fusion::Plan& plan, std::size_t event)
      : drawn_(drawn),
        event_(plan.events[event]),
        nodes_(event_.nodes.begin(), event_.nodes.end()) {
    overlay_.edges.resize(drawn.canvas.edges.size());
    // What the plan will be in the end is not known yet.
    overlay_.clusters.assign(drawn.canvas.clusters.size(), theme().border);
    for (std::size_t i = 0; i <= event; ++i)
      if (plan.events[i].kind == fusion::PlanEvent::Kind::Merge) so_far_.join(plan.events[i].nodes);
  }

  CanvasOverlay make() {
    mark_what_is_joined();
    switch (event_.kind) {
      case fusion::PlanEvent::Kind::Ancestor: ancestor(); break;
      case fusion::PlanEvent::Kind::Phase: break;
      case fusion::PlanEvent::Kind::Path: path(); break;
      case fusion::PlanEvent::Kind::Merge:
        between(nodes_, theme().good, {});
        band(nodes_, theme().good);
        break;
      case fusion::PlanEvent::Kind::Refuse: refuse(); break;
      case fusion::PlanEvent::Kind::Seed:
        role(event_.nodes.front(), theme().accent, translated("seed"));
        break;
      case fusion::PlanEvent::Kind::Expand: frontier(); break;
      case fusion::PlanEvent::Kind::Prune:
        between(nodes_, theme().warning, "✂");
        band(nodes_, theme().warning);
        break;
    }
    return std::move(overlay_);
  }

 private:
  template <class Visit>
  void each_edge(const Visit& visit) {
    for (std::uint32_t e = 0; e < overlay_.edges.size(); ++e) {
      if (drawn_.canvas.edges[e].ghost) continue;
      const graph::NodeId from = drawn_.node(drawn_.canvas.edges[e].from), to = drawn_.consumer(e);
      if (from.valid() && to.valid()) visit(overlay_.edges[e], from, to);
    }
  }

  void mark_what_is_joined() {
    each_edge([&](EdgeMark& mark, graph::NodeId from, graph::NodeId to) {
      if (so_far_.find(from) != so_far_.find(to)) return;
      mark.color = theme().good;
      mark.width = 2.2;
    });
  }

  void light(EdgeMark& mark, const QColor& color, const QString& sign) {
    mark.color = color;
    mark.width = 4;
    mark.sign = sign;
  }

  void between(const std::set<graph::NodeId>& nodes, const QColor& color, const QString& sign) {
    each_edge([&](EdgeMark& mark, graph::NodeId from, graph::NodeId to) {
      if (nodes.contains(from) && nodes.contains(to)) light(mark, color, sign);
    });
  }

  void band(const std::set<graph::NodeId>& nodes, const QColor& color) {
    std::map<graph::NodeId, std::size_t> band_of;
    for (const graph::NodeId node : nodes) band_of[node] = 0;
    std::vector<CanvasBand> bands{band_around(drawn_, nodes, color)};
    add_edges_between(drawn_, bands, band_of);
    if (!bands.front().nodes.empty()) overlay_.bands.push_back(std::move(bands.front()));
  }

  void role(graph::NodeId node, const QColor& color, const QString& word) {
    const auto box = drawn_.content.box_of_node.find(node);
    if (box != drawn_.content.box_of_node.end()) overlay_.roles[box->second] = {color, word};
  }

  double number(std::string_view name) const {
    const auto found = std::find_if(event_.numbers.begin(), event_.numbers.end(),
                                    [&](const auto& number) { return number.first == name; });
    return found == event_.numbers.end() ? 0 : found->second;
  }

  // The node in question, its consumers, the tree nodes climbed over, and where the ways meet.
  void ancestor() {
    const Theme& t = theme();
    const graph::NodeId node = event_.nodes.front();
    for (std::size_t i = 1; i < event_.nodes.size(); ++i) role(event_.nodes[i], t.muted, {});
    std::set<graph::NodeId> way = nodes_;
    if (event_.other.valid()) {
      way.insert(event_.other);
      role(event_.other, t.mark, lca_word());
    }
    each_edge([&](EdgeMark& mark, graph::NodeId from, graph::NodeId to) {
      if (from == node || (way.contains(from) && way.contains(to))) light(mark, t.accent, {});
    });
    role(node, t.accent, translated("in question"));
  }

  QString lca_word() const {
    if (number("consumers seen") < number("consumers")) return translated("LCA so far");
    return number("consumers") > 1 ? translated("LCA: post-dominator")
                                   : translated("post-dominator");
  }

  void path() {
    const Theme& t = theme();
    const bool passed = event_.reason == fusion::Reason::Fused;
    between(nodes_, t.accent, {});
    band(nodes_, passed ? t.accent : t.warning);
    role(event_.nodes.front(), t.accent, translated("from"));
    role(event_.nodes.back(), t.mark, translated("post-dominator"));
    obstacle();
  }

  void refuse() {
    for (const graph::NodeId node : event_.nodes) role(node, theme().warning, {});
    each_edge([&](EdgeMark& mark, graph::NodeId from, graph::NodeId to) {
      if (!nodes_.contains(from) || !nodes_.contains(to)) return;
      light(mark, theme().warning, "✕");
      mark.code = text(fusion::name(event_.reason));
    });
    obstacle();
  }

  void obstacle() {
    if (!event_.other.valid()) return;
    const bool is_end = event_.nodes.size() > 1 && event_.other == event_.nodes.back();
    role(event_.other, theme().warning,
         is_end ? translated("post-dominator: the obstacle") : translated("the obstacle"));
  }

  // What has been executed, the kernel that was the last of it, and the edges that lead on.
  void frontier() {
    const auto last = static_cast<std::size_t>(number("operators in the last kernel"));
    const std::set<graph::NodeId> kernel(
        event_.nodes.begin(),
        event_.nodes.begin() + static_cast<std::ptrdiff_t>(std::min(last, event_.nodes.size())));
    for (const graph::NodeId node : event_.nodes) role(node, theme().muted, {});
    if (!kernel.empty()) {
      band(kernel, theme().accent);
      role(*kernel.begin(), theme().accent, translated("last kernel"));
    }
    each_edge([&](EdgeMark& mark, graph::NodeId from, graph::NodeId to) {
      if (nodes_.contains(from) && !nodes_.contains(to)) light(mark, theme().mark, "→");
    });
  }

  const Drawn& drawn_;
  const fusion::PlanEvent& event_;
  const std::set<graph::NodeId> nodes_;
  CanvasOverlay overlay_;
  Joined so_far_;
};

}  // namespace

CanvasOverlay moment_overlay(const Drawn& drawn, const fusion::Plan& plan, std::size_t event) {
  return MomentOverlay(drawn, plan, event).make();
}

}  // namespace loopglass::views
