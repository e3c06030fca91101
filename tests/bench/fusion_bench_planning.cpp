// How long each fusion strategy takes to plan large graphs of telling shapes; the best of some
// runs.
//
//   fusion_bench_planning [--operators N] [--runs N] [SHAPE...]
#include "core/ops/registry.h"
#include "core/support/check.h"
#include "core/support/stopwatch.h"
#include "passes/pipeline.h"
#include "tests/bench/bench_main.h"
#include "tests/random/random_network.h"

#include <algorithm>
#include <map>

namespace loopglass {
namespace {

using Values = std::vector<graph::ValueId>;

class Drawing {
 public:
  explicit Drawing(const std::string& name) : builder_(name) {}

  graph::ValueId input() { return builder_.add_input("x", {DataType::Float32, {16, 16}}); }

  graph::ValueId add(const char* op, const Values& operands) {
    const std::string name = fmt::format("n{}", count_++);
    const auto node = builder_.add_node(name, *ops::find_operator(op), operands, {});
    CHECK(node.has_value(), "drawn networks are valid");
    return builder_.output(*node);
  }

  graph::ValueId chain(graph::ValueId value, int length) {
    static const char* const steps[]{"Relu", "Neg", "Sigmoid", "Abs"};
    for (int i = 0; i < length; ++i) value = add(steps[i % 4], {value});
    return value;
  }

  // Pairs of values added until one is left.
  graph::ValueId sum(Values values) {
    while (values.size() > 1) {
      Values halves;
      for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        halves.push_back(add("Add", {values[i], values[i + 1]}));
      if (values.size() % 2 == 1) halves.push_back(values.back());
      values = std::move(halves);
    }
    return values.front();
  }

  graph::Graph finish(graph::ValueId result) {
    builder_.set_outputs({result});
    auto graph = std::move(builder_).finish();
    CHECK(graph.has_value(), "drawn networks are valid");
    return *std::move(graph);
  }

 private:
  graph::GraphBuilder builder_;
  int count_ = 0;
};

graph::Graph chain(int operators) {
  Drawing drawing("chain");
  return drawing.finish(drawing.chain(drawing.input(), operators));
}

// Branches of so many operators, side by side, from one value and summed up.
graph::Graph branches(int operators, int length) {
  Drawing drawing("branches");
  const graph::ValueId begin = drawing.add("Relu", {drawing.input()});
  Values ends;
  for (int i = 0; i < operators / (length + 1); ++i) ends.push_back(drawing.chain(begin, length));
  return drawing.finish(drawing.sum(std::move(ends)));
}

// Matrix product, activation, and the sum with what came in, again and again.
graph::Graph residual(int operators) {
  Drawing drawing("residual");
  graph::ValueId value = drawing.input();
  for (int i = 0; i < operators / 4; ++i)
    value = drawing.add("Add", {value, drawing.chain(drawing.add("MatMul", {value, value}), 2)});
  return drawing.finish(value);
}

const std::map<std::string, std::function<graph::Graph(int)>>& shapes() {
  static const std::map<std::string, std::function<graph::Graph(int)>> table{
      {"chain", chain},
      {"wide", [](int operators) { return branches(operators, 1); }},
      {"branches", [](int operators) { return branches(operators, 99); }},
      {"residual", residual},
      {"random", [](int operators) {
         return test::random_network(1, {.operators = operators, .type = DataType::Float32});
       }}};
  return table;
}

struct Options {
  int operators = 10'000, runs = 3;
  std::vector<std::string> shapes;  // all, where none is named
};

Result<void> measure(const std::string& shape, const Options& options) {
  const graph::Graph graph = shapes().at(shape)(options.operators);
  for (const fusion::Strategy& strategy : passes::fusion_strategies()) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t kernels = 0;
    for (int run = 0; run < options.runs; ++run) {
      const Stopwatch watch;
      const auto plan = TRY(strategy.plan(graph, {}));
      best = std::min(best, watch.milliseconds());
      kernels = plan.groups.size();
    }
    fmt::print("{:<10}{:>7} operators  {:<10}{:>7} kernels {:>10.1f} ms\n", shape,
               graph.nodes().size(), strategy.name, kernels, best);
    std::fflush(stdout);
  }
  return {};
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--operators", options.operators)->check(CLI::Range(8, 10'000'000));
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber);
  app.add_option("shapes", options.shapes)->check(CLI::IsMember(&shapes()));
}

Result<void> run(const Options& options) {
  for (const auto& [shape, draw] : shapes())
    if (options.shapes.empty() || std::ranges::count(options.shapes, shape) > 0)
      TRY_VOID(measure(shape, options));
  return {};
}

}  // namespace
}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::Options>(
      count, arguments, "how long each fusion strategy takes to plan large graphs",
      loopglass::declare, loopglass::run);
}
