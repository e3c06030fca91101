// The page for a browser, opened in Chromium without a display. What is asserted is what its
// document holds after its script has run: which lines, operators and edges are lit.
#include "app/export/page.h"
#include "core/codegen/kernel_listings.h"
#include "core/fusion/layer_words.h"
#include "core/support/readable_bytes.h"
#include "tests/export/exported.h"

#include <QRegularExpression>
#include <QUrl>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Page : public ExportTest {
 protected:
  void SetUp() override {
    browser_ = QStandardPaths::findExecutable("chromium");
    if (browser_.isEmpty()) GTEST_SKIP() << "Chromium is not installed";
  }

  void write(Session& session) {
    const auto done = write_page(session, {}, file("page.html"));
    ASSERT_TRUE(done) << to_string(done.error());
  }

  // The document at this address, once `act` has run in it too. The page's policy lets no other
  // script run, so a page with one is another page without a policy.
  QString document(const QString& address = {}, const QString& act = {}) {
    QString shown = path("page.html");
    if (!act.isEmpty()) {
      QByteArray text = read(shown);
      const auto policy = text.indexOf("<meta http-equiv"), end = text.indexOf('>', policy);
      text.remove(policy, end - policy + 1);
      text.replace("</body>", "<script>" + act.toUtf8() + "</script></body>");
      shown = path("acted.html");
      QFile acted(shown);
      EXPECT_TRUE(acted.open(QIODevice::WriteOnly));
      acted.write(text);
    }
    QUrl url = QUrl::fromLocalFile(shown);
    const QString whole =
        url.toString(QUrl::FullyEncoded) + (address.isEmpty() ? QString() : "#" + address);
    const QString dom = QString::fromUtf8(said_by(
        browser_, {"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--user-data-dir=" + path("profile"),
                   "--virtual-time-budget=10000", "--window-size=1280,720", "--dump-dom", whole}));
    EXPECT_TRUE(dom.contains("data-ready=\"yes\"")) << "the page's script did not run to its end";
    return dom;
  }

  // Numbers of the lines that are lit in the text shown: asm, lowered.
  static std::set<int> lit(const QString& dom, const QString& text) {
    static const QRegularExpression item("<li ([^>]*)>"), number("data-line=\"(\\d+)\""),
        lit_class("class=\"[^\"]*\\blit\\b[^\"]*\"");
    const auto list = dom.indexOf(QRegularExpression("<ol [^>]*data-text=\"" + text + "\""));
    EXPECT_GE(list, 0) << "no list of " << text.toStdString();
    const QString lines = dom.mid(list, dom.indexOf("</ol>", list) - list);
    std::set<int> found;
    for (auto match = item.globalMatch(lines); match.hasNext();) {
      const QString attributes = match.next().captured(1);
      if (lit_class.match(attributes).hasMatch())
        found.insert(number.match(attributes).captured(1).toInt());
    }
    return found;
  }
  // The names that elements of the graph with this class wear.
  static std::set<std::string> named(const QString& dom, const QString& kind,
                                     const QString& state) {
    std::set<std::string> found;
    const QRegularExpression element("<g ([^>]*class=\"([^\"]*)\"[^>]*)>");
    const QRegularExpression name(QString("data-%1=\"([^\"]*)\"")
                                      .arg(kind == "edge"   ? "edge"
                                           : kind == "hull" ? "kernel"
                                                            : "name"));
    for (auto match = element.globalMatch(dom); match.hasNext();) {
      const auto one = match.next();
      const QStringList classes = one.captured(2).split(' ');
      if (classes.contains(kind) && classes.contains(state))
        found.insert(name.match(one.captured(1)).captured(1).toStdString());
    }
    return found;
  }

  QString browser_;
};

