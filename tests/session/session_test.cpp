// The chain of memoised stages: what is derived again after a change, and what is not.
#include "tests/session/compiled_network.h"

#include "core/codegen/kernel_listings.h"
#include "core/fusion/cost_model.h"
#include "core/ops/registry.h"
#include "core/support/check.h"
#include "passes/pipeline.h"
#include "samples/samples.h"
#include "tests/graph/parsed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

namespace loopglass {
namespace {

using Counts = std::map<std::string, int>;

graph::Graph sample(std::string_view name) { return samples::find_sample(name)->build(0).value(); }

// How often each stage was derived while `work` ran.
template <class Work>
Counts derived_by(const Session& session, const Work& work) {
  Counts before = session.derivations(), after;
  work();
  for (const auto& [stage, count] : session.derivations())
    if (count != before[stage]) after[stage] = count - before[stage];
  return after;
}

fusion::GroupId group_named(Session& session, std::string_view part) {
  for (const fusion::Group& group : session.plan().value()->groups)
    if (group.name.find(part) != std::string::npos) return group.id;
  throw std::runtime_error("no such group");
}

TEST(Session, StagesAreDerivedOnce) {
  auto session = session_on(sample("mlp"));
  ASSERT_TRUE(session->executor());
  EXPECT_EQ(derived_by(*session, [&] { ASSERT_TRUE(session->plan()); }), Counts{});
  EXPECT_EQ(derived_by(*session, [&] { ASSERT_TRUE(session->executor()); }), (Counts{{"run", 1}}));
  EXPECT_EQ(session->plan().value(), session->plan().value());
}

TEST(Session, NothingIsDerivedBeforeItIsAskedFor) {
  auto session = session_on(sample("mlp"));
  EXPECT_EQ(derived_by(*session, [&] { ASSERT_TRUE(session->graph()); }),
            (Counts{{"optimise", 1}}));
  EXPECT_EQ(
      derived_by(*session,
                 [&] { ASSERT_TRUE(session->dominators(0, graph::Direction::PostDominators)); }),
      (Counts{{"dominate", 1}}));
  EXPECT_EQ(
      derived_by(*session,
                 [&] { ASSERT_TRUE(session->dominators(0, graph::Direction::PostDominators)); }),
      Counts{});
}

TEST(Session, ATwinIsChangedByItself) {
  auto session = session_on(sample("lenet"));
  const fusion::GroupId group = group_named(*session, "conv");
  session->set_schedule(group, schedule::Trace{});
  const auto twin = session->twin();
  ASSERT_TRUE(twin->kernel(group));
  EXPECT_TRUE(twin->kernel(group).value()->schedule.empty());
  EXPECT_EQ(twin->model_name(), session->model_name());
  twin->set_schedule(group, std::nullopt);
  EXPECT_FALSE(twin->kernel(group).value()->schedule.empty());
  EXPECT_TRUE(session->kernel(group).value()->schedule.empty());
}

TEST(Session, AScheduleEditedRecompilesItsKernelAndNothingElse) {
  auto session = session_on(sample("lenet"));
  ASSERT_TRUE(session->executor());
  fusion::GroupId group = group_named(*session, "conv");
  EXPECT_EQ(derived_by(*session,
                       [&] {
                         session->set_schedule(group, schedule::Trace{});
                         ASSERT_TRUE(session->executor());
                       }),
            (Counts{{"schedule", 1}, {"place", 1}, {"emit", 1}, {"run", 1}}));
  EXPECT_TRUE(session->kernel(group).value()->schedule.empty());
  EXPECT_EQ(derived_by(*session,
                       [&] {
                         session->set_schedule(group, std::nullopt);
                         ASSERT_TRUE(session->executor());
                       }),
            (Counts{{"run", 1}}));
  EXPECT_FALSE(session->kernel(group).value()->schedule.empty());
}

// Whoever goes through very many settings does not fill the memory with them: what was asked for
// long ago is derived again, and is what it was.
TEST(Session, KeepsTheSettingsThatWereAskedForLast) {
  auto session = session_on(sample("lenet"));
  const auto set = [&](int setting) {
    pass::Settings settings;
    settings.memory_limit = std::int64_t{1} << 30 | setting;
    session->set_settings(settings);
    // A pass less, so that its graph is another one.
    session->set_pass_enabled("fold-batch-norm", setting % 2 == 0);
    session->set_pass_enabled("fold-constants", setting % 3 == 0);
  };
  constexpr int settings = 100;
  std::vector<std::string> plans;
  for (int round = 0; round < 2; ++round)
    for (int setting = 0; setting < settings; ++setting) {
      set(setting);
      std::string plan;
      for (const fusion::Group& group : session->plan().value()->groups) plan += group.name + "\n";
      if (round == 0) plans.push_back(plan);
      else EXPECT_EQ(plan, plans[static_cast<std::size_t>(setting)]) << setting;
    }
  EXPECT_EQ(session->derivations().at("optimise"), 2 * settings) << "none is kept for so long";
  EXPECT_EQ(derived_by(*session,
                       [&] {
                         for (int setting = settings - 10; setting < settings; ++setting) {
                           set(setting);
                           ASSERT_TRUE(session->plan());
                         }
                       }),
            Counts{});
}

// All kernels of a plan are kept at once, however many there are: every stage asks for all.
TEST(Session, KeepsTheKernelsOfALargePlan) {
  std::string lines = "input %v0: float32[4]\n";
  constexpr int nodes = 1500;
  for (int i = 0; i < nodes; ++i)
    lines += fmt::format("%v{}: float32[4] = {}(%v{}) \"n{}\"\n", i + 1,
                         i % 2 == 0 ? "Relu" : "Neg", i, i);
  SessionOptions options;
  options.strategy = "none";
  options.pipeline = "none";
  auto session = session_on(test::graph_of(lines + fmt::format("output %v{}", nodes)), options);
  ASSERT_TRUE(session->memory_plan());
  ASSERT_EQ(session->derivations().at("schedule"), 2) << "of equal form but for their names";
  const auto plan = session->plan().value();
  const auto show_all = [&] {
    for (const fusion::Group& group : plan->groups) ASSERT_TRUE(session->kernel(group.id));
  };
  EXPECT_EQ(derived_by(*session, show_all), (Counts{{"show", nodes}}));
  EXPECT_EQ(derived_by(*session, show_all), Counts{});
}

fusion::GroupId group_with(Session& session, std::string_view node) {
  const auto graph = session.graph().value();
  for (const fusion::Group& group : session.plan().value()->groups)
    for (const graph::NodeId id : group.nodes)
      if (graph->node(id).name == node) return group.id;
  throw std::runtime_error("no such operator");
}

// A person's schedule belongs to what is computed, not to a place in a plan.
TEST(Session, AScheduleOutlivesAnotherPlan) {
  auto session = session_on(sample("lenet"));
  const fusion::GroupId conv = group_with(*session, "conv2");
  const std::string by_default = schedule::to_script(session->kernel(conv).value()->trace);
  session->set_schedule(conv, schedule::Trace{});
  // Kernels in front come and go.
  const graph::Graph& graph = *session->graph().value();
  fusion::Constraints constraints;
  for (const graph::NodePtr& node : graph.nodes())
    if (node->name == "relu1")
      constraints.forbidden.insert({graph.value(node->inputs[0]).producer, node->id});
  session->set_constraints(constraints);
  const fusion::GroupId moved = group_with(*session, "conv2");
  EXPECT_NE(moved, conv);
  EXPECT_TRUE(session->kernel(moved).value()->schedule.empty());
  EXPECT_NE(by_default, "");
  session->set_schedule(moved, std::nullopt);
  session->set_constraints({});
  EXPECT_EQ(schedule::to_script(session->kernel(conv).value()->trace), by_default);
  expect_compiled_equals_interpreted(*session);
}

TEST(Session, EqualKernelsShareASchedule) {
  SessionOptions options;
  options.strategy = "none";
  options.pipeline = "none";
  auto session = session_on(test::graph_of(R"(
    input %x: float32[8x8]
    %a: float32[8x8] = Relu(%x) "first"
    %b: float32[8x8] = Exp(%a) "second"
    %c: float32[8x8] = Relu(%b) "third"
    output %c)"),
                            std::move(options));
  const auto kernel = [&](std::size_t k) {
    return session->kernel(session->plan().value()->groups[k].id).value();
  };
  const auto trace =
      schedule::parse_script("c = block(\"" + kernel(0)->initial.parameters.back().name +
                             "\")\ni, j = loops(c)\nreorder([j, i])\n");
  ASSERT_TRUE(trace);
  session->set_schedule(kernel(0)->group, *trace);
  EXPECT_EQ(kernel(0)->schedule.size(), 1u);
  EXPECT_EQ(kernel(2)->schedule.size(), 1u);
  EXPECT_NE(schedule::to_script(kernel(1)->trace), schedule::to_script(*trace));
  expect_compiled_equals_interpreted(*session);
}

// What costs are weighed by counts by its contents: another model that happens to lie where one lay
// before is another, and an equal one is the same.
TEST(Session, CostModelsAreToldApartByTheirContents) {
  auto session = session_on(sample("lenet"));
  session->set_strategy("dp");
  const auto plan_with = [&](double launch) {
    Machine constants;
    constants.launch_microseconds = launch;
    session->set_cost_model(std::make_shared<const fusion::CostModel>(constants));
    return session->plan().value();
  };
  const auto costly = plan_with(1000);
  for (int i = 1; i <= 20; ++i) EXPECT_NE(plan_with(i), costly) << "made anew for " << i;
  EXPECT_EQ(plan_with(1000), costly);
}

// The one value that is told what machine there is.
TEST(Session, WorksForTheMachineOfItsToolchain) {
  const auto on = [](const Machine& machine) {
    auto session = session_on(sample("lenet"), {}, passes::toolchain(machine));
    EXPECT_TRUE(session->cost_model()->machine() == machine);
    std::string scripts;
    for (const fusion::Group& group : session->plan().value()->groups)
      scripts += schedule::to_script(session->kernel(group.id).value()->trace);
    return scripts;
  };
  EXPECT_NE(on(machine_with_vectors("narrow", 16, 16)), on(reference_machine()));
}

TEST(Session, AnUnscheduledNetworkComputesTheSame) {
  auto session = session_on(sample("lenet"));
  for (const fusion::Group& group : session->plan().value()->groups)
    session->set_schedule(group.id, schedule::Trace{});
  expect_compiled_equals_interpreted(*session);
}

TEST(Session, WithEveryPassOffTheNetworkComputesTheSame) {
  auto session = session_on(sample("lenet"));
  for (const pass::GraphPass& pass : session->toolchain().graph_passes)
    session->set_pass_enabled(pass.info.name, false);
  session->set_strategy("none");
  EXPECT_EQ(session->graph_history().value()->steps.size(), 1u);
  EXPECT_EQ(session->plan().value()->groups.size(), session->graph().value()->nodes().size());
  expect_compiled_equals_interpreted(*session);
}

// In an MLP there is nothing for batch-norm folding to do, so its graph is the same without it.
TEST(Session, APassThatChangesNothingChangesNothingBelow) {
  auto session = session_on(sample("mlp"));
  ASSERT_TRUE(session->executor());
  EXPECT_EQ(derived_by(*session,
                       [&] {
                         session->set_pass_enabled("fold-batch-norm", false);
                         ASSERT_TRUE(session->executor());
                       }),
            (Counts{{"optimise", 1}, {"run", 1}}));
  EXPECT_FALSE(session->pass_enabled("fold-batch-norm"));
}

TEST(Session, StrategiesAreTakenUpAgainFromTheMemo) {
  auto session = session_on(sample("lenet"));
  std::size_t fused = session->plan().value()->groups.size();
  session->set_strategy("none");
  EXPECT_GT(session->plan().value()->groups.size(), fused);
  EXPECT_EQ(derived_by(*session,
                       [&] {
                         session->set_strategy("");
                         EXPECT_EQ(session->plan().value()->groups.size(), fused);
                       }),
            Counts{});
  EXPECT_EQ(session->strategy(), session->toolchain().strategies.front().name);
}

// Searches may take seconds: whoever asks for the events first gets the plan with them.
TEST(Session, AToldPlanIsMadeOnce) {
  Toolchain toolchain = passes::toolchain();
  int made = 0;
  for (fusion::Strategy& strategy : toolchain.strategies)
    strategy.plan = [&made, plan = strategy.plan](const graph::Graph& graph,
                                                  const fusion::PlanOptions& options) {
      ++made;
      return plan(graph, options);
    };
  for (const char* strategy : {"dominator", "dp"}) {
    made = 0;
    SessionOptions options;
    options.strategy = strategy;
    auto session = session_on(sample("lenet"), options, toolchain);
    const auto told = session->told_plan().value(), plan = session->plan().value();
    EXPECT_EQ(made, 1) << strategy;
    EXPECT_FALSE(told->events.empty());
    EXPECT_TRUE(plan->events.empty());
    EXPECT_EQ(fusion::to_text(*plan, **session->graph()),
              fusion::to_text(*told, **session->graph()));
    EXPECT_EQ(plan->decisions.size(), told->decisions.size());
    EXPECT_EQ(session->told_plan().value(), told);
    EXPECT_EQ(made, 1) << strategy;
  }
}

TEST(Session, IdenticalKernelsAreCompiledOnce) {
  auto session = session_on(test::graph_of(R"(
      input %x: float32[4x64]
      %a: float32[4x64] = Softmax(%x) "a"
      %b: float32[4x64] = Softmax(%a) "b"
      output %b)"));
  Counts counts = derived_by(*session, [&] { ASSERT_TRUE(session->executor()); });
  EXPECT_EQ(counts["schedule"], 1);
  EXPECT_EQ(counts["emit"], 1);
  // One machine code, but each kernel's listings speak of its own tensors.
  auto plan = session->plan().value();
  auto first = session->compiled(plan->groups[0].id).value(),
       second = session->compiled(plan->groups[1].id).value();
  EXPECT_EQ(first->entry(), second->entry());
  const auto nest_of = [&](std::size_t group) {
    return session->listings(plan->groups[group].id).value()->loops().text();
  };
  EXPECT_NE(nest_of(0), nest_of(1));
  expect_compiled_equals_interpreted(*session);
}

// What a kernel shows, in its own names, is what runs for all of equal form.
TEST(Session, IdenticalKernelsShowWhatRuns) {
  for (const char* name : {"encoder", "mobilenet_v1"}) {
    auto session = session_on(sample(name));
    std::map<const void*, std::string> forms;  // by machine code
    const auto plan = session->plan().value();
    for (const fusion::Group& group : plan->groups) {
      const auto kernel = session->kernel(group.id);
      ASSERT_TRUE(kernel) << to_string(kernel.error());
      if ((*kernel)->is_view) continue;
      EXPECT_EQ((*kernel)->lowered().name, group.name);
      std::string form = loop::nameless_form((*kernel)->lowered()).bytes;
      const auto code = session->compiled(group.id);
      ASSERT_TRUE(code) << to_string(code.error());
      const auto [known, is_new] = forms.try_emplace((*code).get(), form);
      EXPECT_EQ(known->second, form) << group.name;
    }
    EXPECT_LT(forms.size(), plan->groups.size()) << name;
  }
}

TEST(Session, OpeningAnotherModelLeavesEarlierResultsValid) {
  auto session = session_on(sample("mlp"));
  auto executor = session->executor().value();
  auto plan = session->plan().value();
  session->open(model_of(sample("lenet")), "lenet");
  EXPECT_EQ(session->model_name(), "lenet");
  EXPECT_NE(session->plan().value(), plan);
  runtime::ThreadPool pool(1);
  std::vector<Tensor> inputs = {
      runtime::random_tensor(executor->graph().value(executor->graph().inputs()[0]).type, 1)};
  EXPECT_TRUE(executor->run(inputs, pool));
}

TEST(Session, SeveralThreadsMayAskAtOnce) {
  auto session = session_on(sample("lenet"));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (const fusion::Group& group : session->plan().value()->groups)
          EXPECT_TRUE(session->compiled(group.id));
      });
  }
  Counts counts = session->derivations();
  EXPECT_EQ(counts["fuse"], 1);
  EXPECT_EQ(counts["schedule"], static_cast<int>(session->plan().value()->groups.size()));
}

