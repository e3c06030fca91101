// Graphviz keeps its state in static variables, so one mutex guards every call; it reads numbers
// with the C library's locale, so the calling thread's is set to "C" meanwhile.
#include "views/layout/graphviz_engine.h"

#include "views/layout/clusters.h"
#include "views/layout/graphviz_ids.h"
#include "views/layout/layered_core.h"

#include <fmt/format.h>
#include <graphviz/gvc.h>

#include <clocale>
#include <mutex>

namespace loopglass::layout {
namespace {

constexpr double points_per_inch = 72;

int ignore_message(char*) { return 0; }

class NeutralLocale {
 public:
  NeutralLocale() : neutral_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(neutral_)) {}
  ~NeutralLocale() {
    uselocale(before_);
    if (neutral_) freelocale(neutral_);
  }
  NeutralLocale(const NeutralLocale&) = delete;
  NeutralLocale& operator=(const NeutralLocale&) = delete;

 private:
  locale_t neutral_, before_;
};

// One graph inside Graphviz. Graphviz's functions take char* where they mean const char*.
class DotGraph {
 public:
  DotGraph(GVC_t* context, const LayoutGraph& graph)
      : context_(context), graph_(graph), interleaved_(interleaved_clusters(graph)) {
    static char graph_name[] = "graph";
    dot_ = agopen(graph_name, Agdirected, disciplines_with_numbers());
    set_defaults();
    add_clusters();
    add_nodes();
    add_edges();
  }
  ~DotGraph() {
    if (laid_out_) gvFreeLayout(context_, dot_);
    agclose(dot_);
  }
  DotGraph(const DotGraph&) = delete;
  DotGraph& operator=(const DotGraph&) = delete;

  bool lay_out() {
    laid_out_ = gvLayout(context_, dot_, "dot") == 0;
    return laid_out_;
  }

  Layout result() const {
    Layout layout;
    layout.engine = Engine::Graphviz;
    height_ = GD_bb(dot_).UR.y;
    layout.bounds = box(GD_bb(dot_));
    for (Agnode_t* node : nodes_) layout.centres.push_back(point(ND_coord(node)));
    for (Agedge_t* edge : edges_) layout.edges.push_back({curve(edge)});
    for (Agraph_t* cluster : clusters_)
      layout.clusters.push_back(agnnodes(cluster) > 0 ? box(GD_bb(cluster)) : Box{});
    return layout;
  }

 private:
  void set_default(int kind, const char* key, const std::string& value) {
    agattr(dot_, kind, const_cast<char*>(key), const_cast<char*>(value.c_str()));
  }
  static void set(void* object, const char* key, const std::string& value) {
    agset(object, const_cast<char*>(key), const_cast<char*>(value.c_str()));
  }
  static std::string inches(double units) { return fmt::format("{:.4f}", units / points_per_inch); }

  void set_defaults() {
    set_default(AGRAPH, "nodesep", inches(graph_.node_gap));
    set_default(AGRAPH, "ranksep", inches(graph_.layer_gap));
    set_default(AGRAPH, "margin", "0");
    // Bounds on the network simplex, which is what runs away on wide graphs.
    set_default(AGRAPH, "nslimit", "2");
    set_default(AGRAPH, "nslimit1", "2");
    set_default(AGNODE, "shape", "box");
    set_default(AGNODE, "fixedsize", "true");
    set_default(AGNODE, "label", "");
    set_default(AGNODE, "width", "1");
    set_default(AGNODE, "height", "1");
    set_default(AGEDGE, "arrowhead", "none");
    set_default(AGEDGE, "weight", "1");
  }

  void add_clusters() {
    for (int i = 0; i < graph_.clusters; ++i) {
      std::string name = fmt::format("cluster_{}", i);
      Agraph_t* cluster = agsubg(dot_, name.data(), 1);
      set(cluster, "margin", fmt::format("{:.1f}", graph_.cluster_padding));
      clusters_.push_back(cluster);
    }
  }

  void add_nodes() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      std::string name = fmt::format("n{}", i);
      Agnode_t* made = agnode(dot_, name.data(), 1);
      set(made, "width", inches(node.width));
      set(made, "height", inches(node.height));
      if (node.cluster >= 0 && !interleaved_[static_cast<std::size_t>(node.cluster)])
        agsubnode(clusters_[static_cast<std::size_t>(node.cluster)], made, 1);
      nodes_.push_back(made);
    }
  }

  void add_edges() {
    // Left to itself dot draws long edges straight and lets the main line give way at each of them;
    // a chain should look like a chain.
    const std::vector<int> layers = longest_path_layers(graph_.nodes.size(), graph_.edges);
    for (const Edge& edge : graph_.edges) {
      edges_.push_back(agedge(dot_, nodes_[edge.from], nodes_[edge.to], nullptr, 1));
      if (layers[edge.to] - layers[edge.from] == 1) set(edges_.back(), "weight", "10");
    }
  }

  Point point(pointf p) const { return {p.x, height_ - p.y}; }
  Box box(boxf b) const { return {b.LL.x, height_ - b.UR.y, b.UR.x - b.LL.x, b.UR.y - b.LL.y}; }

  Curve curve(Agedge_t* edge) const {
    Curve curve;
    const splines* spline = ED_spl(edge);
    if (!spline) {  // dot lost the edge, which it warns of and survives: a straight line
      const Point from = point(ND_coord(agtail(edge))), to = point(ND_coord(aghead(edge)));
      return {from, from, to, to};
    }
    for (int i = 0; i < spline->size; ++i)
      for (int j = i == 0 ? 0 : 1; j < spline->list[i].size; ++j)
        curve.push_back(point(spline->list[i].list[j]));
    return curve;
  }

  GVC_t* context_;
  const LayoutGraph& graph_;
  const std::vector<bool> interleaved_;
  Agraph_t* dot_ = nullptr;
  std::vector<Agraph_t*> clusters_;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agedge_t*> edges_;
  bool laid_out_ = false;
  mutable double height_ = 0;
};

}  // namespace

std::optional<Layout> lay_out_with_graphviz(const LayoutGraph& graph,
                                            const Cancellation& cancellation) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (cancellation.requested()) return std::nullopt;
  const NeutralLocale locale;
  static GVC_t* const context = gvContext();  // lives as long as the process
  if (!context) return std::nullopt;
  agseterrf(ignore_message);
  if (graph.nodes.empty()) return std::nullopt;  // dot has no bounding box for nothing
  DotGraph dot(context, graph);
  if (!dot.lay_out()) return std::nullopt;
  return dot.result();
}

}  // namespace loopglass::layout
