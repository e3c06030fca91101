// The guilty rewrite, found among steps and rewrites that are right.
#include "core/debug/bisect.h"

#include "tests/debug/debug_graphs.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

namespace loopglass::debug {
namespace {

using ::testing::ElementsAre;

pass::GraphPass right(std::string name) {
  return replace_each(std::move(name), "Add", [](const std::string&) { return "Add"; });
}
pass::GraphPass wrong(std::string name, std::string victim) {
  return replace_each(std::move(name), "Add",
                      [=](const std::string& node) { return node == victim ? "Sub" : "Add"; });
}

// Changes the graph and reports nothing.
pass::GraphPass silent(std::string name) {
  const auto run = [](const graph::Graph& graph, pass::Report&) -> Result<graph::Graph> {
    graph::GraphBuilder builder(graph);
    const graph::ValueId output = graph.outputs()[0];
    const auto made = TRY(builder.add_node("negated", op("Neg"), {output}, {}));
    builder.set_outputs({builder.output(made)});
    return std::move(builder).finish();
  };
  return {{std::move(name), "negates the network", "a test"}, run};
}

// By values, against the earlier position.
Result<BisectReport> by_values(Session& session, pass::Position good, pass::Position bad,
                               bool thorough = false) {
  Evaluator evaluator(passes::toolchain(), 1);
  const pass::Position first = std::min(good, bad);
  const auto reference = TRY(session.graph_at(first.step, first.rewrites));
  const auto predicate = results_differ(evaluator, reference, random_inputs(*reference, 1));
  return bisect(session, good, bad, predicate, {thorough, {}});
}

pass::Position last(Session& session) {
  return {session.graph_history().value()->steps.size() - 1};
}

// The real pipeline around it removes the identity and merges what is equal; the wrong pass
// subtracts at "d", the fourth of five additions.
TEST(Bisect, FindsTheWrongRewriteInARealPipeline) {
  auto session = session_on(additions(), "@canonical, first, wrong, second, @canonical",
                            with({right("first"), wrong("wrong", "d"), right("second")}));
  const auto report = by_values(*session, {0}, last(*session)).value();
  ASSERT_EQ(report.outcome, BisectOutcome::Found);
  const Culprit& culprit = *report.culprit;
  EXPECT_EQ(culprit.pass, "wrong");
  ASSERT_TRUE(culprit.rewrite);
  EXPECT_EQ(culprit.rewrite->rule, "wrong");
  EXPECT_EQ(culprit.rewrite->detail, "d made anew");
  EXPECT_EQ(culprit.number, 4u);
  EXPECT_THAT(culprit.consumed, ElementsAre(::testing::StartsWith("d")));
  EXPECT_EQ(culprit.made.size(), 1u);
  EXPECT_EQ(culprit.before, (pass::Position{culprit.after.step, 3}));
  EXPECT_EQ(culprit.after.rewrites, 4u);
  EXPECT_FALSE(culprit.verdict_before.bad);
  EXPECT_TRUE(culprit.verdict_after.bad);
  EXPECT_THAT(culprit.verdict_after.numbers,
              ::testing::Contains(std::pair<std::string, double>("outside", 6)));
}

// What a network makes of a millionth, rounding makes of it as well.
TEST(Bisect, SaysWhatRoundingAloneDoes) {
  const auto waves = [](const char* factor) {
    return std::make_shared<const graph::Graph>(test::graph_of(std::string(R"(
  input %x: float32[8]
  const %f: float32[] = [)") + factor + R"(]
  %m: float32[8] = Mul(%x, %f) "m"
  %y: float32[8] = Sin(%m) "y"
  output %y)"));
  };
  Evaluator evaluator(passes::toolchain(), 1);
  const auto wild = waves("1e6"), tame = waves("1");
  const auto verdict = [&](const auto& reference, const auto& other) {
    return *results_differ(evaluator, reference, random_inputs(*reference, 1))({}, other);
  };
  EXPECT_TRUE(verdict(wild, waves("1000001")).bad);
  EXPECT_THAT(verdict(wild, waves("1000001")).text, ::testing::HasSubstr("rounding may be all"));
  EXPECT_TRUE(verdict(tame, waves("2")).bad);
  EXPECT_THAT(verdict(tame, waves("2")).text,
              ::testing::Not(::testing::HasSubstr("rounding may be all")));
}

TEST(Bisect, EitherOrderOfTheEndsWillDo) {
  auto session =
      session_on(additions(), "first, wrong", with({right("first"), wrong("wrong", "a")}));
  const auto report = by_values(*session, last(*session), {0}).value();
  ASSERT_EQ(report.outcome, BisectOutcome::Found);
  EXPECT_EQ(report.culprit->number, 1u);
  EXPECT_EQ(report.culprit->before, (pass::Position{2, 0}));
}

TEST(Bisect, TheEndsMayLieInsideAStep) {
  auto session = session_on(additions(), "wrong", with({wrong("wrong", "c")}));
  const auto found = by_values(*session, {1, 1}, {1, 4}).value();
  ASSERT_EQ(found.outcome, BisectOutcome::Found);
  EXPECT_EQ(found.culprit->number, 3u);
  EXPECT_EQ(by_values(*session, {1, 0}, {1, 2}).value().outcome, BisectOutcome::NoDisagreement);
  EXPECT_EQ(by_values(*session, {1, 3}, {1}).value().outcome, BisectOutcome::NoDisagreement);
}

TEST(Bisect, AStepThatReportsNoRewriteIsNamedAsAWhole) {
  auto session = session_on(additions(), "first, silent", with({right("first"), silent("silent")}));
  const auto report = by_values(*session, {0}, last(*session)).value();
  ASSERT_EQ(report.outcome, BisectOutcome::Found);
  EXPECT_EQ(report.culprit->pass, "silent");
  EXPECT_FALSE(report.culprit->rewrite);
  EXPECT_EQ(report.culprit->number, 0u);
}

TEST(Bisect, WhereNothingDisagreesItSaysSo) {
  auto session = session_on(additions(), "default");
  const auto report = by_values(*session, {0}, last(*session)).value();
  EXPECT_EQ(report.outcome, BisectOutcome::NoDisagreement);
  EXPECT_FALSE(report.culprit);
}

// A predicate by the number of additions left stands for any measurement, such as time.
Predicate more_than(int limit, int& asked) {
  return [limit, &asked](const pass::Position&,
                         const std::shared_ptr<const graph::Graph>& graph) -> Result<Verdict> {
    ++asked;
    const auto nodes = static_cast<double>(graph->nodes().size());
    return Verdict{nodes > limit, {{"operators", nodes}}, "counted"};
  };
}

// Puts a negation and its undoing behind the output, so many times.
pass::GraphPass grow(std::string name, int times) {
  const auto run = [=](const graph::Graph& graph, pass::Report& report) -> Result<graph::Graph> {
    graph::GraphBuilder builder(graph);
    graph::ValueId output = graph.outputs()[0];
    for (int i = 0; i < times && report.may_rewrite(); ++i) {
      const auto there = TRY(builder.add_node("there", op("Neg"), {output}, {}));
      const auto back = TRY(builder.add_node("back", op("Neg"), {builder.output(there)}, {}));
      output = builder.output(back);
      report.rewrite({"grow", {}, {there.value, back.value}, "grown"});
    }
    builder.set_outputs({output});
    return std::move(builder).finish();
  };
  return {{std::move(name), "makes the network slower", "a test"}, run};
}

TEST(Bisect, APredicateOfTheCallersDecides) {
  auto session = session_on(additions(), "first, grow, second",
                            with({right("first"), grow("grow", 100), right("second")}));
  int asked = 0;
  const auto report = bisect(*session, {0}, last(*session), more_than(7 + 2 * 60, asked)).value();
  ASSERT_EQ(report.outcome, BisectOutcome::Found);
  EXPECT_EQ(report.culprit->pass, "grow");
  EXPECT_EQ(report.culprit->number, 61u);
  EXPECT_EQ(report.culprit->verdict_before.numbers[0].second, 127);
  EXPECT_EQ(report.culprit->verdict_after.numbers[0].second, 129);
  EXPECT_EQ(report.culprit->made.size(), 2u);
  EXPECT_LE(asked, 11);  // two ends, two steps, seven halvings
  EXPECT_EQ(static_cast<std::size_t>(asked), report.probes.size());
}

// Positions that share a graph are one question, and it is put where the caller said.
TEST(Bisect, AsksAtTheEndsThatWereNamedAndNothingTwice) {
  const auto idle = replace_each("idle", "Relu", [](const std::string&) { return "Relu"; });
  auto session = session_on(additions(), "grow, idle", with({grow("grow", 100), idle}));
  int asked = 0;
  const pass::Position good{1, 30}, bad = last(*session);
  ASSERT_EQ(bad.step, 2u);
  const auto report = bisect(*session, good, bad, more_than(7 + 2 * 60, asked)).value();
  ASSERT_EQ(report.outcome, BisectOutcome::Found);
  EXPECT_EQ(report.culprit->pass, "grow") << "not that which changed nothing";
  EXPECT_EQ(report.culprit->number, 61u);
  EXPECT_EQ(report.probes[0].position, bad);
  EXPECT_EQ(report.probes[1].position, good);
  for (std::size_t i = 0; i < report.probes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_NE(report.probes[i].position, report.probes[k].position);
}

TEST(Bisect, ABadBeginningIsNoDiscovery) {
  auto session = session_on(additions(), "grow", with({grow("grow", 3)}));
  int asked = 0;
  const auto report = bisect(*session, {0}, {1}, more_than(1, asked)).value();
  EXPECT_EQ(report.outcome, BisectOutcome::BadFromTheStart);
  EXPECT_EQ(asked, 2);
}

// Wrong, right again, and wrong for good: halving finds one of the two, asking every step the
// first.
TEST(Bisect, ThoroughFindsTheFirstOfSeveral) {
  const auto undo = replace_each("undo", "Sub", [](const std::string&) { return "Add"; });
  auto session = session_on(
      additions(), "wrong, undo, first, second, worse",
      with({wrong("wrong", "b"), undo, right("first"), right("second"), wrong("worse", "c")}));
  const auto quick = by_values(*session, {0}, last(*session)).value();
  ASSERT_EQ(quick.outcome, BisectOutcome::Found);
  EXPECT_EQ(quick.culprit->pass, "worse");
  const auto thorough = by_values(*session, {0}, last(*session), true).value();
  ASSERT_EQ(thorough.outcome, BisectOutcome::Found);
  EXPECT_EQ(thorough.culprit->pass, "wrong");
  EXPECT_EQ(thorough.culprit->number, 2u);
  EXPECT_THAT(thorough.good_again,
              ElementsAre(pass::Position{2}, pass::Position{3}, pass::Position{4}));
  // Even where the end is good.
  const auto healed = by_values(*session, {0}, {3}, true).value();
  EXPECT_EQ(healed.culprit->pass, "wrong");
}

TEST(Bisect, RefusesWhatItCannotSearch) {
  auto session = session_on(additions(), "first", with({right("first")}));
  int asked = 0;
  EXPECT_EQ(bisect(*session, {1}, {1, 5}, more_than(0, asked)).error().code,
            Code::UsageInvalid);  // five are all
  EXPECT_EQ(bisect(*session, {0}, {2}, more_than(0, asked)).error().code, Code::UsageInvalid);
  BisectOptions cancelled;
  cancelled.control.cancellation.request();
  EXPECT_EQ(bisect(*session, {0}, {1}, more_than(0, asked), cancelled).error().code,
            Code::Cancelled);
  EXPECT_EQ(asked, 0);
}

TEST(Bisect, TellsHowFarItIs) {
  auto session =
      session_on(additions(), "first, wrong", with({right("first"), wrong("wrong", "e")}));
  std::vector<double> fractions;
  BisectOptions options;
  options.control.progress = [&](std::string_view what, double fraction) {
    EXPECT_TRUE(what.starts_with("asking step ")) << what;
    fractions.push_back(fraction);
  };
  int asked = 0;
  ASSERT_TRUE(bisect(*session, {0}, {2}, more_than(100, asked), options));
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_LE(fractions.back(), 1);
}

// Timing itself is not tested here; that it measures the two it should is.
TEST(Slowdown, ComparesWithTheReference) {
  const auto graph = std::make_shared<const graph::Graph>(additions());
  const auto slower = is_slower(passes::toolchain(), graph, {1e9, 3, 1, 1, ""}).value(),
             faster = is_slower(passes::toolchain(), graph, {1e-9, 3, 1, 1, ""}).value();
  const Verdict not_bad = slower({}, graph).value();
  EXPECT_FALSE(not_bad.bad);
  EXPECT_EQ(not_bad.numbers[0].first, "reference_ms");
  EXPECT_TRUE(faster({}, graph).value().bad);
  EXPECT_EQ(is_slower(passes::toolchain(), graph, {0, 3, 1, 1, ""}).error().code,
            Code::UsageInvalid);
}

}  // namespace
}  // namespace loopglass::debug
