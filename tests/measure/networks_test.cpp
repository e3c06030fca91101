// Networks that are timed in a worker: the times are of the shape that this process gives, and
// whatever befalls the worker costs one measurement.
#include "core/measure/networks.h"

#include "core/debug/what_if.h"
#include "core/loop/text.h"
#include "core/measure/network_request.h"
#include "core/measure/shared_bytes.h"
#include "core/measure/worker_pool.h"
#include "core/ops/registry.h"
#include "samples/samples.h"
#include "tests/graph/parsed.h"
#include "tests/session/session_on.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace loopglass::measure {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::shared_ptr<WorkerPool> pool() {
  return std::make_shared<WorkerPool>(Program{LOOPGLASSC, {"worker"}});
}

std::unique_ptr<Session> session_of(graph::Graph graph, std::shared_ptr<WorkerPool> workers) {
  SessionOptions options;
  options.workers = std::move(workers);
  return session_on(std::move(graph), std::move(options));
}
graph::Graph sample(const char* name) { return samples::find_sample(name)->build(0).value(); }

runtime::BenchmarkOptions rounds(int count) {
  runtime::BenchmarkOptions options;
  options.rounds = count;
  return options;
}

// Of this process, whichever thread started them.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t child; list >> child;) all.push_back(child);
  }
  return all;
}

// One kernel, y = body of x, each of one element.
runtime::CompiledNetwork network_of(const std::string& body) {
  graph::GraphBuilder builder("network");
  const auto x = builder.add_input("x", {DataType::Float32, {1}});
  const auto y =
      builder.output(builder.add_node("node", *ops::find_operator("Relu"), {x}, {}).value());
  builder.set_outputs({y});
  runtime::CompiledNetwork network;
  network.graph = std::make_shared<const graph::Graph>(std::move(builder).finish().value());
  const loop::Func func =
      loop::parse("func node(X: float32[1] input, Y: float32[1] output) { " + body + " }").value();
  network.kernels = {
      {{}, "node", codegen::compile(func).value(), {{x, y}, func.parameters, {}, 0}, 1}};
  network.plan = std::make_shared<const runtime::MemoryPlan>(
      runtime::plan_memory(*network.graph, std::vector{network.kernels[0].use}).value());
  return network;
}
const std::string good_code = "Y[0] = X[0] + 1.0f",
                  endless_code = "for i in 2305843009213693952 { Y[0] = Y[0] * 0.5f + X[0] }",
                  wild_code = "for i in 4 { Y[i * 1000000000 + 1000000000] = X[0] }";

NetworksAsked asked_of(const runtime::CompiledNetwork& network) {
  NetworksAsked asked;
  asked.networks = {&network};
  asked.inputs = {runtime::random_inputs(*network.graph)};
  asked.options.rounds = 3;
  asked.options.want_outputs = true;
  return asked;
}