TEST(Session, AModelIsReadFromItsFile) {
  auto path = samples::sample_path(*samples::find_sample("mlp"));
  ASSERT_TRUE(path) << to_string(path.error());
  Session session(passes::toolchain(), {});
  ASSERT_TRUE(session.open(*path));
  EXPECT_EQ(derived_by(session, [&] { ASSERT_TRUE(session.model()); }), (Counts{{"import", 1}}));
  EXPECT_EQ(session.model_name(), "mlp");
  expect_compiled_equals_interpreted(session);
}

TEST(Session, WhatCannotBeHonouredIsADiagnostic) {
  Session session(passes::toolchain(), {});
  EXPECT_EQ(session.plan().error().code, Code::UsageInvalid);
  EXPECT_EQ(session.open(std::filesystem::path("/no/such/file.onnx")).error().code,
            Code::ModelUnreadable);
  session.open(model_of(sample("mlp")), "mlp");
  session.set_strategy("magic");
  Diagnostic unknown = session.plan().error();
  EXPECT_EQ(unknown.code, Code::StrategyUnknown);
  EXPECT_THAT(unknown.hint, ::testing::HasSubstr("dominator"));
  session.set_strategy("dominator");
  EXPECT_EQ(session.kernel(fusion::GroupId{999}).error().code, Code::GraphEntityUnknown);
  EXPECT_EQ(session.dominators(99, graph::Direction::Dominators).error().code, Code::UsageInvalid);
}

