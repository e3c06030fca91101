// What a graph canvas shows, in words that know no compiler: boxes with text, edges between them,
// and clusters of boxes. Made on the window's thread; cheap next to the layout.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

namespace loopglass::views {

struct CanvasNode {
  // Names the node across contents: a node that is still there keeps its place on the screen.
  std::uint64_t key = 0;
  QString title;        // in the coloured band
  QString subtitle;     // below it
  QStringList details;  // small print, a line each
  QColor fill, text;    // of the band
  bool pill = false;    // rounded, without a body: where data enters and leaves
  bool ghost = false;   // what is no longer there: an outline in place
  QString badge;        // one glyph in the corner, outlining the node in `badge_color`
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
  std::optional<std::uint32_t> primary;  // the selected node
  std::vector<std::uint32_t> related;    // nodes
  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> clusters;
};

}  // namespace loopglass::views
