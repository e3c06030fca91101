// Drawings: all of it is there, as text, in light colours, and files are whole or not there at all.
#include "app/export/drawings.h"
#include "app/export/page.h"
#include "core/fusion/layer_words.h"
#include "core/ops/registry.h"
#include "tests/export/exported.h"
#include "views/theme.h"
#include "views/theme_scope.h"

#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QXmlStreamReader>

#include <fmt/format.h>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class Pictures : public ExportTest {};

// The texts of an SVG file that is well-formed, by element.
QStringList texts_of(const QByteArray& svg, const QString& element = "text") {
  QXmlStreamReader reader(svg);
  QStringList texts;
  while (!reader.atEnd())
    if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == element)
      texts << reader.readElementText(QXmlStreamReader::IncludeChildElements);
  EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString() << " in line "
                                  << reader.lineNumber();
  return texts;
}

TEST_F(Pictures, AGraphInSvgNamesEveryOperatorKernelAndVerdict) {
  const auto session = session_of("lenet");
  const auto picture = graph_picture(*session, {});
  ASSERT_TRUE(picture) << to_string(picture.error());
  ASSERT_TRUE(write_picture(*picture, FileFormat::Svg, file("lenet.svg")));
  const QByteArray svg = read(path("lenet.svg"));
  const QStringList texts = texts_of(svg);
  const auto graph = session->graph().value();
  for (const graph::NodePtr& node : graph->nodes())
    EXPECT_TRUE(texts.contains(QString::fromStdString(node->name))) << node->name;
  const auto plan = session->plan().value();
  for (const fusion::Group& group : plan->groups)
    if (group.nodes.size() > 1) {
      const std::string layer = fusion::layer_words(group, *graph);
      EXPECT_TRUE(texts.contains(QString::fromStdString(layer))) << layer;
      EXPECT_FALSE(texts.contains(QString::fromStdString(group.name))) << group.name;
    }
  qsizetype crosses = 0, apart = 0;
  for (const fusion::Decision& decision : plan->decisions)
    if (!decision.fused) {
      ++apart;
      EXPECT_TRUE(texts.contains(QString::fromUtf8(fusion::name(decision.reason).data())));
    }
  for (const QString& text : texts) crosses += text == "✕";
  EXPECT_EQ(crosses, apart);
  EXPECT_THAT(texts_of(svg, "title").join(' ').toStdString(), HasSubstr("step"));
  EXPECT_THAT(texts_of(svg, "desc").join(' ').toStdString(),
              HasSubstr("kernels by strategy dominator"));
}

using Area = views::CanvasPicture::Area;

const char* name_of(Area::Kind kind) {
  switch (kind) {
    case Area::Kind::Box: return "box";
    case Area::Kind::Attachment: return "what hangs on box";
    case Area::Kind::ClusterTitle: return "title of frame";
    case Area::Kind::BandTitle: return "title of band";
    case Area::Kind::Word: return "words of edge";
    case Area::Kind::Mark: return "mark of edge";
  }
  return "";
}

// What covers what; the shadow of what is gone lies behind what took its place.
std::vector<std::string> overlaps(const views::CanvasPicture& canvas) {
  std::vector<Area> areas = canvas.areas();
  std::erase_if(areas, [&](const Area& area) {
    return area.kind <= Area::Kind::Attachment && canvas.content().nodes[area.index].ghost;
  });
  std::ranges::sort(areas, {}, [](const Area& area) { return area.area.top(); });
  const auto words = [](const Area& area) {
    return fmt::format("{} {} at {:.0f},{:.0f}", name_of(area.kind), area.index, area.area.left(),
                       area.area.top());
  };
  std::vector<std::string> found;
  for (auto one = areas.begin(); one != areas.end(); ++one)
    for (auto other = one + 1; other != areas.end() && other->area.top() < one->area.bottom();
         ++other) {
      const bool of_one_box = one->kind <= Area::Kind::Attachment &&
                              other->kind <= Area::Kind::Attachment && one->index == other->index;
      const QRectF both = one->area & other->area;
      if (!of_one_box && both.width() > 0.01 && both.height() > 0.01)
        found.push_back(words(*one) + " and " + words(*other));
    }
  return found;
}

