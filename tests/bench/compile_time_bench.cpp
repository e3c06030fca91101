// How compile time grows: networks of telling shapes at sizes that double, and random kernels one
// of whose axes doubles. Per family the milliseconds at every size, the exponent of the growth over
// the last three sizes, and where the time of the last one went; the worst exponent comes last.
//
//   compile_time_bench [--doublings N] [--seconds S] [--kernels N] [FAMILY...]
//
// Time is the processor's, so that others on the machine do not lengthen it, on one thread. What is
// linear in operators and results has exponent 1, and what only has longer axes 0; small sizes hide
// behind constant costs.
#include "core/ops/registry.h"
#include "core/support/check.h"
#include "tests/bench/bench_main.h"
#include "tests/random/random_kernel.h"
#include "tests/random/random_network.h"
#include "tests/session/session_on.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

namespace loopglass {
namespace {

using Values = std::vector<graph::ValueId>;
using Integers = std::vector<std::int64_t>;

class Drawing {
 public:
  explicit Drawing(const std::string& name) : builder_(name) {}

  graph::ValueId input(Shape shape) {
    return builder_.add_input("x", {DataType::Float32, std::move(shape)});
  }
  graph::ValueId add(const char* op, const Values& operands, ops::Attributes attributes = {}) {
    return parts(op, operands, std::move(attributes), 1).front();
  }
  Values parts(const char* op, const Values& operands, ops::Attributes attributes,
               std::size_t count) {
    const auto node =
        builder_.add_node("n", *ops::find_operator(op), operands, std::move(attributes), count);
    CHECK(node.has_value(), node ? "" : to_string(node.error()));
    return builder_.node(*node).outputs;
  }
  graph::Graph finish(Values results) {
    builder_.set_outputs(std::move(results));
    auto graph = std::move(builder_).finish();
    CHECK(graph.has_value(), "drawn networks are valid");
    return *std::move(graph);
  }

