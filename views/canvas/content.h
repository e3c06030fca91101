// What a graph canvas shows, in words that know no compiler: boxes with text, edges between them,
// and clusters of boxes. Made on the window's thread; cheap next to the layout.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace loopglass::views {

struct CanvasNode {
  // Names the node across contents: a node that is still there keeps its place on the screen.
  std::uint64_t key = 0;
  QString title;         // in the coloured band
  QString subtitle;      // below it
  QStringList details;   // small print, a line each
  QColor fill, text;     // of the band
  bool pill = false;     // rounded, without a body: where data enters and leaves
  bool ghost = false;    // what is no longer there: an outline in place
  bool hatched = false;  // what nothing is known of: hatched, in a dashed outline
  bool stack = false;    // what stands for several: a stack of boxes
  QString badge;         // one glyph in the corner, outlining the node in `badge_color`
  QColor badge_color;
  int mark = 0;     // number of the rule that marks it, in the other corner; 0: none
  QString tooltip;  // rich text
  QString search;   // what find() looks through besides title and subtitle
  int cluster = -1;
  friend bool operator==(const CanvasNode&, const CanvasNode&) = default;
};

struct CanvasEdge {
  std::uint32_t from = 0, to = 0;  // places in CanvasContent::nodes
  QString label;                   // beside its beginning; empty where another edge says it
  int label_row = 0;               // how far down from the producer, so that labels do not collide
  QString tooltip;
  std::uint64_t key = 0;  // tells edges between the same two nodes apart, across contents
  bool ghost = false;     // of something that is no longer there
};

struct CanvasCluster {
  QString title;
  QColor color;
  QString tooltip;
  friend bool operator==(const CanvasCluster&, const CanvasCluster&) = default;
};

struct CanvasContent {
  std::vector<CanvasNode> nodes;
  std::vector<CanvasEdge> edges;  // without cycles
  std::vector<CanvasCluster> clusters;
};

// What stands out. Places in the content.
struct CanvasHighlight {
  std::optional<std::uint32_t> primary;       // the selected node
  std::optional<std::uint32_t> primary_edge;  // or edge
  std::vector<std::uint32_t> chosen;          // nodes that are selected as well
  std::vector<std::uint32_t> related;         // nodes
  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> clusters;
};

// What is said of an edge on the edge itself.
struct EdgeMark {
  static constexpr const char* asked_for = "!";  // the sign of what a person wanted
  QColor color;  // of the line; invalid: as edges without a mark have it
  double width = 1.3;
  bool dashed = false;
  QString sign;       // a glyph on a disc in the middle; empty: none
  QString code;       // a word beside it: near to, where one points, and where it is selected
  bool calm = false;  // near to, the word is left out
  bool plain() const { return !color.isValid() && sign.isEmpty() && code.isEmpty(); }
  friend bool operator==(const EdgeMark&, const EdgeMark&) = default;
};

// The part that a node plays at a moment: an outline, and a word beside it.
struct NodeRole {
  QColor color;
  QString word;
  friend bool operator==(const NodeRole&, const NodeRole&) = default;
};

// What a node amounts to by some measure: its body in a colour of a scale, with the number at its
// foot.
struct NodeHeat {
  QColor color;
  QString word;
  friend bool operator==(const NodeHeat&, const NodeHeat&) = default;
};

// A band around nodes, and along the edges between them: what belongs together beside the clusters.
struct CanvasBand {
  std::vector<std::uint32_t> nodes, edges;
  QColor color;
  QString tooltip;
  QString title = {};  // on a tab beside the first node; empty: none
  friend bool operator==(const CanvasBand&, const CanvasBand&) = default;
};

// What is laid over a content without another layout. Places in the content.
struct CanvasOverlay {
  std::vector<EdgeMark> edges;  // one per edge, or none at all
  std::unordered_map<std::uint32_t, NodeRole> roles;
  std::vector<QColor> clusters;  // one per cluster, instead of their own; or none at all
  std::vector<CanvasBand> bands;
  std::unordered_map<std::uint32_t, NodeHeat> heats;
};

}  // namespace loopglass::views
