// A network folded in the graph pane: boxes that stand for many, opened and closed, selected,
// coloured by what they cost; and the icicle of the same parts.
#include "tests/views/opened.h"
#include "views/canvas/overlay_legend.h"
#include "views/graph/graph_view.h"
#include "views/icicle/icicle_view.h"
#include "views/inspector/describe.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace loopglass::views {
namespace {

class FoldingView : public testing::Test {
 protected:
  FoldingView() : opened_("mobilenet_v1", folding_pipeline), view_(&opened_.document) {
    view_.resize(1000, 700);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    wait();
  }
  void wait() { ASSERT_TRUE(settled(document())); }
  Document& document() { return opened_.document; }
  GraphCanvas& canvas() { return *view_.canvas(); }

  // An entry of one of the tool bar's menus.
  void choose(const char* button, const QString& words) {
    QMenu* menu = view_.findChild<QToolButton*>(button)->menu();
    emit menu->aboutToShow();
    for (QAction* action : menu->actions())
      if (action->text().remove('&') == words) {
        action->trigger();
        return wait();
      }
    FAIL() << words.toStdString() << " is not in the menu";
  }
  std::optional<std::uint32_t> titled(const QString& part) {
    const auto& nodes = canvas().content().nodes;
    for (std::uint32_t box = 0; box < nodes.size(); ++box)
      if (nodes[box].title.contains(part)) return box;
    return std::nullopt;
  }
  void activate(std::uint32_t box) {
    emit canvas().nodeActivated(box);
    wait();
  }
  void expect_whole() {
    EXPECT_EQ(view_.content().entities.size(), canvas().content().nodes.size());
    EXPECT_EQ(view_.content().edge_values.size(), canvas().content().edges.size());
    for (const auto& node : document().history().graph()->nodes())
      EXPECT_TRUE(view_.content().box_of_node.contains(node->id)) << node->name;
  }

