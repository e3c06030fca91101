// A graph with a second canvas beside it.
#pragma once

#include "tests/views/opened.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"

#include <QLabel>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::views {

using BesideKind = SavedBeside::Kind;

class BesideTest : public testing::Test {
 protected:
  explicit BesideTest(const char* sample = "mobilenet_v1")
      : opened_(sample, folding_pipeline), view_(&opened_.document) {
    view_.resize(1100, 700);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    wait();
  }
  void wait() { ASSERT_TRUE(settled(document())); }
  Document& document() { return opened_.document; }
  Selection& selection() { return document().selection(); }
  BesideCanvas& beside() { return *view_.beside(); }
  GraphCanvas& first() { return *view_.canvas(); }
  GraphCanvas& second() { return *beside().canvas(); }
  void show(SavedBeside what) {
    beside().show_place(std::move(what));
    wait();
  }
  std::string label(const char* name) {
    return beside().findChild<QLabel*>(name)->text().toStdString();
  }

  // The first node of this operator in a graph.
  static const graph::Node& node(const graph::Graph& graph, std::string_view op) {
    for (const auto& node : graph.nodes())
      if (node->op->name == op) return *node;
    ADD_FAILURE() << "no " << op;
    return *graph.nodes().front();
  }
  const graph::Graph& imported() { return *document().history().recorded()->steps.front().result; }
  const graph::Graph& last() { return *document().history().last_graph(); }
  std::uint32_t box_here(graph::NodeId id) { return view_.content().box_of_node.at(id); }
  std::uint32_t box_there(graph::NodeId id) { return beside().content().box_of_node.at(id); }
  // From where it stands to the middle of the view.
  static QPointF off_middle(const GraphCanvas& canvas, std::uint32_t box) {
    return canvas.place_of_node(box) - canvas.middle();
  }
  static std::size_t boxes_of(const graph::Graph& graph) {
    return graph.nodes().size() + graph.inputs().size() + graph.outputs().size();
  }
  // An operator in the middle that all steps have.
  graph::NodeId shared() {
    std::vector<graph::NodeId> ids;
    for (const auto& node : last().nodes())
      if (imported().find(node->id)) ids.push_back(node->id);
    return ids[ids.size() / 2];
  }

  Opened opened_;
  GraphView view_;
};

}  // namespace loopglass::views