 private:
  graph::GraphBuilder builder_;
};

const char* activation(int number) {
  static const char* const steps[]{"Relu", "Neg", "Sigmoid", "Abs"};
  return steps[number % 4];
}

graph::Graph split(int count) {
  Drawing drawing("split");
  return drawing.finish(
      drawing.parts("Split", {drawing.input({count * 3})}, {}, static_cast<std::size_t>(count)));
}

graph::Graph concat(int count, bool computed) {
  Drawing drawing("concat");
  Values operands;
  for (int i = 0; i < count; ++i) {
    operands.push_back(drawing.input({1, 3}));
    if (computed) operands.back() = drawing.add(activation(i), {operands.back()});
  }
  return drawing.finish({drawing.add("Concat", operands, {{"axis", std::int64_t{0}}})});
}

// Each concatenates the one before it and something new.
graph::Graph nested_concat(int count) {
  Drawing drawing("nested");
  graph::ValueId all = drawing.input({1, 16});
  for (int i = 0; i < count; ++i) {
    const graph::ValueId more = drawing.add("Relu", {drawing.input({1, 16})});
    all = drawing.add("Concat", {all, more}, {{"axis", std::int64_t{0}}});
  }
  return drawing.finish({all});
}

graph::Graph chain(int count, bool all_are_results) {
  Drawing drawing("chain");
  Values values{drawing.input({16, 16})};
  for (int i = 0; i < count; ++i) values.push_back(drawing.add(activation(i), {values.back()}));
  return drawing.finish(all_are_results ? Values(values.begin() + 1, values.end())
                                        : Values{values.back()});
}

// Two ways from each value to the next.
graph::Graph diamonds(int count) {
  Drawing drawing("diamonds");
  graph::ValueId value = drawing.input({16, 16});
  for (int i = 0; i < count / 3; ++i)
    value = drawing.add("Add", {drawing.add("Relu", {value}), drawing.add(activation(i), {value})});
  return drawing.finish({value});
}

// So many ways from one value, summed up one by one.
graph::Graph branches(int count) {
  Drawing drawing("branches");
  const graph::ValueId begin = drawing.input({16, 16});
  graph::ValueId sum = begin;
  for (int i = 0; i < count / 2; ++i)
    sum = drawing.add("Add", {sum, drawing.add(activation(i), {begin})});
  return drawing.finish({sum});
}

graph::Graph residual(int count) {
  Drawing drawing("residual");
  graph::ValueId value = drawing.input({16, 16});
  for (int i = 0; i < count / 3; ++i)
    value =
        drawing.add("Add", {value, drawing.add("Relu", {drawing.add("MatMul", {value, value})})});
  return drawing.finish({value});
}

graph::Graph slices(int count) {
  Drawing drawing("slices");
  const graph::ValueId whole = drawing.input({count + 16});
  Values parts;
  for (int i = 0; i < count; ++i)
    parts.push_back(
        drawing.add("Slice", {whole}, {{"starts", Integers{i}}, {"ends", Integers{i + 16}}}));
  return drawing.finish(std::move(parts));
}

graph::Graph reductions(int count) {
  Drawing drawing("reductions");
  const graph::ValueId x = drawing.input({12, 40});
  Values sums;
  for (int i = 0; i < count; ++i)
    sums.push_back(drawing.add("ReduceSum", {drawing.add(activation(i), {x})},
                               {{"axes", Integers{i % 2}}, {"keepdims", std::int64_t{0}}}));
  return drawing.finish(std::move(sums));
}

// A network of one operator on one input.
graph::Graph single(const char* op, Shape shape, ops::Attributes attributes) {
  Drawing drawing(op);
  return drawing.finish(
      {drawing.add(op, {drawing.input(std::move(shape))}, std::move(attributes))});
}

struct Family {
  std::string name;
  int first;  // the smallest size
  std::function<graph::Graph(int)> draw;
};

std::vector<Family> families() {
  const auto axis = [](std::int64_t number) { return ops::Attributes{{"axis", number}}; };
  return {
      {"split", 500, split},
      {"concat", 500, [](int n) { return concat(n, false); }},
      {"concat-computed", 500, [](int n) { return concat(n, true); }},
      {"concat-nested", 125, nested_concat},
      {"slices", 250, slices},
      {"chain", 500, [](int n) { return chain(n, false); }},
      {"chain-results", 250, [](int n) { return chain(n, true); }},
      {"diamonds", 500, diamonds},
      {"branches", 500, branches},
      {"residual", 250, residual},
      {"reductions", 125, reductions},
      {"random", 125,
       [](int n) { return test::random_network(1, {.operators = n, .type = DataType::Float32}); }},
      {"hardmax-axis", 8,
       [=](int n) {
         return single("Hardmax", {1, n, 10, 9}, axis(1));
       }},
      {"hardmax-rows", 5,
       [=](int n) {
         return single("Hardmax", {1, 17, n, 9}, axis(1));
       }},
      {"argmax-axis", 9,
       [=](int n) {
         return single("ArgMax", {3, n, 7, 11}, axis(1));
       }},
      {"softmax-axis", 9,
       [=](int n) {
         return single("Softmax", {3, n, 7, 11}, axis(1));
       }},
      {"cumsum-axis", 9,
       [=](int n) {
         return single("CumSum", {3, n, 7, 11}, axis(1));
       }},
      {"max-pool-rows", 9,
       [](int n) {
         return single("MaxPool", {1, 3, n, 9},
                       {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}});
       }},
  };
}

struct Compiled {
  double passes = 0, planning = 0, lowering = 0, machine_code = 0;  // milliseconds
  double total() const { return passes + planning + lowering + machine_code; }
};

Result<Compiled> compile(graph::Graph graph) {
  SessionOptions options;
  options.compile_threads = 1;
  const auto session = session_on(std::move(graph), std::move(options));
  std::clock_t last = std::clock();
  const auto lap = [&] {
    const std::clock_t now = std::clock();
    return 1e3 * static_cast<double>(now - std::exchange(last, now)) / CLOCKS_PER_SEC;
  };
  Compiled times;
  TRY(session->graph_history());
  times.passes = lap();
  TRY(session->placement());
  times.planning = lap();
  TRY(session->memory_plan());
  times.lowering = lap();
  TRY(session->executor());
  times.machine_code = lap();
  return times;
}

// The first operators of a network, with the types they work on.
std::string contents_of(const graph::Graph& graph) {
  std::vector<std::string> parts;
  for (const graph::NodePtr& node : graph.nodes()) {
    if (parts.size() == 3) break;
    parts.push_back(
        fmt::format("{} {}", node->op->name, to_string(graph.value(node->inputs.front()).type)));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), graph.nodes().size() > 3 ? ", ..." : "");
}