// A drawing is read: nothing covers anything else, however the network is folded and coloured.
TEST_F(Pictures, NothingCoversAnything) {
  const std::pair<const char*, GraphLook> looks[] = {
      {"as it is", {}},
      {"in one column", {.columns = false}},
      {"steady", {.steady = true}},
      {"blocks", {.fold = views::Folded::Blocks}},
      {"names", {.fold = views::Folded::Names}},
      {"kernels", {.kernels = true}},
      {"kernels in blocks", {.fold = views::Folded::Blocks, .kernels = true}},
      {"bytes", {.colors = views::Measure::Bytes}},
      {"bytes of blocks", {.fold = views::Folded::Blocks, .colors = views::Measure::Bytes}},
      {"bytes alive", {.colors = views::Measure::Memory}}};
  for (const samples::Sample& sample : samples::all_samples()) {
    const auto session = session_of(sample.name.c_str());
    for (const std::string place : {"", "input", "fold-batch-norm", "assign-layouts"})
      for (const auto& [look_name, look] : looks) {
        const bool is_plain = look.colors == views::Measure::Family && look.columns;
        if (!place.empty() && !is_plain) continue;
        const auto drawn = draw_graph(*session, place, look);
        ASSERT_TRUE(drawn) << to_string(drawn.error());
        EXPECT_THAT(overlaps(*drawn->canvas), ::testing::IsEmpty())
            << sample.name << " at '" << place << "', " << look_name;
      }
  }
}

// Where there is no room for all, verdicts come before their codes and before the types of tensors,
// and hardly any of these are missing.
TEST_F(Pictures, LittleIsLeftOutForWantOfRoom) {
  for (const char* sample : {"resnet50", "yolov4", "encoder"}) {
    const auto session = session_of(sample);
    const auto drawn = draw_graph(*session, {});
    ASSERT_TRUE(drawn) << to_string(drawn.error());
    const views::CanvasPicture& canvas = *drawn->canvas;
    int marks = 0, labels = 0, without_code = 0, without_sign = 0, without_label = 0;
    for (std::uint32_t e = 0; e < canvas.content().edges.size(); ++e) {
      const views::EdgeItem& edge = canvas.edge(e);
      const bool has_label = !canvas.content().edges[e].label.isEmpty();
      labels += has_label;
      without_label += has_label && !edge.label_area();
      if (edge.mark().code.isEmpty() || edge.mark().calm) continue;
      ++marks;
      without_code += !edge.shows_code();
      without_sign += !edge.shows_sign();
    }
    EXPECT_GT(marks, 15) << sample;
    EXPECT_LE(without_code * 10, marks) << sample;
    EXPECT_LE(without_sign * 20, marks) << sample;
    EXPECT_LE(without_label * 20, labels) << sample;
  }
}

// Colours of a scale are worth nothing without it: its name, its ends and what is between.
TEST_F(Pictures, ColoursHaveALegend) {
  const auto session = session_of("lenet");
  const auto plain = graph_picture(*session, {}).value();
  for (const auto& [measure, greatest] :
       {std::pair{views::Measure::Bytes, "18.4 KiB"}, {views::Measure::Memory, "23 KiB"}}) {
    GraphLook look;
    look.colors = measure;
    const auto picture = graph_picture(*session, {}, look).value();
    EXPECT_GT(picture.size.height(), plain.size.height() + 40);
    ASSERT_TRUE(write_picture(picture, FileFormat::Svg, file("heat.svg")));
    const QByteArray svg = read(path("heat.svg"));
    const QStringList texts = texts_of(svg);
    EXPECT_TRUE(texts.contains(views::measure_name(measure)));
    EXPECT_TRUE(texts.contains("0"));
    EXPECT_TRUE(texts.contains(greatest)) << texts.join(", ").toStdString();
    EXPECT_TRUE(texts.contains("conv1"));
    const views::ThemeScope light(views::Tone::Light);
    for (const double part : {0.0, 1.0})
      EXPECT_TRUE(svg.contains(views::theme().heat(part).name().toUtf8())) << part;
  }
}

