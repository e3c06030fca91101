// Fusion in the graph pane: the verdict on every edge, two plans compared, one moment of how a plan
// came about, what guessing hides, and the menus by which one argues.
#include "core/support/check.h"
#include "tests/views/opened.h"
#include "views/canvas/overlay_legend.h"
#include "views/graph/graph_view.h"
#include "views/theme.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QToolButton>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class GraphFusionTest : public testing::Test {
 protected:
  explicit GraphFusionTest(const char* sample = "lenet")
      : opened_(sample, folding_pipeline), view_(&opened_.document) {
    view_.resize(900, 700);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    wait();
  }
  ~GraphFusionTest() override {
    for (QMenu* menu : menus()) delete menu;
  }

  Document& document() { return opened_.document; }
  GraphCanvas& canvas() { return *view_.canvas(); }
  void wait() { ASSERT_TRUE(settled(document())); }
  graph::NodePtr named(const std::string& name) {
    for (const auto& node : document().history().graph()->nodes())
      if (node->name == name) return node;
    ADD_FAILURE() << "no operator is called " << name;
    return nullptr;
  }
  std::uint32_t box(const std::string& name) {
    return view_.content().box_of_node.at(named(name)->id);
  }
  std::uint32_t edge(const std::string& from, const std::string& to) {
    const auto& edges = canvas().content().edges;
    for (std::uint32_t e = 0; e < edges.size(); ++e)
      if (edges[e].from == box(from) && edges[e].to == box(to)) return e;
    ADD_FAILURE() << to << " does not read " << from;
    return 0;
  }
  const EdgeMark& mark(const std::string& from, const std::string& to) {
    return canvas().overlay().edges.at(edge(from, to));
  }
  const fusion::Decision& decision(const std::string& from, const std::string& to) {
    for (const fusion::Decision& decision : document().fusion().plan()->decisions)
      if (decision.producer == named(from)->id && decision.consumer == named(to)->id)
        return decision;
    throw InternalError("no such edge");
  }

  QList<QMenu*> menus() { return view_.findChildren<QMenu*>("graphMenu"); }
  // The menu that the right button opens there.
  QMenu* menu_at(QPointF in_scene) {
    for (QMenu* menu : menus()) delete menu;
    canvas().centerOn(in_scene);
    const QPoint at = canvas().mapFromScene(in_scene);
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas().viewport()->mapToGlobal(at));
    QCoreApplication::sendEvent(canvas().viewport(), &event);
    return menus().isEmpty() ? nullptr : menus().front();
  }
  QMenu* menu_of_edge(const std::string& from, const std::string& to) {
    return menu_at(canvas().place_of_edge(edge(from, to)));
  }
  QPointF place_of(const std::string& name) {
    const auto& centre = canvas().current_layout()->centres[box(name)];
    return {centre.x, centre.y};
  }
  QMenu* menu_of_node(const std::string& name) { return menu_at(place_of(name)); }
  // A line of a menu or of the menus in it, by how it begins; null: there is none.
  static QAction* line(QMenu* menu, const QString& beginning) {
    if (!menu) return nullptr;
    for (QAction* action : menu->actions()) {
      QString words = action->text();
      if (words.remove('&').startsWith(beginning)) return action;
      if (action->menu())
        if (QAction* found = line(action->menu(), beginning)) return found;
    }
    return nullptr;
  }
  void choose(QMenu* menu, const QString& beginning) {
    QAction* action = line(menu, beginning);
    ASSERT_TRUE(action) << beginning.toStdString();
    action->trigger();
    wait();
  }

  Opened opened_;
  GraphView view_;
};

class ResidualGraphFusionTest : public GraphFusionTest {
 protected:
  ResidualGraphFusionTest() : GraphFusionTest("resnet50") {}
};

// --- verdicts ---

