// What holds for every pass, on random networks: the graph after it computes what the graph before
// it computed; the same graph goes through the same way every time; and applied again and again it
// comes to rest. A pass that may change the numbers is held to a tolerance, every other one to the
// last bit.
#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "core/runtime/executor.h"
#include "passes/pipeline.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_network.h"
#include "tests/random/time_limit.h"

#include <gtest/gtest.h>
#include <cmath>
#include <cstdlib>

namespace loopglass {
namespace {

// How many networks go through each pass: LOOPGLASS_RANDOM_GRAPHS, or enough for every day.
int network_count() {
  const char* wanted = std::getenv("LOOPGLASS_RANDOM_GRAPHS");
  return wanted != nullptr ? std::max(1, std::atoi(wanted)) : 2000;
}
constexpr int parts = 16;  // which run side by side

// A network, what goes in, and what comes out.
struct Case {
  std::shared_ptr<const graph::Graph> network;
  std::vector<Tensor> inputs, results;
  double magnitude = 1;  // of the largest number on the way
  bool finite = true;    // no infinity nor NaN on the way
};

double largest_magnitude(const Tensor& tensor, bool& finite) {
  double largest = 0;
  if (is_integer(tensor.data_type()) || tensor.data_type() == DataType::Bool) return 0;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const double element = tensor.double_at(i);
    if (std::isfinite(element)) largest = std::max(largest, std::fabs(element));
    else finite = false;
  }
  return largest;
}

Case make_case(std::uint32_t seed, bool jumps) {
  test::RandomNetwork options{.operators = 4 + static_cast<int>(seed % 12), .jumps = jumps};
  if (seed % 4 == 3) options.type = DataType::Float32;
  Case made;
  made.network = std::make_shared<const graph::Graph>(test::random_network(seed, options));
  made.inputs = test::random_inputs(*made.network, seed);
  const auto values = loop::interpret_values(*made.network, made.inputs);
  if (!values) throw std::logic_error(to_string(values.error()) + "\n" + to_text(*made.network));
  for (const auto& [id, tensor] : *values)
    made.magnitude = std::max(made.magnitude, largest_magnitude(tensor, made.finite));
  for (const graph::ValueId output : made.network->outputs())
    made.results.push_back(values->at(output));
  return made;
}

// A rounding error is as large as the numbers that were rounded on the way, whatever comes out.
double tolerance(const Case& on, pass::Numerics numerics) {
  if (numerics == pass::Numerics::Exact) return 0;
  const bool single =
      on.network->value(on.network->inputs().front()).type.type == DataType::Float32;
  return (single ? 1e-4 : 1e-11) * on.magnitude;
}

void expect_same_results(const Case& on, const graph::Graph& after, pass::Numerics numerics) {
  const auto results = loop::interpret(after, on.inputs);
  ASSERT_TRUE(results) << to_string(results.error()) << "\n" << to_text(after);
  ASSERT_EQ(results->size(), on.results.size());
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto equal = runtime::compare((*results)[i], on.results[i], tolerance(on, numerics), 0);
    ASSERT_TRUE(equal) << equal.error().what << "\nbefore:\n"
                       << to_text(*on.network) << "after:\n"
                       << to_text(after);
  }
}

// One pass until it changes nothing, as the runner's fixed-point groups do it.
void expect_it_keeps_its_promises(const Case& on, const pass::GraphPass& pass) {
  const std::vector<pass::GraphPass> table{pass};
  const pass::Pipeline again_and_again{{{{pass.info.name}, true}}};
  const test::TimeLimit limit(to_text(*on.network));
  const auto history = pass::run(on.network, table, again_and_again);
  ASSERT_TRUE(history) << to_string(history.error()) << "\n" << to_text(*on.network);
  ASSERT_FALSE(history->steps.back().changed) << "no fixed point for\n" << to_text(*on.network);
  if (history->steps.size() == 2) return;  // it found nothing to do
  expect_same_results(on, history->last(), pass.info.numerics);
  const auto repeated = pass::run(on.network, table, again_and_again);
  ASSERT_TRUE(repeated);
  ASSERT_EQ(to_text(repeated->last()), to_text(history->last())) << "two runs differ on\n"
                                                                 << to_text(*on.network);
}

class EveryPass : public ::testing::TestWithParam<int> {};

TEST_P(EveryPass, KeepsTheMeaningOfRandomNetworks) {
  const auto table = passes::graph_passes(reference_machine());
  for (int seed = GetParam(); seed < network_count(); seed += parts) {
    // Where results may jump, only exact passes can be held to the same results.
    const bool jumps = seed / parts % 2 == 1;
    const Case on = make_case(static_cast<std::uint32_t>(seed), jumps);
    for (const pass::GraphPass& pass : table) {
      if (jumps && pass.info.numerics != pass::Numerics::Exact) continue;
      if (!on.finite && pass.info.numerics == pass::Numerics::FiniteOnly) continue;
      SCOPED_TRACE("pass " + pass.info.name + ", seed " + std::to_string(seed));
      expect_it_keeps_its_promises(on, pass);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryPass, TogetherInEveryPresetKeepsTheMeaning) {
  const auto table = passes::graph_passes(reference_machine());
  const auto presets = passes::presets();
  std::vector<pass::PassInfo> infos;
  for (const pass::GraphPass& pass : table) infos.push_back(pass.info);
  for (int seed = GetParam(); seed < network_count(); seed += parts) {
    const Case on = make_case(static_cast<std::uint32_t>(seed), false);
    if (!on.finite) continue;
    const pass::Preset& preset = presets[static_cast<std::size_t>(seed / parts) % presets.size()];
    SCOPED_TRACE("preset " + preset.name + ", seed " + std::to_string(seed));
    const test::TimeLimit limit(to_text(*on.network));
    const auto history =
        pass::run(on.network, table, *pass::parse_pipeline(preset.name, infos, presets));
    ASSERT_TRUE(history) << to_string(history.error()) << "\n" << to_text(*on.network);
    for (const auto& step : history->steps)
      for (const pass::Remark& remark : step.remarks)
        ASSERT_NE(remark.code, "FIXED_POINT_NOT_REACHED") << step.pass.name << "\n"
                                                          << to_text(*on.network);
    expect_same_results(on, history->last(), pass::Numerics::Reassociating);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Part, EveryPass, ::testing::Range(0, parts));

// Stopping after k rewrites gives the first k of all of them, and each state on the way is a graph
// that means the same.
TEST(StoppingInside, EveryStateOnTheWayMeansTheSame) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Case on = make_case(seed, false);
    for (const pass::GraphPass& pass : passes::graph_passes(reference_machine())) {
      if (!on.finite && pass.info.numerics == pass::Numerics::FiniteOnly) continue;
      SCOPED_TRACE("pass " + pass.info.name + ", seed " + std::to_string(seed));
      const auto whole = pass::apply(pass, on.network);
      ASSERT_TRUE(whole) << to_string(whole.error());
      for (std::size_t k = 0; k < whole->rewrites.size(); ++k) {
        const auto partial = pass::apply(pass, on.network, k);
        ASSERT_TRUE(partial) << to_string(partial.error());
        ASSERT_EQ(partial->rewrites.size(), k);
        for (std::size_t i = 0; i < k; ++i) {
          ASSERT_EQ(partial->rewrites[i].rule, whole->rewrites[i].rule);
          ASSERT_EQ(partial->rewrites[i].consumed, whole->rewrites[i].consumed);
        }
        ASSERT_TRUE(k > 0 || !partial->changed);
        expect_same_results(on, *partial->result, pass.info.numerics);
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace loopglass
