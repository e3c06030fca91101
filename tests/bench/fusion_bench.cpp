// What each fusion strategy makes of the sample networks, in one run: operators and kernels of the
// same canonical graph, fusion rate, bytes of intermediates, and latency on one thread. Rounds of
// all strategies interleave, so that a slow minute of the machine falls on all of them. All of it
// is done several times over, each with memory of its own: where the system puts the pages of
// weights and intermediates decides which of them contend for the same sets of a cache, and moves
// the same plan's latency by 1 to 3 %. Each strategy is compared with the first, instance by
// instance (fusion_bench_paired.h). With --kernels: where two strategies cut the network
// differently, and which cut is the faster one. That the same strategy may be named twice shows
// what noise is left.
//
//   fusion_bench [--instances N] [--rounds N] [--default-costs] [--kernels N]
//                [--strategies S1,S2] [NETWORK...]
#include "app/common/calibration.h"
#include "core/graph/copies.h"
#include "core/loop/interpreter.h"
#include "core/support/stopwatch.h"
#include "passes/pipeline.h"
#include "tests/bench/bench_main.h"
#include "tests/bench/fusion_bench_paired.h"
#include "tests/random/random_inputs.h"
#include "tests/samples/sample_names.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace loopglass {

namespace {

struct Options {
  std::size_t instances = 9;
  int rounds = 5;  // of an instance
  bool default_costs = false;
  std::size_t kernels = 0;  // places to show where plans differ
  std::vector<std::string> strategies{"dominator", "mapping", "dp", "none"};
  std::vector<std::string> networks{"vgg16", "efficientnet_b0", "mobilenet_v1", "yolov4",
                                    "encoder"};
};

// A strategy's network, ready to run.
struct Instance {
  std::unique_ptr<Session> session;
  std::shared_ptr<const fusion::Plan> plan;
  std::shared_ptr<runtime::Executor> executor;
  std::vector<Tensor> outputs;  // kept from round to round
  double planning_ms = 0;
  std::vector<double> milliseconds;  // by round
};

struct Contender {
  std::string strategy;
  Instance instance;                          // the one that runs
  std::vector<double> milliseconds;           // by instance, the median of its rounds
  std::map<fusion::GroupId, double> fastest;  // milliseconds of a kernel, of all instances
};

// Constants are no nodes; a copy computes nothing.
std::size_t operators_of(const graph::Graph& graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      graph.nodes(), [&](const graph::NodePtr& node) { return !graph::is_copy(graph, *node); }));
}

Result<Instance> prepare(const samples::Sample& sample, const std::string& strategy,
                         const Options& options) {
  SessionOptions session;
  session.import.evaluate = loop::evaluate;
  session.strategy = strategy;
  Instance instance;
  instance.session = std::make_unique<Session>(passes::toolchain(), std::move(session));
  if (!options.default_costs) instance.session->set_cost_model(app::host_cost_model());
  TRY_VOID(instance.session->open(TRY(samples::sample_path(sample))));
  TRY_VOID(instance.session->graph());
  const Stopwatch watch;
  instance.plan = TRY(instance.session->plan());
  instance.planning_ms = watch.milliseconds();
  instance.executor = TRY(instance.session->executor());
  instance.outputs = TRY(instance.executor->allocate_outputs());
  return instance;
}

Result<void> run_round(Contender& contender, const std::vector<Tensor>& inputs,
                       runtime::ThreadPool& pool, bool counts) {
  std::vector<std::int64_t> nanoseconds;
  runtime::Executor& executor = *contender.instance.executor;
  const Stopwatch watch;
  TRY_VOID(executor.run_into(contender.instance.outputs, inputs, pool, &nanoseconds));
  const double milliseconds = watch.milliseconds();
  if (!counts) return {};
  contender.instance.milliseconds.push_back(milliseconds);
  for (std::size_t i = 0; i < executor.kernels().size(); ++i) {
    const double time = static_cast<double>(nanoseconds[i]) * 1e-6;
    const auto [known, fresh] = contender.fastest.emplace(executor.kernels()[i].group, time);
    if (!fresh) known->second = std::min(known->second, time);
  }
  return {};
}

Result<void> run_rounds(std::vector<Contender>& contenders, int rounds) {
  const std::vector<Tensor> inputs =
      test::random_inputs(contenders.front().instance.executor->graph());
  runtime::ThreadPool pool(1);
  constexpr int warm_up = 1;
  for (int round = -warm_up; round < rounds; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      // Each comes first now and then.
      const std::size_t turn = (i + static_cast<std::size_t>(round + warm_up)) % contenders.size();
      TRY_VOID(run_round(contenders[turn], inputs, pool, round >= 0));
    }
  for (Contender& contender : contenders)
    contender.milliseconds.push_back(runtime::summarise(contender.instance.milliseconds).median_ms);
  return {};
}