// A fused edge is calm; one that is not has a cross and says why by the reason's code.
TEST_F(ResidualGraphFusionTest, EveryEdgeShowsItsVerdict) {
  std::size_t fused = 0, apart = 0;
  const Drawn drawn{view_.content(), canvas().content()};
  const EdgeVerdicts verdicts(document().fusion().plan());
  ASSERT_EQ(canvas().overlay().edges.size(), canvas().content().edges.size());
  for (std::uint32_t e = 0; e < canvas().content().edges.size(); ++e) {
    const fusion::Decision* decision = drawn.decision(verdicts, e);
    const EdgeMark& mark = canvas().overlay().edges[e];
    if (!decision) {
      EXPECT_TRUE(mark.plain()) << "of the network's inputs and outputs nothing is decided";
      continue;
    }
    ++(decision->fused ? fused : apart);
    EXPECT_EQ(mark.sign, decision->fused ? "" : "✕");
    EXPECT_EQ(mark.code.toStdString(), fusion::name(decision->reason));
    EXPECT_EQ(mark.calm, decision->fused);
  }
  EXPECT_EQ(fused + apart, document().fusion().plan()->decisions.size());
  EXPECT_GT(fused, 0u);
  EXPECT_GT(apart, 0u);
}

TEST_F(GraphFusionTest, TheTipOfAnEdgeHasTheSentenceTheRuleAndTheNumbers) {
  const fusion::Decision& apart = decision("relu1", "pool1");
  ASSERT_FALSE(apart.fused);
  const QString tip = canvas().edge_tip(edge("relu1", "pool1"));
  EXPECT_TRUE(tip.contains(QString::fromStdString(apart.sentence).toHtmlEscaped()));
  EXPECT_TRUE(tip.contains(QString::fromStdString(apart.condition).toHtmlEscaped()));
  EXPECT_TRUE(tip.contains("bytes = ")) << tip.toStdString();
}

TEST_F(GraphFusionTest, VerdictsCanBeSwitchedOff) {
  for (QToolButton* button : view_.findChildren<QToolButton*>())
    if (button->text() == "Verdicts") button->click();
  wait();
  EXPECT_TRUE(canvas().overlay().edges.empty());
}

// --- guessing ---

TEST_F(GraphFusionTest, GuessingHidesWhatTellsTheAnswer) {
  ASSERT_FALSE(canvas().content().clusters.empty());
  document().fusion().set_guessing(true);
  wait();
  EXPECT_TRUE(canvas().content().clusters.empty()) << "hulls tell";
  for (const fusion::Decision& decision : document().fusion().plan()->decisions) {
    const std::string from = document().history().graph()->node(decision.producer).name;
    const std::string to = document().history().graph()->node(decision.consumer).name;
    EXPECT_EQ(mark(from, to).sign, "?");
    EXPECT_TRUE(mark(from, to).code.isEmpty());
    EXPECT_FALSE(canvas()
                     .edge_tip(edge(from, to))
                     .contains(QString::fromStdString(decision.sentence).toHtmlEscaped()));
  }
  QMenu* menu = menu_of_node("conv1");
  EXPECT_FALSE(line(menu, "Split")) << "that conv1 shares a kernel is the answer";
}

TEST_F(GraphFusionTest, ARevealedEdgeShowsItsVerdict) {
  document().fusion().set_guessing(true);
  wait();
  document().fusion().reveal({named("relu1")->id, named("pool1")->id});
  wait();
  EXPECT_EQ(mark("relu1", "pool1").sign, "✕");
  EXPECT_EQ(mark("conv1", "relu1").sign, "?");
}

// --- menus ---

TEST_F(GraphFusionTest, AnEdgeIsForbiddenAndFreedByItsMenu) {
  ASSERT_TRUE(decision("conv1", "relu1").fused);
  choose(menu_of_edge("conv1", "relu1"), "Forbid");
  EXPECT_FALSE(decision("conv1", "relu1").fused);
  EXPECT_EQ(mark("conv1", "relu1").sign, "!") << "asked for by hand";
  EXPECT_EQ(mark("conv1", "relu1").code, "FORCED_APART");
  QMenu* menu = menu_of_edge("conv1", "relu1");
  EXPECT_TRUE(line(menu, "Forbid")->isChecked());
  choose(menu, "Clear Constraint");
  EXPECT_TRUE(decision("conv1", "relu1").fused);
  EXPECT_TRUE(document().constraints().empty());
}