TEST(Networks, AreTimedInAWorkerAsHere) {
  const auto workers = pool();
  std::vector<int> told;
  runtime::BenchmarkOptions options = rounds(4);
  options.on_round = [&](int round, double milliseconds) {
    told.push_back(round);
    EXPECT_GT(milliseconds, 0);
  };
  const auto here = session_of(sample("lenet"), nullptr)->benchmark(rounds(4));
  const auto there = session_of(sample("lenet"), workers)->benchmark(options);
  ASSERT_TRUE(here) << to_string(here.error());
  ASSERT_TRUE(there) << to_string(there.error());
  EXPECT_EQ(told, (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(workers->started(), 1);
  EXPECT_EQ(there->threads, here->threads);
  EXPECT_EQ(there->network.rounds, 4);
  EXPECT_EQ(there->fresh_outputs.rounds, 4);
  EXPECT_LE(there->network.lower_quartile_ms, there->network.median_ms);
  EXPECT_GT(there->network.minimum_ms, 0);
  EXPECT_EQ(there->flops, here->flops);
  EXPECT_EQ(there->arena_bytes, here->arena_bytes);
  EXPECT_EQ(there->output_bytes, here->output_bytes);
  ASSERT_EQ(there->kernels.size(), here->kernels.size());
  for (std::size_t k = 0; k < here->kernels.size(); ++k) {
    const runtime::KernelTiming &one = here->kernels[k], &other = there->kernels[k];
    EXPECT_EQ(other.name, one.name);
    EXPECT_EQ(other.group, one.group);
    EXPECT_EQ(other.flops, one.flops);
    EXPECT_EQ(other.bytes, one.bytes);
    EXPECT_EQ(other.is_view, one.is_view);
    EXPECT_EQ(other.time.rounds, one.time.rounds);
    EXPECT_EQ(other.time.median_ms > 0, one.time.median_ms > 0);
  }
}

// With constants that are packed, shared, outputs as they are, and inputs that are outputs.
TEST(Networks, GiveTheSameResultsInAWorker) {
  const auto workers = pool();
  for (graph::Graph graph : {sample("lenet"), sample("mlp"), test::graph_of(R"(
          input %x: float32[2x2]
          const %c: float32[2x2] = [1, 2, 3, 4]
          %y: float32[2x2] = Add(%x, %c) "y"
          output %y
          output %c
          output %x
          output %y)")}) {
    const auto session = session_of(std::move(graph), nullptr);
    const auto network = session->network().value();
    const NetworksAsked asked = asked_of(*network);
    const auto here = time_networks(asked, nullptr), there = time_networks(asked, workers.get());
    ASSERT_TRUE(here) << to_string(here.error());
    ASSERT_TRUE(there) << to_string(there.error());
    const auto &expected = here->networks[0].outputs, &actual = there->networks[0].outputs;
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(actual[i].same_content(expected[i])) << i;
  }
  EXPECT_EQ(workers->started(), 1);
}

TEST(Networks, OfAPairAreTimedInTurnsAndCompared) {
  const auto graph = std::make_shared<const graph::Graph>(sample("lenet"));
  debug::WhatIfOptions options;
  options.measure = true;
  options.rounds = 3;
  options.workers = pool();
  const auto outcomes =
      debug::what_if(passes::toolchain(), graph, {{"none", {}, {}}, {"dp", {}, {}}}, options);
  ASSERT_TRUE(outcomes) << to_string(outcomes.error());
  for (const debug::PlanOutcome& outcome : *outcomes) {
    EXPECT_TRUE(outcome.agrees);
    ASSERT_TRUE(outcome.time);
    EXPECT_EQ(outcome.time->rounds, 3);
    EXPECT_GT(outcome.time->median_ms, 0);
  }
  EXPECT_EQ(options.workers->started(), 1);
}

TEST(Networks, WhatIsMissingIsNotTimedInAWorkerEither) {
  const auto report = session_of(test::graph_of(R"(
    input %x: float32[8x64]
    %a: float32[8x64] = Relu(%x) "a"
    %o: float32[8x64] = Opaque(%a) {code = 2001, domain = "com.acme", operator = "Mystery", reason = "operator 'com.acme.Mystery' is not supported"} "o"
    %c: float32[8x64] = Abs(%o) "c"
    output %c)"),
                                 pool())
                          ->benchmark(rounds(3));
  ASSERT_TRUE(report) << to_string(report.error());
  int missing = 0;
  for (const runtime::KernelTiming& kernel : report->kernels) {
    missing += kernel.missing.has_value();
    EXPECT_EQ(kernel.time.median_ms > 0, !kernel.missing && !kernel.is_view) << kernel.name;
  }
  EXPECT_EQ(missing, 1);
}

TEST(Networks, WhatDoesNotFitIsRefusedBeforeAWorkerIsAsked) {
  const auto workers = pool();
  const auto session = session_of(test::graph_of(R"(
    input %x: float32[1048576x8192]
    %a: float32[1048576x8192] = Exp(%x) "a"
    %b: float32[8192x1048576] = Transpose(%a) {perm = [1, 0]} "b"
    output %b)"),
                                  workers);
  const auto report = session->benchmark(rounds(1));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::OutOfMemory);
  EXPECT_THAT(report.error().what, HasSubstr("running the network takes"));
  EXPECT_EQ(workers->started(), 0);
}

TEST(Networks, EnoughIsKept) {
  for (const auto& workers : {pool(), std::shared_ptr<WorkerPool>()}) {
    const auto session = session_of(sample("lenet"), workers);
    runtime::BenchmarkOptions options = rounds(1'000'000);
    options.on_round = [&](int round, double) {
      if (round == 3) options.enough.request();
    };
    const auto report = session->benchmark(options);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_GE(report->network.rounds, 4);
    EXPECT_LT(report->network.rounds, 1'000'000);
    EXPECT_EQ(report->kernels.front().time.rounds, report->network.rounds);
  }
}

TEST(Networks, AWorkerThatIsKilledCostsOneMeasurement) {
  const auto workers = pool();
  const auto session = session_of(sample("lenet"), workers);
  runtime::BenchmarkOptions options = rounds(1'000'000);
  options.on_round = [&](int round, double) {
    if (round == 3)
      for (const pid_t child : children()) ::kill(child, SIGKILL);
  };
  const auto lost = session->benchmark(options);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::WorkerLost);
  EXPECT_THAT(lost.error().what, HasSubstr("killed by signal 9"));
  EXPECT_TRUE(session->benchmark(rounds(2)));
  EXPECT_EQ(workers->started(), 2);
}

TEST(Networks, CodeThatCrashesCostsOneMeasurement) {
  // A sanitizer would catch the signal and end the worker in its own way.
  ::setenv("ASAN_OPTIONS", "handle_segv=0", 1);
  const auto workers = pool();
  const auto wild = network_of(wild_code), good = network_of(good_code);
  const auto crashed = time_networks(asked_of(wild), workers.get());
  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().code, Code::WorkerCrashed);
  EXPECT_NE(crashed.error().hint, "");
  EXPECT_TRUE(time_networks(asked_of(good), workers.get()));
}