// Where lines came from, as the compiler says it.
struct Lines {
  explicit Lines(Session& session, const std::string& op) {
    const auto graph = session.graph().value();
    id = graph->find_node(op)->id;
    kernel = session.plan().value()->group_of(id);
    listings = session.listings(kernel).value();
  }
  const loop::Line& loop(int line) const {
    return listings->loops().lines[static_cast<std::size_t>(line - 1)];
  }
  std::set<int> assembly_from(const std::set<int>& loops) const {
    std::set<int> found;
    int number = 0;
    for (const codegen::SourceLine& line : listings->assembly())
      if (++number; line.loop_line > 0 && loops.contains(line.loop_line)) found.insert(number);
    return found;
  }
  // Statements that do work of the operator.
  std::set<int> statements() const {
    std::set<int> found;
    for (int line = 1; line <= static_cast<int>(listings->loops().lines.size()); ++line)
      if (const loop::Line& shown = loop(line); shown.last == line &&
                                                shown.text.find('}') == std::string::npos &&
                                                shown.origin.contains(id.value))
        found.insert(line);
    return found;
  }

  graph::NodeId id;
  fusion::GroupId kernel;
  std::shared_ptr<const codegen::KernelListings> listings;
};

TEST_F(Page, AnOperatorLightsItsLoopsAndItsAssembly) {
  const auto session = session_of("lenet");
  write(*session);
  std::set<std::set<int>> different;
  for (const char* name : {"conv2", "relu2"}) {
    const Lines lines(*session, name);
    const QString dom = document(QString("operator=%1").arg(name));
    EXPECT_EQ(named(dom, "op", "chosen"), std::set<std::string>{name});
    const std::set<int> loops = lit(dom, "lowered");
    const std::set<int> work = lines.statements();
    ASSERT_FALSE(work.empty());
    EXPECT_TRUE(std::includes(loops.begin(), loops.end(), work.begin(), work.end())) << name;
    // Whatever else is lit is around nothing else.
    for (const int line : loops)
      if (!work.contains(line)) {
        EXPECT_THAT(lines.loop(line).text,
                    ::testing::MatchesRegex(
                        "(@[a-z_]+(=\"[^\"]*\")? )*(for|func|alloc|if) .*|} *(else \\{)?"));
      }
    EXPECT_FALSE(lines.assembly_from(loops).empty());
    EXPECT_EQ(lit(dom, "asm"), lines.assembly_from(loops)) << name;
    different.insert(loops);
  }
  EXPECT_EQ(different.size(), 2u);
}

// As people do it: a click on a line of assembly, on an operator, on an edge.
TEST_F(Page, ClicksLeadFromAssemblyToLoopsToOperators) {
  const auto session = session_of("lenet");
  write(*session);
  const Lines lines(*session, "relu2");
  int number = 0, clicked = 0;
  for (const codegen::SourceLine& line : lines.listings->assembly())
    if (++number; line.loop_line > 0 && lines.loop(line.loop_line).origin.contains(lines.id.value))
      clicked = number;
  ASSERT_GT(clicked, 0);
  const int loop = lines.listings->assembly()[static_cast<std::size_t>(clicked - 1)].loop_line;
  const QString select =
      QString(
          "const kernels = document.getElementById('kernels'); kernels.value = %1;"
          "kernels.dispatchEvent(new Event('change'));")
          .arg(lines.kernel.value);
  const QString dom = document(
      {}, select + QString("document.querySelector('#machine-pane li[data-line=\"%1\"]').click();")
                       .arg(clicked));
  EXPECT_EQ(lit(dom, "lowered"), std::set<int>{loop});
  EXPECT_EQ(lit(dom, "asm"), lines.assembly_from({loop}));
  std::set<std::string> from;
  const auto graph = session->graph().value();
  for (const std::uint32_t source : lines.loop(loop).origin.sources)
    from.insert(graph->node(graph::NodeId{source}).name);
  EXPECT_EQ(named(dom, "op", "lit"), from);

  const QString by_click = document({},
                                    "document.querySelector('.op[data-name=conv2]').dispatchEvent("
                                    "new MouseEvent('click', {bubbles: true}));");
  EXPECT_EQ(lit(by_click, "asm"), lit(document("operator=conv2"), "asm"));
}

