// One drawing of a whole history, of which each step shows a part: what is in two steps stands in
// the same place in both. Or a drawing of one place alone.
#pragma once

#include "views/graph/graph_content.h"

#include <QSizeF>

namespace loopglass::views {

struct GraphDrawing {
  std::shared_ptr<const pass::GraphHistory> history;
  std::shared_ptr<const fusion::Plan> plan;  // null: without groups
  std::unordered_map<fusion::GroupId, int> cluster_of_group;
  layout::SteadyDrawing steady;
  std::unordered_map<layout::Key, layout::Point> guests;
  std::optional<layout::Columns> columns = {};  // once it has been shown in some
};

// Takes a while: for jobs. `boxes` are history_boxes() of the same. Cancelled.
Result<GraphDrawing> draw_history(std::shared_ptr<const pass::GraphHistory> history,
                                  std::shared_ptr<const fusion::Plan> plan, HistoryBoxes boxes,
                                  const Cancellation& cancellation = {});
// Where the content of one place in the history stands, in these columns. What has room for a tag
// only becomes one in the content.
layout::Layout part_of(GraphDrawing& drawing, GraphContent& content,
                       const layout::Columns& columns = {});

struct PlacedGraph {
  GraphContent content;
  layout::Layout layout;
};
// By itself, with room for nothing else; where it is tall in columns that suit a page of this size,
// or, where the page is empty, in one. Takes a while: for jobs. Cancelled.
Result<PlacedGraph> place_alone(GraphContent content, QSizeF page,
                                const Cancellation& cancellation = {});

}  // namespace loopglass::views