TEST_F(GraphFusionTest, AnOperatorIsSplitOutOfItsKernel) {
  choose(menu_of_node("relu1"), "Split Out");
  EXPECT_EQ(document().edits().edits,
            (std::vector<fusion::Edit>{{fusion::Edit::Kind::Split, {"relu1"}}}));
  EXPECT_EQ(mark("conv1", "relu1").code, "SPLIT_BY_HAND");
}

TEST_F(GraphFusionTest, WhatIsChosenTogetherIsMergedTogether) {
  const auto click = [&](const std::string& name, Qt::KeyboardModifiers modifiers) {
    canvas().centerOn(place_of(name));
    QTest::mouseClick(canvas().viewport(), Qt::LeftButton, modifiers,
                      canvas().mapFromScene(place_of(name)));
  };
  click("pool2", {});
  click("flatten", Qt::ControlModifier);
  EXPECT_TRUE(document().selection().highlighted_nodes().contains(named("pool2")->id));
  EXPECT_TRUE(document().selection().highlighted_nodes().contains(named("flatten")->id));
  choose(menu_of_node("flatten"), "Merge the 2 Selected");
  EXPECT_EQ(document().edits().edits,
            (std::vector<fusion::Edit>{{fusion::Edit::Kind::Merge, {"pool2", "flatten"}}}));
}

// The hull's own menu, where it shows between its operators.
TEST_F(GraphFusionTest, AKernelIsPinnedAndUnpinnedByItsHull) {
  const layout::Box& hull = canvas().current_layout()->clusters.at(0);
  const QPointF corner(hull.left + 3, hull.bottom() - 3);
  choose(menu_at(corner), "Pin");
  ASSERT_EQ(document().edits().edits.size(), 1u);
  EXPECT_EQ(document().edits().edits[0].kind, fusion::Edit::Kind::Pin);
  const layout::Box& later = canvas().current_layout()->clusters.at(0);
  choose(menu_at({later.left + 3, later.bottom() - 3}), "Unpin");
  EXPECT_TRUE(document().edits().edits.empty());
}

// The menu key and Shift+F10 open the menu of what is selected, whose edges have menus in it.
TEST_F(GraphFusionTest, MenusOpenByKeys) {
  document().selection().select_node(named("conv1")->id);
  QContextMenuEvent key(QContextMenuEvent::Keyboard, {}, canvas().mapToGlobal(QPoint()));
  QCoreApplication::sendEvent(&canvas(), &key);
  ASSERT_EQ(menus().size(), 1);
  EXPECT_TRUE(line(menus().front(), "Edge to relu1"));
  EXPECT_TRUE(line(menus().front(), "Force"));
  delete menus().front();
  QTest::keyClick(&canvas(), Qt::Key_Menu);
  EXPECT_EQ(menus().size(), 1);
}

// --- two plans ---

TEST_F(GraphFusionTest, TwoPlansAreComparedOverOneLayout) {
  const auto before = canvas().current_layout()->centres;
  fusion::Plan apart = *document().fusion().plan();
  for (fusion::Decision& decision : apart.decisions) decision.fused = false;
  apart.groups.clear();
  document().fusion().compare(ComparedPlans{"dominator", "none", document().fusion().plan(),
                                            std::make_shared<const fusion::Plan>(apart)});
  wait();
  EXPECT_EQ(canvas().current_layout()->centres, before);
  EXPECT_EQ(mark("conv1", "relu1").sign, "1") << "only the first fuses it";
  EXPECT_TRUE(mark("relu1", "pool1").plain()) << "neither does";
  const auto* legend = view_.findChild<OverlayLegend*>("overlayLegend");
  ASSERT_EQ(legend->rows().size(), 4u);
  EXPECT_TRUE(legend->rows()[1].text.contains("dominator"));
  document().fusion().compare({});
  wait();
  EXPECT_EQ(mark("relu1", "pool1").sign, "✕");
  EXPECT_TRUE(legend->title().isEmpty());
  for (const auto& row : legend->rows())
    EXPECT_EQ(row.sample, OverlayLegend::Sample::Swatch) << "of families, and no longer of edges";
}

