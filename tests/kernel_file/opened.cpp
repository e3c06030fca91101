#include "tests/kernel_file/opened.h"

#include "core/import_model.h"
#include "core/loop/interpret_graph.h"
#include "core/runtime/executor.h"
#include "passes/pipeline.h"

#include <gtest/gtest.h>

namespace loopglass::kernel_file {

namespace {

std::vector<Tensor> random_inputs(const graph::Graph& graph) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs())
    inputs.push_back(runtime::random_tensor(graph.value(id).type, 1 + inputs.size()));
  return inputs;
}

}  // namespace

onnx::Source source_of(const std::string& name, const std::string& text) {
  onnx::Source source{std::filesystem::path(name)};
  source.bytes = std::make_shared<const std::string>(text);
  return source;
}

std::string refusal(const std::string& name, const std::string& text,
                    const onnx::ImportOptions& options) {
  const auto model = import_model(source_of(name, text), options);
  EXPECT_FALSE(model) << text;
  return model ? "" : to_string(model.error());
}

std::unique_ptr<Session> opened(const onnx::Source& source,
                                std::map<std::string, std::int64_t> symbols) {
  SessionOptions options;
  options.import.symbols = std::move(symbols);
  auto session = std::make_unique<Session>(passes::toolchain(), options);
  EXPECT_TRUE(session->open(source));
  return session;
}

void compare_with_interpreter(Session& session) {
  const auto graph = session.graph();
  ASSERT_TRUE(graph) << to_string(graph.error());
  const std::vector<Tensor> inputs = random_inputs(**graph);
  const auto executor = session.executor();
  ASSERT_TRUE(executor) << to_string(executor.error());
  runtime::ThreadPool pool(2);
  const auto results = (*executor)->run(inputs, pool);
  ASSERT_TRUE(results) << to_string(results.error());
  const auto expected = loop::interpret(**graph, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  for (std::size_t i = 0; i < results->size(); ++i) {
    const auto same = runtime::compare((*results)[i], (*expected)[i], 1e-4, 1e-4);
    EXPECT_TRUE(same) << to_string(same.error());
  }
}

}  // namespace loopglass::kernel_file