TEST_F(Page, AnEdgeTellsItsVerdict) {
  const auto session = session_of("lenet");
  write(*session);
  const auto graph = session->graph().value();
  const auto plan = session->plan().value();
  const auto apart = std::find_if(plan->decisions.begin(), plan->decisions.end(),
                                  [](const fusion::Decision& decision) {
                                    return !decision.fused && !decision.condition.empty();
                                  });
  ASSERT_NE(apart, plan->decisions.end());
  const std::string edge =
      graph->node(apart->producer).name + ":" + graph->node(apart->consumer).name;
  const QString dom = document("edge=" + QString::fromStdString(edge));
  EXPECT_EQ(named(dom, "edge", "chosen"), std::set<std::string>{edge});
  const auto begin = dom.indexOf("id=\"card\"");
  const std::string card = dom.mid(begin, dom.indexOf("</section>", begin) - begin).toStdString();
  EXPECT_THAT(card, HasSubstr(std::string(fusion::name(apart->reason))));
  EXPECT_THAT(card, HasSubstr(QString::fromStdString(apart->condition)
                                  .toHtmlEscaped()
                                  .replace("&quot;", "\"")
                                  .toStdString()));
  EXPECT_THAT(card, HasSubstr("✕ not fused"));
  const QString clicked =
      document({}, QString("document.querySelector('.edge[data-edge=\"%1\"]')"
                           ".dispatchEvent(new MouseEvent('click', {bubbles: true}));")
                       .arg(QString::fromStdString(edge)));
  EXPECT_EQ(named(clicked, "edge", "chosen"), std::set<std::string>{edge});
}

// The step it opens at is a page to be read; in between what two steps have stands in the same
// place.
TEST_F(Page, OpensOnADrawingWithRoomForItselfAlone) {
  write(*session_of("resnet50"));
  const auto places = [this](const QString& address) {
    static const QRegularExpression place(R"(translate\(([-\d.]+) ([-\d.]+)\))");
    const QString dom = document(address);
    std::pair<double, double> far;
    for (auto match = place.globalMatch(dom); match.hasNext();) {
      const auto one = match.next();
      far.first = std::max(far.first, one.captured(1).toDouble());
      far.second = std::max(far.second, one.captured(2).toDouble());
    }
    return far;
  };
  const auto [width, height] = places({});
  EXPECT_GT(width, 100);
  EXPECT_LT(height, 2 * width) << "in columns";
  const auto before = places("step=13"), after = places("step=14");
  EXPECT_GT(before.second, 4 * before.first);
  EXPECT_EQ(before, after) << "the last box of both";
}

TEST_F(Page, SaysWhatTheWindowSays) {
  const auto session = session_of("lenet");
  write(*session);
  const auto graph = session->graph().value();
  const auto plan = session->plan().value();
  const auto group = std::ranges::find_if(
      plan->groups, [](const fusion::Group& each) { return each.nodes.size() > 1; });
  ASSERT_NE(group, plan->groups.end());
  const std::string layers = fusion::layer_words(*group, *graph);
  ASSERT_NE(layers, group->name);
  const std::string dom = document(QString("kernel=%1").arg(group->id.value)).toStdString();
  const auto words = QString::fromStdString(layers).toHtmlEscaped().toStdString();
  EXPECT_THAT(dom, HasSubstr("<b>" + words + "</b>"));
  EXPECT_THAT(dom, HasSubstr(fmt::format(">{} {}</option>", group->id.value, words)));
  EXPECT_THAT(dom, HasSubstr(">" + words + "</text>"));
  // Bytes have their unit.
  const auto sized = std::ranges::find_if(plan->decisions, [](const fusion::Decision& decision) {
    return std::ranges::any_of(decision.numbers,
                               [](const auto& number) { return number.first == "bytes"; });
  });
  ASSERT_NE(sized, plan->decisions.end());
  const std::string card =
      document(QString::fromStdString("edge=" + graph->node(sized->producer).name + ":" +
                                      graph->node(sized->consumer).name))
          .toStdString();
  const double bytes = std::ranges::find(sized->numbers, "bytes", [](const auto& number) {
                         return number.first;
                       })->second;
  EXPECT_THAT(card, HasSubstr("bytes = " + readable_bytes(static_cast<std::int64_t>(bytes))));
}

