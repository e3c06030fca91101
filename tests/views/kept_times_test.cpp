// Measured times come up again with their session, and only where they are true.
#include "tests/views/measured.h"
#include "tests/views/session_window.h"
#include "views/bench/bench_view.h"
#include "views/graph/graph_view.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

namespace loopglass::app {
namespace {

class KeptTimes : public WithSessions {
 protected:
  // A window that has measured the sample, and has gone.
  void measure(const char* colors = "") {
    auto used = window();
    used->window.open("mlp");
    ASSERT_TRUE(used->settled());
    color(*used, colors);
    used->document.benchmark().start(1, 3);
    ASSERT_TRUE(used->settled());
    ASSERT_TRUE(used->document.benchmark().report());
    EXPECT_EQ(used->document.benchmark().measured_words(), "") << "it was measured just now";
    measured_ = *used->document.benchmark().report();
    used->sessions().flush();
  }
  static void color(SessionWindow& used, const char* colors) {
    views::GraphView::Switches switches = used.window.panes().graph()->switches();
    switches.colors = colors;
    used.window.panes().graph()->set_switches(switches);
    ASSERT_TRUE(used.settled());
  }
  // What the window kept, otherwise.
  template <class Change>
  void change(const Change& change) {
    const auto file = kept_sessions().front().file;
    SavedSession session = read_session(file).value();
    change(session);
    ASSERT_TRUE(write_session(file, session));
  }
  std::unique_ptr<SessionWindow> again() {
    auto used = window();
    EXPECT_TRUE(used->sessions().restore());
    EXPECT_TRUE(used->settled());
    return used;
  }

  runtime::BenchmarkReport measured_;
};

TEST_F(KeptTimes, ComeUpAgainWithTheirDate) {
  measure();
  auto used = again();
  ASSERT_TRUE(used->document.benchmark().report());
  EXPECT_EQ(*used->document.benchmark().report(), measured_);
  EXPECT_EQ(used->document.benchmark().round_times().size(), 3u);
  EXPECT_TRUE(used->document.benchmark().measured_words().startsWith("measured on 20"));
  const auto says_when = [&](const QWidget& view) {
    const auto labels = view.findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](const QLabel* label) {
      return label->text().contains(used->document.benchmark().measured_words());
    });
  };
  EXPECT_TRUE(says_when(used->window));
}

// Verdicts, too, with the schedules that they are of.
TEST_F(KeptTimes, ComeUpAgainWithVerdictsOnKernels) {
  std::vector<JudgedKernel> judged;
  {
    auto used = window(views::options_with_workers());
    used->window.open("mlp");
    ASSERT_TRUE(used->settled());
    views::RooflineStage& roofline = used->document.roofline();
    ASSERT_EQ(roofline.hindrance(), "");
    roofline.start(1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !roofline.is_working(); }, 60'000));
    ASSERT_TRUE(used->settled());
    judged = roofline.kernels();
    ASSERT_GT(judged.size(), 1u);
    EXPECT_EQ(roofline.measured_words(), "");
    used->sessions().flush();
  }
  auto used = again();
  const views::RooflineStage& roofline = used->document.roofline();
  EXPECT_EQ(roofline.kernels(), judged);
  EXPECT_TRUE(roofline.measured_words().startsWith("measured on 20"));
  used->document.set_strategy("none");
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(roofline.kernels().empty()) << "they are of another plan";
  used->document.undo();
  ASSERT_TRUE(used->settled());
  EXPECT_EQ(roofline.kernels(), judged);
}

// Whoever measures again measures as before.
TEST_F(KeptTimes, SayHowToMeasureAgain) {
  measure();
  auto used = again();
  const auto* benchmark = used->window.panes().benchmark();
  EXPECT_EQ(benchmark->findChild<QSpinBox*>("benchmarkRounds")->value(), 3);
  EXPECT_EQ(benchmark->findChild<QSpinBox*>("benchmarkThreads")->value(), 1);
}

// Under another plan nothing is shown, and why; with the old one they are back.
TEST_F(KeptTimes, AreOfTheirPlan) {
  measure();
  auto used = again();
  used->document.set_strategy("none");
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(used->document.benchmark().report());
  EXPECT_TRUE(used->document.benchmark().other_times_words().endsWith("are of another plan"));
  used->document.undo();
  ASSERT_TRUE(used->settled());
  ASSERT_TRUE(used->document.benchmark().report());
  EXPECT_EQ(*used->document.benchmark().report(), measured_);
}

TEST_F(KeptTimes, OfAnotherVersionMachineOrModelAreNotShown) {
  measure();
  change([](SavedSession& session) { session.times->of.compiler = "0"; });
  {
    auto used = again();
    EXPECT_FALSE(used->document.benchmark().report());
    EXPECT_TRUE(used->document.benchmark().other_times_words().endsWith(
        "are of another version of Loopglass"));
  }
  change([](SavedSession& session) { session.times->of.machine = "a slow one"; });
  {
    auto used = again();
    EXPECT_FALSE(used->document.benchmark().report());
    EXPECT_TRUE(
        used->document.benchmark().other_times_words().contains("another machine (a slow one)"));
  }
  // A sample has no stamp: what was stamped is another model.
  change([](SavedSession& session) {
    session.times->of = {};
    session.stamp = ModelStamp{5, "00"};
  });
  auto used = again();
  EXPECT_FALSE(used->document.benchmark().last_times());
}

// A graph that is to be coloured by times says what there is to do where there are none.
TEST_F(KeptTimes, WhereThereAreNoneOneIsOfferedToMeasure) {
  measure("time");
  auto* const offer_name = "measureOffer";
  {
    auto used = again();
    EXPECT_FALSE(used->window.findChild<QPushButton*>(offer_name)->isVisible());
    EXPECT_TRUE(used->document.benchmark().report());
  }
  change([](SavedSession& session) { session.times.reset(); });
  auto used = again();
  auto* offer = used->window.findChild<QPushButton*>(offer_name);
  ASSERT_TRUE(offer);
  ASSERT_FALSE(used->document.benchmark().report());
  EXPECT_TRUE(offer->isVisible());
  offer->click();
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(used->document.benchmark().report());
  EXPECT_FALSE(offer->isVisible());
  color(*used, "");
  EXPECT_FALSE(offer->isVisible());
}

}  // namespace
}  // namespace loopglass::app