TEST_F(Pictures, PaperIsLightInADarkWindow) {
  const auto session = session_of("lenet");
  const auto picture = graph_picture(*session, {}).value();
  ASSERT_TRUE(write_picture(picture, FileFormat::Png, file("dark.png")));
  const QImage dark(path("dark.png"));
  EXPECT_EQ(dark.pixelColor(1, 1), QColor("#ffffff"));
  EXPECT_EQ(dark.text("Title"), picture.title);
  views::set_theme(views::Tone::Light);
  const auto again = graph_picture(*session, {}).value();
  ASSERT_TRUE(write_picture(again, FileFormat::Png, file("light.png")));
  views::set_theme(views::Tone::Dark);
  const QImage light(path("light.png"));
  ASSERT_EQ(dark.size(), light.size());
  int differ = 0;
  for (int y = 0; y < dark.height(); ++y)
    for (int x = 0; x < dark.width(); ++x)
      if (dark.pixelColor(x, y) != light.pixelColor(x, y) && differ++ < 3)
        ADD_FAILURE() << "at " << x << ", " << y << ": "
                      << dark.pixelColor(x, y).name().toStdString() << " in the dark window, "
                      << light.pixelColor(x, y).name().toStdString();
  EXPECT_EQ(differ, 0);
}

TEST_F(Pictures, AStepShowsWhatItChanged) {
  const auto session = session_of("resnet50");
  const auto picture = graph_picture(*session, "fold-batch-norm");
  ASSERT_TRUE(picture) << to_string(picture.error());
  ASSERT_TRUE(write_picture(*picture, FileFormat::Svg, file("step.svg")));
  const QStringList texts = texts_of(read(path("step.svg")));
  EXPECT_TRUE(texts.contains("~") || texts.contains("+"));
  EXPECT_TRUE(texts.contains("−"));
  const auto none = graph_picture(*session, "no-such-pass");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::UsageInvalid);
}

// No room is kept for what other steps have, unless two steps are to be laid over one another.
TEST_F(Pictures, AGraphTakesTheRoomOfItsOwnStep) {
  const auto session = session_of("resnet50");
  const auto height = [&](const char* place, bool steady) {
    const GraphLook look{.columns = false, .steady = steady};
    return graph_picture(*session, place, look).value().size.height();
  };
  EXPECT_LT(height("", false), 0.75 * height("", true)) << "batch normalisations are gone";
}

TEST_F(Pictures, ATallGraphComesInColumnsAndFolded) {
  const auto session = session_of("resnet50");
  const auto page = graph_picture(*session, {}).value(),
             strip = graph_picture(*session, {}, {.columns = false}).value();
  EXPECT_GT(strip.size.height(), 4 * strip.size.width());
  EXPECT_LT(page.size.height(), 2 * page.size.width());
  const auto boxes = [&](const GraphLook& look, const char* name) {
    EXPECT_TRUE(
        write_picture(graph_picture(*session, {}, look).value(), FileFormat::Svg, file(name)));
    return texts_of(read(path(name)));
  };
  const QStringList all = boxes({}, "all.svg"),
                    blocks = boxes({.fold = views::Folded::Blocks}, "blocks.svg"),
                    kernels = boxes({.kernels = true}, "kernels.svg");
  EXPECT_LT(blocks.size(), all.size() / 2);
  EXPECT_LT(kernels.size(), all.size());
  EXPECT_THAT(blocks.join(' ').toStdString(), HasSubstr("×"));
}

