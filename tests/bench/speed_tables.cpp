// Prints the README's tables of speed: ten convolutions and some products beside a library's,
// minimal filtering beside the convolutions as they stand, and what a second thread buys.
//
//   speed_tables [--batch N] [--threads N] [--library NAME] [--rounds N] [TABLE...]
//
// Tables: layers, products, winograd, threads; all where none is named. What is compared takes
// turns in one run; figures are medians, ratios those of neighbours. LOOPGLASS_TARGET=x86-64-v3
// holds both sides to AVX2.
#include "core/library/comparison.h"
#include "core/ops/registry.h"
#include "core/support/statistics.h"
#include "samples/samples.h"
#include "tests/bench/bench_main.h"
#include "tests/bench/layers.h"
#include "tests/session/session_on.h"

#include <algorithm>
#include <cmath>

namespace loopglass {

namespace {

using Integers = std::vector<std::int64_t>;

struct Options {
  std::vector<std::string> tables;
  std::int64_t batch = 1;
  int threads = 1, rounds = 10;
  std::string library = "onednn";

  bool wants(const std::string& table) const {
    return tables.empty() || std::ranges::find(tables, table) != tables.end();
  }
};

// An operator on an input and random constants, and a Relu behind it.
graph::Graph layer_of(const char* op, const Shape& input, const Shape& weights,
                      std::optional<std::int64_t> biases, ops::Attributes attributes) {
  graph::GraphBuilder builder("layer");
  const auto constant = [&](const char* name, const Shape& shape) {
    return builder.add_constant(name, runtime::random_tensor({DataType::Float32, shape}, 1));
  };
  std::vector<graph::ValueId> inputs{builder.add_input("x", {DataType::Float32, input}),
                                     constant("w", weights)};
  if (biases) inputs.push_back(constant("b", {*biases}));
  const auto add = [&](const char* name, std::vector<graph::ValueId> operands,
                       ops::Attributes with) {
    return builder.output(
        *builder.add_node(name, *ops::find_operator(name), std::move(operands), std::move(with)));
  };
  builder.set_outputs({add("Relu", {add(op, std::move(inputs), std::move(attributes))}, {})});
  return *std::move(builder).finish();
}

graph::Graph graph_of(const Layer& layer, std::int64_t batch) {
  return layer_of(
      "Conv", {batch, layer.channels, layer.size, layer.size},
      {layer.filters, layer.channels, layer.window, layer.window}, layer.filters,
      {{"strides", Integers{layer.stride, layer.stride}}, {"pads", Integers(4, layer.pad)}});
}

std::unique_ptr<Session> session_for(graph::Graph graph, const std::string& pipeline = "default") {
  SessionOptions options;
  options.pipeline = pipeline;
  options.compile_threads = runtime::hardware_threads();
  return session_on(std::move(graph), std::move(options));
}

// --- beside a library ---------------------------------------------------------------------------

class Beside {
 public:
  static Result<Beside> create(const Options& options) {
    library::Library& library = *TRY(library::load(options.library));
    const int threads = library.set_threads(options.threads);
    fmt::print("\n{} {}, {}, batch {}, {} thread{}\n\n", library.name(), library.version(),
               library.instruction_set(), options.batch, threads, threads == 1 ? "" : "s");
    fmt::print(
        "| | ours, ms | theirs, ms | theirs / ours | 95 % | GFLOP/s of ours |\n"
        "|---|--:|--:|--:|---|--:|\n");
    return Beside(library, options);
  }

  Result<void> add(const std::string& name, graph::Graph graph) {
    const auto session = session_for(std::move(graph));
    const auto plan = TRY(session->plan());
    const auto network = TRY(session->network());
    const auto placement = TRY(session->placement());
    runtime::ThreadPool pool(options_.threads);
    for (const fusion::Group& group : plan->groups) {
      if (!library::has_anchor(*network->graph, group)) continue;
      const auto kernel =
          std::ranges::find(network->kernels, group.id, &runtime::KernelInstance::group);
      const auto part = TRY(library::part_of(*network->graph, group));
      const auto compared =
          TRY(library::compare({*network->graph, *kernel, *placement}, part, library_, pool,
                               {options_.threads, options_.rounds, {}}));
      if (!compared.agrees())
        return fail(Code::ResultMismatch,
                    fmt::format("{} differs by {}", name, compared.difference));
      // Theirs by ours, so that more is better for us.
      const double ratio = 1 / compared.ratio.median;
      fmt::print("| {} | {:.3f} | {:.3f} | {:.2f} | {:.2f} to {:.2f} | {:.0f} |\n", name,
                 compared.ours.median_ms, compared.theirs().time.median_ms, ratio,
                 1 / compared.ratio.high, 1 / compared.ratio.low,
                 static_cast<double>(kernel->flops) / compared.ours.median_ms * 1e-6);
      ratios_.push_back(ratio);
    }
    return {};
  }