TEST(Networks, CodeThatNeverEndsCostsItsTime) {
  const auto workers = pool();
  const auto endless = network_of(endless_code), good = network_of(good_code);
  NetworksAsked asked = asked_of(endless);
  asked.silence = 300ms;
  const auto late = time_networks(asked, workers.get());
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::WorkerTimedOut);
  EXPECT_THAT(late.error().what, HasSubstr("took longer than 0.3 s"));

  asked.silence = {};
  std::jthread canceller([cancellation = asked.options.cancellation] {
    std::this_thread::sleep_for(300ms);
    cancellation.request();
  });
  const auto start = std::chrono::steady_clock::now();
  const auto cancelled = time_networks(asked, workers.get());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, Code::Cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 10s);
  EXPECT_TRUE(time_networks(asked_of(good), workers.get()));
}

TEST(Networks, RoundsThatGoOnAreNoSilence) {
  const auto workers = pool();
  const auto good = network_of(good_code);
  NetworksAsked asked = asked_of(good);
  asked.silence = 500ms;
  asked.options.rounds = 8;
  // What is told is read as slowly as this.
  asked.options.on_round = [](int, std::span<const double>) { std::this_thread::sleep_for(100ms); };
  EXPECT_TRUE(time_networks(asked, workers.get()));
}

TEST(Networks, WhatAWorkerIsNotToldRightIsRefused) {
  WorkerPool workers(Program{LOOPGLASSC, {"worker"}});
  for (const std::string& bytes : {std::string(), std::string("x"), std::string(1000, '\x7f')}) {
    const auto answer = workers.ask({0, "networks", {}, bytes}, 10s);
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_NE(answer->bytes.find("not understood"), std::string::npos);
  }
  EXPECT_EQ(workers.started(), 1);
}