TEST_F(Pictures, BoxesWearTheColoursOfWhatTheyCost) {
  const auto session = session_of("lenet");
  const auto texts = [&](const GraphLook& look) {
    EXPECT_TRUE(write_picture(graph_picture(*session, {}, look).value(), FileFormat::Svg,
                              file("colors.svg")));
    return texts_of(read(path("colors.svg"))).join(' ').toStdString();
  };
  EXPECT_THAT(texts({.colors = views::Measure::Memory}), HasSubstr("KiB"));
  const auto report =
      std::make_shared<const runtime::BenchmarkReport>(session->benchmark({}).value());
  EXPECT_THAT(texts({.colors = views::Measure::Time, .timings = report}), HasSubstr("%"));
  EXPECT_THAT(texts({.colors = views::Measure::Speed, .timings = report}), HasSubstr("GFLOP/s"));
  const auto refused =
      graph_picture(*session, {}, {.colors = views::Measure::Model, .timings = report});
  ASSERT_FALSE(refused) << "nobody has calibrated";
  EXPECT_EQ(refused.error().code, Code::UsageInvalid);
  Machine machine;
  machine.processor = "a machine";
  machine.peak_gflops.from = Provenance::Measured;
  session->set_cost_model(std::make_shared<const fusion::CostModel>(machine));
  EXPECT_THAT(texts({.colors = views::Measure::Model, .timings = report}), HasSubstr("× "))
      << "the scale says what boxes say";
  const QByteArray both_ways = read(path("colors.svg"));
  const views::ThemeScope light(views::Tone::Light);
  for (const double part : {-1.0, 0.0, 1.0})
    EXPECT_TRUE(both_ways.contains(views::theme().heat(part).name().toUtf8())) << part;
  EXPECT_EQ(views::scale_text(views::Measure::Model, 4, -1), "× 0.25");
  auto of_two = std::make_shared<runtime::BenchmarkReport>(*report);
  of_two->threads = 2;
  const auto unlike =
      graph_picture(*session, {}, {.colors = views::Measure::Model, .timings = of_two});
  ASSERT_FALSE(unlike) << "one thread is estimated";
  EXPECT_THAT(unlike.error().what, HasSubstr("on one thread"));
}

// The page is as large as the drawing, its text can be searched and copied.
TEST_F(Pictures, APdfHasOnePageWithText) {
  const auto session = session_of("lenet");
  const auto picture = graph_picture(*session, {}).value();
  ASSERT_TRUE(write_picture(picture, FileFormat::Pdf, file("lenet.pdf")));
  const QByteArray pdf = read(path("lenet.pdf"));
  EXPECT_TRUE(pdf.startsWith("%PDF-"));
  const QString about = QStandardPaths::findExecutable("pdfinfo"),
                reader = QStandardPaths::findExecutable("pdftotext");
  if (about.isEmpty() || reader.isEmpty()) GTEST_SKIP() << "poppler-utils is not installed";
  const QByteArray facts = said_by(about, {path("lenet.pdf")});
  EXPECT_THAT(facts.toStdString(), ::testing::ContainsRegex("Pages: +1\n"));
  EXPECT_THAT(facts.toStdString(), HasSubstr(picture.title.toStdString()));
  const auto size =
      QRegularExpression("Page size: +([0-9.]+) x ([0-9.]+) pts").match(QString::fromUtf8(facts));
  EXPECT_NEAR(size.captured(1).toDouble(), (picture.size.width() + 48) * 0.75, 2);
  EXPECT_NEAR(size.captured(2).toDouble(), (picture.size.height() + 48) * 0.75, 2);
  // Letters that are drawn as one, such as fl, are told apart again.
  const std::string text = QString::fromUtf8(said_by(reader, {path("lenet.pdf"), "-"}))
                               .normalized(QString::NormalizationForm_KC)
                               .toStdString();
  const auto graph = session->graph().value();
  for (const graph::NodePtr& node : graph->nodes()) EXPECT_THAT(text, HasSubstr(node->name));
}

TEST_F(Pictures, DominatorsAndMemory) {
  const auto session = session_of("lenet");
  for (const auto direction : {graph::Direction::Dominators, graph::Direction::PostDominators}) {
    const auto tree = dominator_picture(*session, {}, direction);
    ASSERT_TRUE(tree && write_picture(*tree, FileFormat::Svg, file("tree.svg")));
    const QStringList texts = texts_of(read(path("tree.svg")));
    const auto graph = session->graph().value();
    for (const graph::NodePtr& node : graph->nodes())
      EXPECT_TRUE(texts.contains(QString::fromStdString(node->name))) << node->name;
    EXPECT_TRUE(
        texts.contains(direction == graph::Direction::Dominators ? "all inputs" : "all outputs"));
  }
  const auto plan = session->memory_plan().value();
  const auto memory =
      memory_picture("LeNet", plan, session->graph().value(), session->plan().value());
  ASSERT_TRUE(memory && write_picture(*memory, FileFormat::Svg, file("memory.svg")));
  const QStringList texts = texts_of(read(path("memory.svg")));
  EXPECT_TRUE(texts.contains("kernels in the order in which they run"));
  EXPECT_TRUE(texts.join(' ').contains("lower bound"));
}