TEST_F(Page, StepsShowTheirGraphs) {
  const auto session = session_of("resnet50");
  write(*session);
  EXPECT_LT(read(path("page.html")).size(), 10'000'000);
  const auto history = session->graph_history().value();
  const auto boxes = [&](const QString& dom) {
    std::set<std::string> names;
    const QRegularExpression op("<g [^>]*class=\"op\\b[^>]*>"), name("data-name=\"([^\"]*)\"");
    for (auto match = op.globalMatch(dom); match.hasNext();)
      names.insert(name.match(match.next().captured(0)).captured(1).toStdString());
    return names;
  };
  const std::set<std::string> first = boxes(document("step=0")), last = boxes(document());
  for (const graph::NodePtr& node : history->at(0).nodes())
    EXPECT_TRUE(first.contains(node->name)) << node->name;
  for (const graph::NodePtr& node : history->last().nodes())
    EXPECT_TRUE(last.contains(node->name)) << node->name;
  // An operator that is gone in the end leads to the step that has it last.
  const auto gone =
      std::find_if(history->at(0).nodes().begin(), history->at(0).nodes().end(),
                   [&](const graph::NodePtr& node) { return !history->last().find(node->id); });
  ASSERT_NE(gone, history->at(0).nodes().end());
  EXPECT_EQ(
      named(document("operator=" + QUrl::toPercentEncoding(QString::fromStdString((*gone)->name))),
            "op", "chosen"),
      std::set<std::string>{(*gone)->name});
}

// Names are text wherever they come: they end no element, run nothing and load nothing.
TEST_F(Page, HostileNamesAreText) {
  const std::string name = "</script><img src=x onerror=\"document.title='owned'\"><!--";
  const auto session = session_with_name(name);
  write(*session);
  const QByteArray page = read(path("page.html"));
  EXPECT_EQ(page.count("</script>"), 2);
  EXPECT_FALSE(page.contains("<img"));
  const QString address =
      "step=0&operator=" + QUrl::toPercentEncoding(QString::fromStdString(name));
  // With a policy that would let scripts run, and a search that finds it: there is no such element.
  const QString dom =
      document(address,
               "document.querySelector('#search').value = 'onerror';"
               "document.querySelector('#search').dispatchEvent(new Event('input'));"
               "document.documentElement.dataset.images = document.images.length;");
  EXPECT_TRUE(dom.contains("data-images=\"0\""));
  EXPECT_TRUE(dom.contains("1 found"));
  for (const QString& shown : {dom, document(address)}) {
    EXPECT_FALSE(shown.contains("<title>owned"));
    EXPECT_EQ(shown.count(QRegularExpression("<g [^>]*class=\"op[^\"]* chosen")), 1);
  }
}

// It opens with the bounds of a graph in view, and no code stands out of them.
TEST_F(Page, CodesAreWithinTheBoundsOfTheirGraph) {
  const auto session = session_of("lenet");
  write(*session);
  const std::string page = read(path("page.html")).toStdString(),
                    opening = "<script type=\"application/json\" id=\"session\">";
  const std::size_t begin = page.find(opening) + opening.size();
  const auto json =
      nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  int codes = 0;
  for (const auto& graph : json.at("graphs"))
    for (const auto& edge : graph.at("edges")) {
      if (edge.size() < 4) continue;
      const auto& mark = json.at("verdicts").at(edge.at(3).get<std::size_t>()).at("mark");
      if (mark.size() < 4) continue;
      ++codes;
      const double left = mark.at(2), width = mark.at(3);
      const auto& bounds = graph.at("bounds");
      const double from = bounds.at(0), room = bounds.at(2);
      EXPECT_GE(left, from);
      EXPECT_LE(left + width, from + room);
    }
  EXPECT_GT(codes, 4);
}

TEST_F(Page, LoadsNothingAndLetsNothingElseRun) {
  const auto session = session_of("mlp");
  write(*session);
  const std::string page = read(path("page.html")).toStdString();
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(::testing::ContainsRegex("(src|href)=\"https?:")));
  EXPECT_THAT(page, Not(HasSubstr("innerHTML")));
  // A script of somebody else's in the page is not run.
  std::string stranger = page;
  stranger.replace(stranger.find("</body>"), 7, "<script>document.title = 'owned'</script></body>");
  QFile file(path("page.html"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(stranger.data(), static_cast<qint64>(stranger.size()));
  file.close();
  EXPECT_FALSE(document().contains("<title>owned"));
}

}  // namespace
}  // namespace loopglass::app