struct Growth {
  std::string name;
  std::vector<int> sizes;
  std::vector<double> milliseconds;
  Compiled last;
  std::string contents;  // of the last

  // The slope of least squares through the last three sizes on logarithmic axes.
  double exponent() const {
    const std::size_t count = std::min<std::size_t>(3, sizes.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = sizes.size() - count; i < sizes.size(); ++i) {
      const double size = std::log2(sizes[i]), time = std::log2(milliseconds[i]);
      x += size, y += time, xx += size * size, xy += size * time;
    }
    const double n = static_cast<double>(count), spread = n * xx - x * x;
    return spread == 0 ? 0 : (n * xy - x * y) / spread;
  }
};

struct Options {
  int doublings = 3, kernels = 60;
  double seconds = 20;
  std::vector<std::string> families;  // all, and random kernels, where none is named
};

Result<Growth> measure(const Family& family, const Options& options) {
  Growth growth{family.name, {}, {}, {}, {}};
  for (int doubling = 0; doubling <= options.doublings; ++doubling) {
    growth.sizes.push_back(family.first << doubling);
    graph::Graph graph = family.draw(growth.sizes.back());
    growth.contents = contents_of(graph);
    growth.last = TRY(compile(std::move(graph)));
    growth.milliseconds.push_back(growth.last.total());
    if (growth.last.total() > 1e3 * options.seconds) break;
  }
  return growth;
}

void print(const Growth& growth) {
  std::vector<std::string> times;
  for (std::size_t i = 0; i < growth.sizes.size(); ++i)
    times.push_back(fmt::format("{}: {:.0f}", growth.sizes[i], growth.milliseconds[i]));
  fmt::print(
      "{:<16} n^{:<5.2f} ms at {}; last: passes {:.0f}, planning {:.0f}, lowering {:.0f}, "
      "machine code {:.0f}; {}\n",
      growth.name, growth.exponent(), fmt::join(times, ", "), growth.last.passes,
      growth.last.planning, growth.last.lowering, growth.last.machine_code, growth.contents);
  std::fflush(stdout);
}

std::vector<Family> random_kernels(int count) {
  std::vector<Family> result;
  for (int seed = 0; seed < count; ++seed)
    result.push_back({fmt::format("kernel-{}", seed), 1, [seed](int scale) {
                        return test::random_kernel(static_cast<std::uint32_t>(seed), scale);
                      }});
  return result;
}

Result<void> run(const Options& options) {
  std::vector<Family> wanted = families();
  for (Family& kernel : random_kernels(options.kernels)) wanted.push_back(std::move(kernel));
  if (!options.families.empty())
    std::erase_if(wanted, [&](const Family& family) {
      return std::ranges::count(options.families, family.name) == 0;
    });
  std::vector<Growth> measured;
  for (const Family& family : wanted) {
    measured.push_back(TRY(measure(family, options)));
    fmt::print(stderr, "{} of {}: {}\n", measured.size(), wanted.size(), family.name);
  }
  std::ranges::stable_sort(measured, {}, &Growth::exponent);
  for (const Growth& growth : measured) print(growth);
  return {};
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--doublings", options.doublings)->check(CLI::Range(1, 12));
  app.add_option("--kernels", options.kernels, "how many random ones")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seconds", options.seconds, "no larger size once one took so long");
  app.add_option("families", options.families, "by name; random kernels are kernel-SEED");
}

}  // namespace
}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::Options>(count, arguments, "how compile time grows",
                                                   loopglass::declare, loopglass::run);
}