// x -> x, with nothing between, through memory of 64 bytes that begins with zeros.
NetworksRequest plain_request(const SharedBytes& memory) {
  NetworksRequest request;
  NetworksRequest::Network& network = request.networks.emplace_back();
  const TensorType type{DataType::Float32, {4}};
  network.wiring.inputs = {{"x", type}};
  network.wiring.outputs = {type};
  network.wiring.copies = {{0, {runtime::Wiring::Memory::Input, 0, 0}}};
  network.inputs = {0};
  request.tensors = {{type, 16}};
  request.memory = memory.path();
  request.memory_bytes = memory.bytes();
  request.enough = memory.path();
  request.rounds = 2;
  request.want_outputs = true;
  return request;
}

TEST(Networks, WhatIsCutOffOrPointsNowhereIsRefused) {
  WorkerPool workers(Program{LOOPGLASSC, {"worker"}});
  const SharedBytes memory = SharedBytes::create(64).value();
  for (int i = 0; i < 4; ++i) reinterpret_cast<float*>(memory.data() + 16)[i] = 1.5f * i;
  const NetworksRequest plain = plain_request(memory);
  const auto ask = [&](Frame frame) {
    return turn_times_from(workers.ask(std::move(frame), 10s).value());
  };
  const auto times = ask(to_frame(plain));
  ASSERT_TRUE(times) << to_string(times.error());
  EXPECT_TRUE(
      times->networks.at(0).outputs.at(0).same_content(Tensor::of<float>({4}, {0, 1.5f, 3, 4.5f})));

  const Frame whole = to_frame(plain);
  for (std::size_t size = 0; size < whole.bytes.size(); size += 3) {
    Frame cut = whole;
    cut.bytes.resize(size);
    EXPECT_EQ(ask(cut).error().code, Code::UsageInvalid) << size;
  }
  const auto expect_refused = [&](const std::function<void(NetworksRequest&)>& damage) {
    NetworksRequest damaged = plain;
    damage(damaged);
    const auto answer = ask(to_frame(damaged));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::UsageInvalid) << to_string(answer.error());
  };
  expect_refused([](auto& r) { r.tensors[0].offset = 56; });
  expect_refused([](auto& r) { r.tensors[0].type.shape = {std::int64_t{1} << 61}; });
  expect_refused([](auto& r) { r.memory_bytes = 1 << 20; });
  expect_refused([](auto& r) { r.networks[0].inputs = {1}; });
  expect_refused([](auto& r) { r.networks[0].inputs = {}; });
  expect_refused([](auto& r) { r.networks[0].constants = {0}; });
  expect_refused([](auto& r) { r.networks[0].wiring.copies[0].from.index = 1; });
  expect_refused([](auto& r) { r.networks[0].wiring.copies[0].output = 1; });
  expect_refused(
      [](auto& r) { r.networks[0].wiring.kernels.resize(1), r.networks[0].code.resize(1); });
  expect_refused([](auto& r) { r.threads = 0; });
  EXPECT_EQ(workers.started(), 1);
}

// How long one waits for the first round and for all, with everything compiled: printed, since
// machines are noisy.
TEST(Networks, CostLittleMoreThanHere) {
  const auto workers = pool();
  for (const char* name : {"lenet", "resnet50"})
    for (const auto& [where, used] : {std::pair("here", std::shared_ptr<WorkerPool>()),
                                      {"in a worker, started for it", workers},
                                      {"in a worker", workers}}) {
      const auto session = session_of(sample(name), used);
      ASSERT_TRUE(session->network());
      using Clock = std::chrono::steady_clock;
      const auto start = Clock::now();
      std::chrono::duration<double, std::milli> first(0);
      runtime::BenchmarkOptions options = rounds(5);
      options.threads = runtime::hardware_threads();
      options.on_round = [&](int round, double) {
        if (round == 0) first = Clock::now() - start;
      };
      const auto report = session->benchmark(options);
      const std::chrono::duration<double, std::milli> all = Clock::now() - start;
      ASSERT_TRUE(report);
      fmt::print("{} {}: first round after {:.0f} ms, all after {:.0f} ms, median {:.3f} ms\n",
                 name, where, first.count(), all.count(), report->network.median_ms);
    }
}

}  // namespace
}  // namespace loopglass::measure