TEST(Session, AnIllegalScheduleIsADiagnosticOfItsKernel) {
  auto session = session_on(sample("mlp"));
  fusion::GroupId group = session->plan().value()->groups[0].id;
  session->set_schedule(
      group, schedule::parse_script("x = block(\"nothing_of_that_name\")\nunroll(x)").value());
  auto executor = session->executor();
  ASSERT_FALSE(executor);
  EXPECT_THAT(executor.error().where, ::testing::Not(::testing::IsEmpty()));
}

TEST(Session, CancellingStopsCompiling) {
  auto session = session_on(sample("lenet"));
  Cancellation cancellation;
  auto executor =
      session->executor([&](std::string_view, double) { cancellation.request(); }, cancellation);
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().code, Code::Cancelled);
  EXPECT_TRUE(session->executor());
}

// A defect of ours on a compile thread reaches the caller as an exception, and may be tried again.
TEST(Session, ABrokenInvariantOnACompileThreadReachesTheCaller) {
  static bool broken = true;
  ops::OpDef fragile = *ops::find_operator("Relu");
  fragile.name = "Fragile";
  fragile.compute = [compute = fragile.compute](ops::ComputeContext& context) {
    CHECK(!broken, "as this test wants it");
    return compute(context);
  };
  graph::GraphBuilder builder("fragile");
  graph::ValueId x = builder.add_input("x", {DataType::Float32, {8}});
  for (std::string name : {"a", "b", "c"})
    x = builder.output(builder.add_node(name, fragile, {x}, {}).value());
  builder.set_outputs({x});
  auto session = session_on(std::move(builder).finish().value());
  session->set_strategy("none");
  for (const pass::GraphPass& pass : session->toolchain().graph_passes)
    session->set_pass_enabled(pass.info.name, false);
  EXPECT_THROW((void)session->executor(), InternalError);
  broken = false;
  EXPECT_TRUE(session->executor());
}

}  // namespace
}  // namespace loopglass