TEST_F(Pictures, RoundsOfABenchmark) {
  runtime::BenchmarkReport report;
  report.network = runtime::summarise({2, 3, 4});
  const Picture picture = rounds_picture("LeNet", {2, 3, 4}, report);
  ASSERT_TRUE(write_picture(picture, FileFormat::Svg, file("rounds.svg")));
  const QString texts = texts_of(read(path("rounds.svg"))).join('\n');
  EXPECT_TRUE(texts.contains("median 3.00 ms"));
  EXPECT_TRUE(texts.contains("milliseconds"));
  ASSERT_TRUE(write_picture(picture, FileFormat::Pdf, file("rounds.pdf")));
}

// Names come from files. No name makes a file that its readers refuse.
TEST_F(Pictures, HostileNames) {
  for (const std::string name :
       {"<b>&amp;\"'</text>", "bell\x07 escape\x1b[31m", "not\xff utf8", "\xef\xbf\xbe none"}) {
    const auto session = session_with_name(name);
    const auto picture = graph_picture(*session, "input");
    ASSERT_TRUE(picture && write_picture(*picture, FileFormat::Svg, file("hostile.svg"))) << name;
    EXPECT_FALSE(texts_of(read(path("hostile.svg"))).isEmpty()) << name;
    EXPECT_TRUE(write_picture(*picture, FileFormat::Pdf, file("hostile.pdf"))) << name;
  }
}

Picture blank(QSizeF size) {
  return {"blank", {}, size, [](QPainter&, const GoOn&) {}};
}

TEST_F(Pictures, WhatCannotBeWrittenIsRefusedAndTheOldFileStays) {
  const auto nowhere = write_picture(blank({10, 10}), FileFormat::Svg, file("no/such/folder.svg"));
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::ExportUnwritable);
  ASSERT_TRUE(write_picture(blank({10, 10}), FileFormat::Pdf, file("kept.pdf")));
  const QByteArray before = read(path("kept.pdf"));
  const auto large = write_picture(blank({100, 4e6}), FileFormat::Pdf, file("kept.pdf"));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::ExportTooLarge);
  const auto larger = write_picture(blank({40'000, 40'000}), FileFormat::Png, file("kept.pdf"));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().code, Code::ExportTooLarge);
  const Cancellation cancellation;
  cancellation.request();
  const auto stopped =
      write_picture(blank({10, 10}), FileFormat::Pdf, file("kept.pdf"), {}, cancellation);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::Cancelled);
  EXPECT_EQ(read(path("kept.pdf")), before);
}

std::unique_ptr<Session> session_of_many(int operators) {
  graph::GraphBuilder builder("many");
  graph::ValueId value = builder.add_input("x", TensorType{DataType::Float32, {1}});
  for (int i = 0; i < operators; ++i) {
    const auto node = builder.add_node("n", *ops::find_operator("Sigmoid"), {value}, {});
    value = builder.output(node.value());
  }
  builder.set_outputs({value});
  SessionOptions options;
  options.pipeline = "remove-dead-code";
  options.strategy = "none";
  return session_on(std::move(builder).finish().value(), std::move(options));
}

// Refused before anything is laid out.
TEST_F(Pictures, AGraphOfManyOperatorsIsRefused) {
  const auto page = make_page(*session_of_many(5'001), {});
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, Code::ExportTooLarge);
  const auto many = session_of_many(30'001);
  for (const auto& refused :
       {graph_picture(*many, {}), dominator_picture(*many, {}, graph::Direction::Dominators)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::ExportTooLarge);
  }
}

TEST_F(Pictures, ADrawingOfManyBoxesIsRefused) {
  views::CanvasContent content;
  layout::Layout layout;
  std::vector<QSizeF> sizes;
  for (int i = 0; i < 30'001; ++i) {
    content.nodes.emplace_back();
    sizes.emplace_back(10, 10);
    layout.centres.push_back({0, 20.0 * i});
  }
  const auto picture = canvas_picture(
      "many", {},
      std::make_shared<views::CanvasPicture>(std::move(content), std::move(sizes),
                                             std::make_shared<layout::Layout>(std::move(layout)),
                                             views::CanvasOverlay{}));
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().code, Code::ExportTooLarge);
}

}  // namespace
}  // namespace loopglass::app