  void end() const {
    if (!ratios_.empty())
      fmt::print("| geometric mean of {} | | | {:.2f} | worst {:.2f} | |\n", ratios_.size(),
                 geometric_mean(ratios_), *std::ranges::min_element(ratios_));
  }

 private:
  Beside(library::Library& library, const Options& options)
      : library_(library), options_(options) {}

  library::Library& library_;
  const Options& options_;
  std::vector<double> ratios_;
};

Result<void> layers_table(const Options& options) {
  Beside beside = TRY(Beside::create(options));
  for (const Layer& layer : layers)
    TRY_VOID(beside.add(layer.name, graph_of(layer, options.batch)));
  beside.end();
  return {};
}

Result<void> products_table(const Options& options) {
  Beside beside = TRY(Beside::create(options));
  for (const std::int64_t n : {256, 509, 512, 1021, 1024, 2048})
    TRY_VOID(beside.add(fmt::format("{0} x {0} x {0}", n),
                        layer_of("MatMul", {n, n}, {n, n}, std::nullopt, {})));
  beside.end();
  return {};
}

// --- one way beside another ---------------------------------------------------------------------

// The medians of two ways to run a network, and of what the second takes less.
struct Turns {
  double first_ms, second_ms, ratio;
};

Result<Turns> in_turns(const std::function<Result<double>()>& first,
                       const std::function<Result<double>()>& second, int rounds) {
  std::vector<double> one, other, ratios;
  for (int round = 0; round < rounds; ++round) {
    one.push_back(TRY(first()));
    other.push_back(TRY(second()));
    ratios.push_back(one.back() / other.back());
  }
  return Turns{median(one), median(other), median(ratios)};
}

std::function<Result<double>()> timed(Session& session, int threads) {
  return [&session, threads]() -> Result<double> {
    runtime::BenchmarkOptions options;
    options.threads = threads;
    options.rounds = 3;
    options.warm_up = 1;
    return TRY(session.benchmark(options)).network.median_ms;
  };
}

Result<void> winograd_table(const Options& options) {
  fmt::print(
      "\nbatch {}, {} thread(s)\n\n| | as it stands, ms | winograd-f4, ms | times as fast |\n"
      "|---|--:|--:|--:|\n",
      options.batch, options.threads);
  const auto row = [&](const std::string& name, const graph::Graph& graph) -> Result<void> {
    const auto plain = session_for(graph), filtered = session_for(graph, "winograd");
    const Turns turns = TRY(in_turns(timed(*plain, options.threads),
                                     timed(*filtered, options.threads), options.rounds));
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", name, turns.first_ms, turns.second_ms,
               turns.ratio);
    return {};
  };
  for (const Layer& layer : layers)
    if (layer.window == 3) TRY_VOID(row(layer.name, graph_of(layer, options.batch)));
  if (options.batch == 1)
    for (const char* name : {"resnet50", "vgg16", "yolov4"})
      TRY_VOID(row(name, TRY(samples::find_sample(name)->build(0))));
  return {};
}

Result<void> threads_table(const Options& options) {
  fmt::print("\n| | 1 thread, ms | 2 threads, ms | times as fast |\n|---|--:|--:|--:|\n");
  for (const char* name :
       {"mobilenet_v1", "efficientnet_b0", "encoder", "resnet50", "vgg16", "yolov4"}) {
    const auto session = session_for(TRY(samples::find_sample(name)->build(0)));
    const Turns turns = TRY(in_turns(timed(*session, 1), timed(*session, 2), options.rounds));
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} |\n", name, turns.first_ms, turns.second_ms,
               turns.ratio);
  }
  return {};
}

Result<void> run(const Options& options) {
  using Table = Result<void> (*)(const Options&);
  for (const auto& [name, table] : {std::pair<const char*, Table>{"layers", layers_table},
                                    {"products", products_table},
                                    {"winograd", winograd_table},
                                    {"threads", threads_table}})
    if (options.wants(name)) TRY_VOID(table(options));
  return {};
}

}  // namespace
}  // namespace loopglass

int main(int count, char** arguments) {
  using loopglass::Options;
  return loopglass::bench_main<Options>(
      count, arguments, "The README's tables of speed",
      [](CLI::App& app, Options& options) {
        app.add_option("tables", options.tables, "layers, products, winograd, threads")
            ->check(CLI::IsMember({"layers", "products", "winograd", "threads"}));
        app.add_option("--batch", options.batch)->check(CLI::PositiveNumber);
        app.add_option("--threads", options.threads)->check(CLI::PositiveNumber);
        app.add_option("--rounds", options.rounds)->check(CLI::PositiveNumber);
        app.add_option("--library", options.library);
      },
      loopglass::run);
}