void print(const samples::Sample& sample, const Contender& contender, const Contender& reference) {
  const runtime::Statistics time = runtime::summarise(contender.milliseconds);
  const runtime::Executor& executor = *contender.instance.executor;
  const fusion::Plan& plan = *contender.instance.plan;
  const std::size_t operators = operators_of(executor.graph()), kernels = plan.groups.size();
  const double rate = static_cast<double>(operators) / static_cast<double>(kernels);
  const double gain =
      static_cast<double>(reference.instance.plan->groups.size()) / static_cast<double>(kernels);
  fmt::print("{:<16} {:<10}{:>5} ops{:>5} kernels  rate {:5.2f} ({:+6.1f} %)  {:8.1f} MiB\n",
             sample.name, contender.strategy, operators, kernels, rate, 100 * (gain - 1),
             static_cast<double>(executor.memory_plan().separate_bytes) / (1 << 20));
  fmt::print(
      "{:<27}median {:.3f} ms [{:.3f} {:.3f}], fastest {:.3f} ms; planned in {:.0f} ms, {}\n", "",
      time.median_ms, time.lower_quartile_ms, time.upper_quartile_ms, time.minimum_ms,
      contender.instance.planning_ms, fusion::name(plan.optimality));
  if (&contender == &reference) return;
  const PairedRatio paired = paired_ratio(contender.milliseconds, reference.milliseconds);
  fmt::print("{:<27}x{:.4f} of {}, 95 % in [{:.4f} {:.4f}]: {}; fastest instances x{:.4f}\n", "",
             paired.median, reference.strategy, paired.lower, paired.upper,
             paired.is_slower()   ? "slower"
             : paired.is_faster() ? "faster"
                                  : "no difference shown",
             paired.best);
}

// The smallest sets of operators that both plans cut out as kernels of their own.
std::vector<std::vector<graph::NodeId>> common_pieces(const graph::Graph& graph,
                                                      const fusion::Plan& a,
                                                      const fusion::Plan& b) {
  std::vector<std::size_t> root(graph.nodes().size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::size_t node) {
    while (root[node] != node) node = root[node] = root[root[node]];
    return node;
  };
  for (const fusion::Plan* plan : {&a, &b})
    for (const fusion::Group& group : plan->groups)
      for (const graph::NodeId id : group.nodes)
        root[find(graph.position(id))] = find(graph.position(group.nodes.front()));
  std::map<std::size_t, std::vector<graph::NodeId>> pieces;
  for (std::size_t node = 0; node < root.size(); ++node)
    pieces[find(node)].push_back(graph.nodes()[node]->id);
  std::vector<std::vector<graph::NodeId>> found;
  for (auto& [first, nodes] : pieces) found.push_back(std::move(nodes));
  return found;
}

// Where the plan loses most against the reference, by the fastest time of each kernel.
void print_pieces(const Contender& contender, const Contender& reference, std::size_t most) {
  const graph::Graph& graph = contender.instance.executor->graph();
  struct Piece {
    double time = 0, reference = 0;  // milliseconds
    std::string kernels;
  };
  const auto time_of = [](const Contender& of, const std::vector<graph::NodeId>& nodes,
                          std::string& names) {
    std::set<fusion::GroupId> groups;
    for (const graph::NodeId id : nodes) groups.insert(of.instance.plan->group_of(id));
    double time = 0;
    for (const fusion::GroupId group : groups) {
      if (const auto known = of.fastest.find(group); known != of.fastest.end())
        time += known->second;
      names += (names.empty() ? "" : " + ") + of.instance.plan->group(group).name;
    }
    return time;
  };
  std::vector<Piece> pieces;
  double gain = 0, loss = 0;
  for (const auto& nodes :
       common_pieces(graph, *contender.instance.plan, *reference.instance.plan)) {
    Piece piece;
    std::string before;
    piece.time = time_of(contender, nodes, piece.kernels);
    piece.reference = time_of(reference, nodes, before);
    const double difference = piece.time - piece.reference;
    (difference > 0 ? loss : gain) += difference;
    piece.kernels =
        before == piece.kernels ? before + " in both" : before + "\n      ->  " + piece.kernels;
    pieces.push_back(std::move(piece));
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.time - a.reference > b.time - b.reference;
  });
  fmt::print("    {} against {}: {:+.3f} ms where it is slower, {:+.3f} ms where it is faster\n",
             contender.strategy, reference.strategy, loss, gain);
  for (std::size_t i = 0; i < std::min(most, pieces.size()); ++i)
    fmt::print("      {:+.4f} ms ({:.4f} -> {:.4f})  {}\n", pieces[i].time - pieces[i].reference,
               pieces[i].reference, pieces[i].time, pieces[i].kernels);
}

Result<void> measure(const samples::Sample& sample, const Options& options) {
  std::vector<Contender> contenders;
  for (const std::string& strategy : options.strategies)
    contenders.push_back({strategy, {}, {}, {}});
  for (std::size_t i = 0; i < options.instances; ++i) {
    // The order in which they are made, and find memory, changes as well.
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      Contender& contender = contenders[(turn + i) % contenders.size()];
      contender.instance = TRY(prepare(sample, contender.strategy, options));
    }
    TRY_VOID(run_rounds(contenders, options.rounds));
  }
  for (const Contender& contender : contenders) {
    print(sample, contender, contenders.front());
    if (options.kernels > 0 && &contender != &contenders.front())
      print_pieces(contender, contenders.front(), options.kernels);
  }
  std::fflush(stdout);
  return {};
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--instances", options.instances, "of each strategy, with memory of its own")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", options.rounds, "of each instance")->check(CLI::PositiveNumber);
  app.add_option("--kernels", options.kernels, "places to show where two strategies cut");
  app.add_option("--strategies", options.strategies)->delimiter(',')->allow_extra_args(false);
  app.add_flag("--default-costs", options.default_costs, "without this machine's calibration");
  app.add_option("networks", options.networks)->check(CLI::IsMember(test::sample_names()));
}

// A network that one strategy cannot run does not keep the others from being measured.
Result<void> run(const Options& options) {
  for (const std::string& name : options.networks)
    if (const auto done = measure(*samples::find_sample(name), options); !done)
      fmt::print("{:<16} {}\n", name, to_string(done.error()));
  return {};
}

}  // namespace

}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::Options>(
      count, arguments, "what each fusion strategy makes of the sample networks",
      loopglass::declare, loopglass::run);
}