// A kernel of the second plan, which has no hull in the layout, has a band around it.
TEST_F(GraphFusionTest, AKernelWithoutAHullHasABand) {
  const auto plan = document().fusion().plan();
  fusion::Plan other = *plan;
  const auto larger = std::ranges::find_if(
      other.groups, [](const fusion::Group& group) { return group.nodes.size() > 1; });
  larger->nodes.push_back(named("pool1")->id);
  document().fusion().compare(
      ComparedPlans{"one", "other", plan, std::make_shared<const fusion::Plan>(other)});
  wait();
  ASSERT_EQ(canvas().overlay().bands.size(), 1u);
  EXPECT_EQ(canvas().overlay().bands[0].nodes.size(), larger->nodes.size());
  EXPECT_FALSE(canvas().overlay().bands[0].edges.empty());
}

// --- how a plan came about ---

class MomentTest : public GraphFusionTest {
 protected:
  // Shows the first event of this kind that the strategy tells, and how it is drawn.
  const CanvasOverlay& show_first(const QString& strategy, fusion::PlanEvent::Kind kind) {
    document().set_strategy(strategy);
    wait();
    const auto told = document().session()->told_plan().value();
    for (std::size_t i = 0; i < told->events.size(); ++i) {
      const fusion::PlanEvent& event = told->events[i];
      if (event.kind != kind || event.nodes.size() < least_nodes_) continue;
      event_ = event;
      document().fusion().show_moment(PlanMoment{told, i});
      wait();
      return canvas().overlay();
    }
    throw InternalError("the strategy tells of no such event");
  }
  QString word(graph::NodeId node) {
    const auto role = canvas().overlay().roles.find(view_.content().box_of_node.at(node));
    return role == canvas().overlay().roles.end() ? "none" : role->second.word;
  }

  std::size_t least_nodes_ = 0;
  fusion::PlanEvent event_;
};

TEST_F(MomentTest, ThePathThatIsCheckedLightsUpToThePostDominator) {
  const CanvasOverlay& overlay = show_first("dominator", fusion::PlanEvent::Kind::Path);
  EXPECT_EQ(word(event_.nodes.front()), "from");
  EXPECT_EQ(word(event_.nodes.back()), "post-dominator");
  const auto lit = std::ranges::count_if(
      overlay.edges, [](const EdgeMark& mark) { return mark.color == theme().accent; });
  EXPECT_EQ(static_cast<std::size_t>(lit), event_.nodes.size() - 1) << "a chain";
}

TEST_F(MomentTest, WhereTheWaysMeetIsMarked) {
  show_first("dominator", fusion::PlanEvent::Kind::Ancestor);
  EXPECT_EQ(word(event_.nodes.front()), "in question");
  while (!event_.other.valid()) {
    const auto& moment = *document().fusion().moment();
    document().fusion().show_moment(PlanMoment{moment.plan, moment.event + 1});
    event_ = moment.plan->events[document().fusion().moment()->event];
  }
  EXPECT_EQ(word(event_.other), "post-dominator");
}

TEST_F(MomentTest, WhatIsMergedSoFarIsCalm) {
  show_first("dominator", fusion::PlanEvent::Kind::Merge);
  const auto told = document().fusion().moment()->plan;
  document().fusion().show_moment(PlanMoment{told, told->events.size() - 1});
  EXPECT_EQ(mark("conv1", "relu1").color, theme().good);
}

// Edges from what has been executed to what has not.
TEST_F(MomentTest, TheFrontierOfTheSearchIsMarked) {
  least_nodes_ = 1;
  const CanvasOverlay& overlay = show_first("dp", fusion::PlanEvent::Kind::Expand);
  const std::set<graph::NodeId> executed(event_.nodes.begin(), event_.nodes.end());
  const auto& edges = canvas().content().edges;
  std::size_t frontier = 0;
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    const auto* from = std::get_if<graph::NodeId>(&view_.content().entities[edges[e].from]);
    const auto* to = std::get_if<graph::NodeId>(&view_.content().entities[edges[e].to]);
    const bool leads_on =
        !edges[e].ghost && from && to && executed.contains(*from) && !executed.contains(*to);
    EXPECT_EQ(overlay.edges[e].sign == "→", leads_on);
    frontier += leads_on;
  }
  EXPECT_GT(frontier, 0u);
}

}  // namespace
}  // namespace loopglass::views