  Opened opened_;
  GraphView view_;
};

TEST_F(FoldingView, BlocksThatRepeatAreOneBoxThatOpens) {
  const std::size_t all = canvas().content().nodes.size();
  choose("foldButton", "By Blocks That Repeat");
  const std::size_t folded = canvas().content().nodes.size();
  EXPECT_LT(folded, all - 15);
  expect_whole();
  const auto run = titled("×5");
  ASSERT_TRUE(run) << "five layers of 512 channels";
  EXPECT_TRUE(canvas().content().nodes[*run].stack);
  // One of them for all, at first as what it is made of.
  activate(*run);
  expect_whole();
  EXPECT_FALSE(titled("×5"));
  EXPECT_GT(canvas().content().nodes.size(), folded);
  EXPECT_FALSE(canvas().overlay().bands.empty()) << "a band is around what is open";
  choose("foldButton", "Open All");
  EXPECT_EQ(canvas().content().nodes.size(), all);
  choose("foldButton", "Close All");
  EXPECT_EQ(canvas().content().nodes.size(), folded);
  choose("foldButton", "Not Folded");
  EXPECT_EQ(canvas().content().nodes.size(), all);
}

TEST_F(FoldingView, WhatIsOpenedComesIntoView) {
  choose("foldButton", "By Blocks That Repeat");
  const std::uint32_t run = titled("×5").value();
  const auto inside =
      nodes_of(view_.content(), std::get<FoldedPart>(view_.content().entities[run]));
  // At the foot of the view, where what is in it has no room.
  const double up = canvas().viewport()->height() / 2.0 - 30;
  canvas().look_at(canvas().place_of_node(run) - QPointF(0, up), 1);
  activate(run);
  const QRectF seen = canvas().mapToScene(canvas().viewport()->rect()).boundingRect();
  for (std::size_t each = 0; each < inside.size() / 5; ++each) {
    const std::uint32_t box = view_.content().box_of_node.at(inside[each]);
    EXPECT_TRUE(seen.contains(canvas().place_of_node(box))) << "operator " << each;
  }
}

TEST_F(FoldingView, WhatIsInABoxIsSelectedByItsBox) {
  choose("foldButton", "By Blocks That Repeat");
  const std::uint32_t run = titled("×5").value();
  emit canvas().nodeClicked(run);
  wait();
  EXPECT_GT(document().selection().highlighted_nodes().size(), 9u);
  // And what is selected elsewhere is shown by the box it is in: it does not become "not there".
  const auto inside =
      nodes_of(view_.content(), std::get<FoldedPart>(view_.content().entities[run]));
  document().selection().select_node(inside.back());
  wait();
  EXPECT_EQ(view_.content().box_of_node.at(inside.back()), run);
}

TEST_F(FoldingView, KernelsAreBoxes) {
  choose("foldButton", "Kernels as Boxes");
  std::size_t kernels = 0;
  for (const auto& group : document().fusion().plan()->groups) kernels += !group.nodes.empty();
  const std::size_t pills = document().history().graph()->inputs().size() +
                            document().history().graph()->outputs().size();
  EXPECT_EQ(canvas().content().nodes.size(), kernels + pills);
  expect_whole();
  for (std::uint32_t box = 0; box < view_.content().entities.size(); ++box)
    if (std::holds_alternative<FoldedPart>(view_.content().entities[box])) {
      emit canvas().nodeClicked(box);
      wait();
      ASSERT_TRUE(std::holds_alternative<SelectedGroup>(document().selection().current()));
      break;
    }
}

TEST_F(FoldingView, EveryStepFoldsAndKeepsWhatIsOpen) {
  choose("foldButton", "By Names");
  for (std::size_t step = 0; step < document().history().recorded()->steps.size(); ++step) {
    document().history().set_step(step);
    wait();
    expect_whole();
  }
}

TEST_F(FoldingView, BytesAreTheSameFoldedAndNot) {
  choose("colorButton", "Bytes of results");
  const auto sum = [&] {
    double sum = 0;
    for (std::uint32_t box = 0; box < view_.content().entities.size(); ++box) {
      std::vector<graph::NodeId> nodes;
      if (const auto* part = std::get_if<FoldedPart>(&view_.content().entities[box]))
        nodes = nodes_of(view_.content(), *part);
      else if (const auto* node = std::get_if<graph::NodeId>(&view_.content().entities[box]))
        nodes = {*node};
      EXPECT_EQ(nodes.empty(), !canvas().overlay().heats.contains(box));
      for (const graph::NodeId node : nodes)
        for (const graph::ValueId value : document().history().graph()->node(node).outputs)
          sum += static_cast<double>(document().history().graph()->value(value).type.bytes());
    }
    return sum;
  };
  const double unfolded = sum();
  double least = 100, greatest = 0;
  for (const EdgeMark& mark : canvas().overlay().edges) {
    least = std::min(least, mark.width);
    greatest = std::max(greatest, mark.width);
  }
  EXPECT_LT(least + 1, greatest) << "edges are as wide as what they carry";
  choose("foldButton", "By Blocks That Repeat");
  EXPECT_DOUBLE_EQ(sum(), unfolded);
}

TEST_F(FoldingView, TheColourLeavesOtherButtonsWhereTheyAre) {
  const auto* button = view_.findChild<QToolButton*>("colorButton");
  const QString text = button->text();
  const QRect before = view_.findChild<QToolButton*>("compareButton")->geometry();
  choose("colorButton", "Bytes of results");
  EXPECT_NE(button->text(), text);
  EXPECT_EQ(view_.findChild<QToolButton*>("compareButton")->geometry(), before);
  EXPECT_LE(button->fontMetrics().horizontalAdvance(button->text()), button->width());
}

// Folded it is another drawing: its columns suit the pane as it is then. What is as it was has the
// columns that it had.
TEST_F(FoldingView, ColumnsAreChosenOnceForEachWayOfFolding) {
  const auto page = [&] {
    const SavedFolds folds = view_.switches().folds;
    return QSize(folds.page_width, folds.page_height);
  };
  const QSize unfolded = page();
  ASSERT_FALSE(unfolded.isEmpty());
  view_.resize(view_.width() + 400, view_.height());
  wait();
  EXPECT_EQ(page(), unfolded) << "it stays, however the pane is resized";
  choose("foldButton", "By Blocks That Repeat");
  const QSize folded = page();
  EXPECT_GT(folded.width(), unfolded.width());
  view_.resize(view_.width() - 400, view_.height());
  choose("foldButton", "Not Folded");
  EXPECT_EQ(page(), unfolded);
  choose("foldButton", "By Blocks That Repeat");
  EXPECT_EQ(page(), folded);
}

// Whoever wants to see all of it has it as large as it can be in the pane as it is now.
TEST_F(FoldingView, FittedItIsInTheColumnsOfThePaneAsItIs) {
  const auto page = [&] { return view_.switches().folds.page_width; };
  const int before = page();
  view_.canvas()->fit();
  wait();
  EXPECT_EQ(page(), before) << "nothing to choose anew";
  view_.resize(view_.width() + 500, view_.height() - 250);
  wait();
  view_.canvas()->fit();
  const double zoom = canvas().zoom_now();
  wait();
  EXPECT_GT(page(), before + 300);
  EXPECT_GT(canvas().zoom_now(), zoom);
  const QRectF seen = canvas().mapToScene(canvas().viewport()->rect()).boundingRect();
  for (std::uint32_t box = 0; box < canvas().content().nodes.size(); ++box)
    EXPECT_TRUE(seen.contains(canvas().place_of_node(box))) << box;
}

// What was selected is in a box now, which stands where it stood.
TEST_F(FoldingView, TheSelectionKeepsItsPlace) {
  const auto& nodes = document().history().graph()->nodes();
  const graph::NodeId selected = nodes[nodes.size() * 2 / 3]->id;
  document().selection().select_node(selected);
  const auto place = [&] {
    return canvas().mapFromScene(canvas().place_of_node(view_.content().box_of_node.at(selected)));
  };
  canvas().look_at(
      canvas().place_of_node(view_.content().box_of_node.at(selected)) + QPointF(60, 40), 1);
  const QPoint before = place();
  choose("foldButton", "By Blocks That Repeat");
  EXPECT_LE((place() - before).manhattanLength(), 4);
  choose("foldButton", "Not Folded");
  EXPECT_LE((place() - before).manhattanLength(), 4);
}

// A line that stands for several edges says what becomes of them.
TEST_F(FoldingView, LinesBetweenBoxesHaveVerdicts) {
  choose("foldButton", "By Names");
  const auto& content = view_.content();
  const auto plan = document().fusion().plan();
  int lines = 0;
  for (std::uint32_t edge = 0; edge < content.edge_reads.size(); ++edge) {
    std::vector<const fusion::Decision*> decisions;
    for (const auto& [value, reader] : content.edge_reads[edge])
      for (const fusion::Decision& decision : plan->decisions)
        if (decision.value == value && decision.consumer == reader) decisions.push_back(&decision);
    if (decisions.empty()) continue;
    ++lines;
    const EdgeMark& mark = canvas().overlay().edges[edge];
    EXPECT_EQ(mark, verdict_mark(decisions));
    EXPECT_FALSE(mark.plain());
  }
  EXPECT_GT(lines, 3);
}

TEST(FoldedVerdicts, AreThatOfAllOrHowManyOfEach) {
  fusion::Decision fused, apart, other;
  fused.fused = true;
  fused.reason = fusion::Reason::Fused;
  apart.reason = fusion::Reason::SecondAnchor;
  other.reason = fusion::Reason::SinkKind;
  EXPECT_EQ(verdict_mark({&apart, &apart}), verdict_mark(apart));
  EXPECT_EQ(verdict_mark({&fused, &fused}), verdict_mark(fused));
  EXPECT_EQ(verdict_mark({&apart, &other}).code, "2 reasons");
  const EdgeMark mixed = verdict_mark({&apart, &fused, &other});
  EXPECT_EQ(mixed.code, "1 of 3 fused");
  EXPECT_EQ(mixed.sign, "✕");
  const QString counts = verdict_counts({&apart, &fused, &apart});
  EXPECT_TRUE(counts.contains("1 <b>FUSED</b>") && counts.contains("2 <b>SECOND_ANCHOR</b>"))
      << counts.toStdString();
}

// Edges inside a folded box are not there to be counted.
TEST_F(FoldingView, EdgesAreCountedBetweenBoxes) {
  const auto says = [&](const QString& words) {
    return std::ranges::any_of(view_.findChildren<QLabel*>(),
                               [&](const QLabel* label) { return label->text().contains(words); });
  };
  EXPECT_TRUE(says("edges fused"));
  choose("foldButton", "By Blocks That Repeat");
  EXPECT_TRUE(says(" between boxes fused"));
  EXPECT_FALSE(says("edges fused"));
}

// Another model has nothing of what suited this one, which is as it was left when it comes back.
TEST_F(FoldingView, EveryModelHasItsOwnFoldsAndColours) {
  choose("foldButton", "By Blocks That Repeat");
  choose("foldButton", "Kernels as Boxes");
  choose("colorButton", "Bytes of results");
  const std::size_t folded = canvas().content().nodes.size();
  const auto left = view_.switches();
  document().open(sample_source("lenet"));
  wait();
  EXPECT_EQ(view_.switches().folds.by, "");
  EXPECT_FALSE(view_.switches().folds.kernels);
  EXPECT_EQ(view_.switches().colors, "");
  EXPECT_EQ(view_.measure(), Measure::Family);
  EXPECT_TRUE(canvas().overlay().heats.empty());
  EXPECT_EQ(canvas().content().nodes.size(), document().history().graph()->nodes().size() + 2);
  choose("foldButton", "By Names");
  document().open(sample_source("mobilenet_v1"));
  wait();
  EXPECT_EQ(view_.switches().folds.by, left.folds.by);
  EXPECT_TRUE(view_.switches().folds.kernels);
  EXPECT_EQ(view_.switches().colors, left.colors);
  EXPECT_EQ(canvas().content().nodes.size(), folded);
  document().open(sample_source("lenet"));
  wait();
  EXPECT_EQ(view_.switches().folds.by, "names");
}

// Where one reads the kernels no room is kept for what earlier steps had; whoever steps, and
// whoever compares two steps, has every operator in its place.
TEST_F(FoldingView, TheEndHasRoomForItselfAlone) {
  const auto area = [&] {
    return canvas().natural_size().width() * canvas().natural_size().height();
  };
  const QString compact = "Compact: Room for This Step Alone";
  const double own = area();
  choose("foldButton", compact);
  const double steady = area();
  EXPECT_TRUE(view_.switches().folds.steady);
  EXPECT_LT(own, 0.8 * steady);
  choose("foldButton", compact);
  EXPECT_FALSE(view_.switches().folds.steady);
  EXPECT_DOUBLE_EQ(area(), own);
  const auto boxes = [&] {
    const auto& box_of = view_.content().box_of_node;
    std::map<graph::NodeId, QPointF> places;
    for (const auto& [node, box] : box_of) places[node] = canvas().place_of_node(box);
    return places;
  };
  document().history().set_step(0);
  wait();
  const auto first = boxes();
  document().history().set_step(1);
  wait();
  ASSERT_NE(document().history().graph(), document().history().last_graph());
  for (const auto& [node, place] : boxes())
    if (const auto before = first.find(node); before != first.end()) {
      EXPECT_EQ(place, before->second);
    }
}

TEST_F(FoldingView, TimeMeasuresFirst) {
  choose("foldButton", "By Blocks That Repeat");
  choose("colorButton", "Time (measures first)");
  ASSERT_TRUE(document().benchmark().report());
  ASSERT_FALSE(canvas().overlay().heats.empty());
  // Shares of all boxes are all of the time.
  double shares = 0;
  for (const auto& [box, heat] : canvas().overlay().heats) {
    const auto at = heat.word.indexOf("· ");
    if (at >= 0) shares += heat.word.mid(at + 2).chopped(2).toDouble();
  }
  EXPECT_NEAR(shares, 100, 0.1 * static_cast<double>(canvas().overlay().heats.size()));
  document().benchmark().start(2, 2);
  wait();
  const bool several = document().benchmark().report()->threads > 1;
  choose("colorButton", "Estimated over measured");
  EXPECT_EQ(document().benchmark().report()->threads > 1, several) << "what there was stays";
  EXPECT_TRUE(canvas().overlay().heats.empty()) << "before calibration estimates are no times";
  Machine machine;
  machine.processor = "a machine";
  machine.peak_gflops.from = Provenance::Measured;
  document().set_cost_model(std::make_shared<const fusion::CostModel>(machine));
  wait();
  ASSERT_TRUE(document().benchmark().report());
  auto* offer = view_.findChild<QPushButton*>("measureOffer");
  ASSERT_EQ(offer->isHidden(), !several);
  if (several) offer->click();
  wait();
  EXPECT_EQ(document().benchmark().report()->threads, 1) << "as is estimated";
  ASSERT_TRUE(eventually([&] { return !canvas().overlay().heats.empty(); }));
  for (const auto& [box, heat] : canvas().overlay().heats)
    EXPECT_TRUE(heat.word.isEmpty() || heat.word.startsWith("× ")) << heat.word.toStdString();
  const auto& scale =
      dynamic_cast<OverlayLegend&>(*view_.findChild<QWidget*>("overlayLegend")).rows();
  ASSERT_EQ(scale.size(), 5u) << "both ways";
  for (const auto& row : scale) EXPECT_TRUE(row.text.startsWith("× ")) << "in what boxes say";
  EXPECT_EQ(scale[2].text, "× 1");
  document().benchmark().start(2, 2);
  wait();
  if (document().benchmark().report()->threads > 1) {
    EXPECT_TRUE(canvas().overlay().heats.empty()) << "one thread is estimated";
  }
  choose("colorButton", "Operator families");
  EXPECT_TRUE(canvas().overlay().heats.empty());
}

TEST_F(FoldingView, TheInspectorSaysWhatIsInAFold) {
  choose("foldButton", "By Blocks That Repeat");
  for (std::uint32_t box = 0; box < view_.content().entities.size(); ++box) {
    const auto* part = std::get_if<FoldedPart>(&view_.content().entities[box]);
    if (!part || nodes_of(view_.content(), *part).size() < 2) continue;
    const std::vector<graph::NodeId> nodes = nodes_of(view_.content(), *part);
    emit canvas().nodeClicked(box);
    wait();
    const QString said = describe_selection(document());
    EXPECT_TRUE(said.contains(QString("%1 operators").arg(nodes.size()))) << said.toStdString();
    EXPECT_TRUE(said.contains("Kernels"));
    return;
  }
  FAIL() << "nothing is folded";
}

// What it is called, of how many blocks of which size it is, and what it costs.
TEST_F(FoldingView, TheInspectorNamesAFold) {
  choose("foldButton", "By Blocks That Repeat");
  const std::uint32_t run = titled("×5").value();
  const auto nodes = nodes_of(view_.content(), std::get<FoldedPart>(view_.content().entities[run]));
  document().benchmark().start(1, 2);
  wait();
  emit canvas().nodeClicked(run);
  wait();
  const QString said = describe_selection(document());
  const graph::Fold& fold = view_.content().folding->folds[static_cast<std::size_t>(
      view_.content().folded->boxes()[*view_.content().folded_boxes[run]].fold)];
  EXPECT_TRUE(said.contains(QString::fromStdString(fold.title) + " ×5")) << said.toStdString();
  EXPECT_TRUE(said.contains(QString("5 blocks of %1").arg(nodes.size() / 5)));
  EXPECT_TRUE(said.contains("a block")) << "of the time each block has its share";
  EXPECT_TRUE(said.contains("% of all kernels"));
  // Chosen otherwise, operators are no fold.
  document().selection().select_nodes(nodes);
  EXPECT_FALSE(describe_selection(document()).contains("×5"));
}

// Of a block that is shown for all every operator counts, and the boxes say so.
TEST_F(FoldingView, WhatChangedIsCountedInOperators) {
  document().history().pin_base(pass::Position{0});
  wait();
  const std::size_t created = view_.content().created, changed = view_.content().changed;
  ASSERT_GT(created + changed, 10u);
  choose("foldButton", "By Blocks That Repeat");
  EXPECT_EQ(view_.content().created, created);
  EXPECT_EQ(view_.content().changed, changed);
  activate(titled("×5").value());
  EXPECT_EQ(view_.content().created, created);
  EXPECT_EQ(view_.content().changed, changed);
  std::size_t badges = 0;
  for (std::uint32_t box = 0; box < view_.content().entities.size(); ++box)
    if (std::holds_alternative<graph::NodeId>(view_.content().entities[box]) &&
        !canvas().content().nodes[box].details.isEmpty() &&
        canvas().content().nodes[box].details.back() == "one of 5" &&
        !canvas().content().nodes[box].badge.isEmpty())
      ++badges;
  EXPECT_GT(badges, 0u) << "the convolutions of the open block are new";
}

// Another plan may come to lie where this one lay; only what is held is known to be the same.
TEST(FoldingMemo, HoldsWhatItIsOf) {
  Opened opened("mlp");
  FoldingMemo memo;
  auto plan = std::make_shared<const fusion::Plan>(*opened.document.fusion().plan());
  const auto graph = opened.document.history().graph();
  const auto group_of = [plan](const graph::Node& node) { return plan->group_of(node.id); };
  const auto folding = memo.of(graph, Folded::No, plan, group_of);
  ASSERT_TRUE(folding);
  EXPECT_EQ(memo.of(graph, Folded::No, plan, group_of), folding);
  const long holders = plan.use_count();
  memo = {};
  EXPECT_EQ(plan.use_count(), holders - 1);
  EXPECT_NE(memo.of(graph, Folded::No, plan, group_of), folding);
}

TEST_F(FoldingView, AnIcicleAddsUp) {
  IcicleView icicle(&document());
  icicle.resize(800, 300);
  icicle.show();
  const auto check = [&] {
    const auto& cells = icicle.chart()->cells();
    ASSERT_GT(cells.size(), 20u);
    std::vector<double> of_parts(cells.size(), 0);
    for (std::size_t c = 1; c < cells.size(); ++c) {
      const IcicleCell& above = cells[static_cast<std::size_t>(cells[c].parent)];
      EXPECT_GE(cells[c].from, above.from - 1e-9);
      EXPECT_LE(cells[c].to, above.to + 1e-9);
      EXPECT_EQ(cells[c].depth, above.depth + 1);
      of_parts[static_cast<std::size_t>(cells[c].parent)] += cells[c].to - cells[c].from;
    }
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (cells[c].item >= 0) continue;
      EXPECT_NEAR(of_parts[c], cells[c].to - cells[c].from, 1e-9) << cells[c].title;
    }
  };
  check();
  document().benchmark().start(1, 2);
  wait();
  check();
  // By keys: down to a kernel, which is selected; into it and out again.
  icicle.chart()->setFocus();
  for (int depth = 0; depth < 12; ++depth) QTest::keyClick(icicle.chart(), Qt::Key_Down);
  wait();
  EXPECT_TRUE(std::holds_alternative<SelectedGroup>(document().selection().current()));
  QTest::keyClick(icicle.chart(), Qt::Key_Return);
  EXPECT_NE(icicle.chart()->shown(), 0);
  for (int depth = 0; depth < 12; ++depth) QTest::keyClick(icicle.chart(), Qt::Key_Backspace);
  EXPECT_EQ(icicle.chart()->shown(), 0);
}

}  // namespace
}  // namespace loopglass::views
