#include "tests/session/compiled_network.h"

#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "tests/random/random_inputs.h"
#include "tests/random/time_limit.h"

namespace loopglass {

Result<std::shared_ptr<runtime::Executor>> executor_in_time(Session& session) {
  auto model = session.model();
  const test::TimeLimit limit(model ? graph::to_text((*model)->graph) : session.model_name());
  return session.executor();
}

void expect_compiled_equals_interpreted(Session& session, double absolute, double relative) {
  auto model = session.model();
  ASSERT_TRUE(model) << to_string(model.error());
  auto executor = executor_in_time(session);
  ASSERT_TRUE(executor) << to_string(executor.error());
  const graph::Graph& graph = (*model)->graph;
  const std::vector<Tensor> inputs = test::random_inputs(graph);
  auto expected = loop::interpret(graph, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  for (int threads : {1, 2}) {
    runtime::ThreadPool pool(threads);
    auto actual = (*executor)->run(inputs, pool);
    ASSERT_TRUE(actual) << to_string(actual.error());
    ASSERT_EQ(actual->size(), expected->size());
    for (std::size_t i = 0; i < expected->size(); ++i) {
      auto same = runtime::compare((*actual)[i], (*expected)[i], absolute, relative);
      EXPECT_TRUE(same) << "output " << i << " on " << threads
                        << " threads: " << to_string(same.error());
    }
  }
}

}  // namespace loopglass
