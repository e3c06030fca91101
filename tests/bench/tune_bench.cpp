// What each way of tuning buys on the same kernels: the ten convolutions of AL-Ansor's protocol
// (channels last, bias and ReLU), batch 1 or 32. A row for each combination of space, search and
// cost model; a column for each kernel, how much faster than the default schedule the best was,
// both in turns at the end of the run; below it, its GFLOP/s. With --layouts a row for each layout
// strategy, of the best that it found by itself, and at the end how much faster al is than the
// others.
//
//   tune_bench [--batch N] [--threads N] [--trials N] [--seeds N] [--layouts] [--only TEXT] [T1 T4
//   ...]
#include "core/kernel_file/kernel_text.h"
#include "core/machine/host.h"
#include "core/support/statistics.h"
#include "core/support/stopwatch.h"
#include "core/tune/tuning.h"
#include "tests/bench/bench_main.h"
#include "tests/bench/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace loopglass {

namespace {

std::string text_of(const Layer& layer, int batch) {
  const std::int64_t out = (layer.size + 2 * layer.pad - layer.window) / layer.stride + 1;
  const std::int64_t padded = layer.size + 2 * layer.pad;
  std::string text = fmt::format(
      "input X: float32[{0}, {1}, {1}, {2}]\nconstant W: float32[{3}, {3}, {2}, {4}]\n"
      "constant B: float32[{4}]\n",
      batch, layer.size, layer.channels, layer.window, layer.filters);
  if (layer.pad > 0)
    text += fmt::format(
        "padded[n < {0}, y < {1}, x < {1}, c < {2}] = select(y >= {3} and y < {4} and x >= {3} and "
        "x < {4}, X[n, y - {3}, x - {3}, c], 0)\n",
        batch, padded, layer.channels, layer.pad, layer.size + layer.pad);
  return text + fmt::format(
                    "conv[n < {0}, oh < {1}, ow < {1}, oc] = sum over kh, kw, ic of "
                    "{2}[n, oh * {3} + kh, ow * {3} + kw, ic] * W[kh, kw, ic, oc]\n"
                    "Y[n, oh, ow, oc] = max(conv[n, oh, ow, oc] + B[oc], 0)\n",
                    batch, out, layer.pad > 0 ? "padded" : "X", layer.stride);
}

struct Way {
  std::string name, space, search, cost_model;
  std::optional<tune::Layout> layout = {};
};

std::vector<Way> ways(bool of_layouts) {
  using tune::Layout;
  if (of_layouts) {
    std::vector<Way> list;
    for (const Layout layout : tune::all_layouts)
      list.push_back({std::string(name(layout)), "sketch", "evolutionary", "trees-stores", layout});
    return list;
  }
  return {{"construct, droplet", "construct", "droplet", "trees-stores"},
          {"construct, evolution", "construct", "evolutionary", "trees-stores"},
          {"construct, grid (Roller)", "construct", "grid", "analytical"},
          {"construct, random", "construct", "random", "none"},
          {"template, annealing (AutoTVM)", "template", "annealing", "trees-loops"},
          {"template, policy (Chameleon)", "template", "reinforcement", "trees-loops"},
          {"template, genetic (TC)", "template", "genetic", "none"},
          {"sketch, evolution (Ansor)", "sketch", "evolutionary", "trees-stores",
           Layout::AtCompileTime},
          {"sketch, evolution, net", "sketch", "evolutionary", "net", Layout::AtCompileTime},
          {"sketch, droplet", "sketch", "droplet", "trees-stores", Layout::AtCompileTime}};
}

struct Options {
  int batch = 1, threads = 1, seeds = 1;
  std::size_t trials = 128;
  bool layouts = false;
  std::string only, worker;
  std::vector<std::string> tasks;
};

// Of what the search proposed, whatever the default schedule takes; of what was slower and left
// early, by the rounds that it ran.
double best_found_ms(const tune::Tuning& tuning) {
  double best = std::numeric_limits<double>::infinity();
  for (const tune::Trial& trial : tuning.trials())
    if (trial.point) best = std::min(best, trial.outcome.milliseconds());
  return best;
}

// What a way found, by seed and task, and what it took.
struct WayResults {
  explicit WayResults(std::size_t seeds) : best_ms(seeds), gains(seeds), gflops(seeds) {}
  std::vector<std::vector<double>> best_ms, gains, gflops;
  double seconds = 0;
  std::size_t trials = 0, failed = 0;
  std::vector<double> correlations;
};

Result<void> tune_once(const tune::Task& task, const Way& way, int seed, const Options& options,
                       const std::string& worker, WayResults& results) {
  tune::LocalMeasurer measurer({worker, {"worker"}});
  tune::TuneSettings settings{way.space, way.search, way.cost_model};
  settings.layout = way.layout;
  settings.trials = options.trials;
  settings.seed = static_cast<std::uint64_t>(seed);
  const Stopwatch begun;
  const auto tuning = TRY(tune::Tuning::begin(task, settings, measurer, {}));
  while (tuning->measured() < settings.trials)
    if (!TRY(tuning->round(std::min(settings.round, settings.trials - tuning->measured())))) break;
  results.seconds += begun.milliseconds() / 1000;
  TRY_VOID(tuning->finish());
  // Strategies are held against one another: that the default may be faster says nothing.
  const double usual =
      options.layouts ? tuning->default_trial().outcome.milliseconds() : tuning->default_ms();
  const double best = options.layouts ? best_found_ms(*tuning) : tuning->best_ms();
  const auto of_seed = static_cast<std::size_t>(seed) - 1;
  results.best_ms[of_seed].push_back(best);
  results.gains[of_seed].push_back(usual / best);
  results.gflops[of_seed].push_back(tune::flops_of(task) / best * 1e-6);
  results.trials += tuning->measured();
  for (const auto& [kind, count] : tuning->failures())
    results.failed += static_cast<std::size_t>(count);
  if (const double own = tuning->quality().correlation; std::isfinite(own))
    results.correlations.push_back(own);
  return {};
}

// Of each task over the seeds.
std::vector<double> means_by_task(const std::vector<std::vector<double>>& by_seed) {
  std::vector<double> means;
  for (std::size_t task = 0; task < by_seed.front().size(); ++task) {
    std::vector<double> of_task;
    for (const std::vector<double>& seed : by_seed) of_task.push_back(seed[task]);
    means.push_back(geometric_mean(of_task));
  }
  return means;
}

void print_row(const Way& way, const WayResults& results) {
  const std::vector<double> gains = means_by_task(results.gains);
  fmt::print("{:<32}", way.name);
  for (const double gain : gains) fmt::print("{:>7.2f}", gain);
  double correlation = 0;
  for (const double own : results.correlations)
    correlation += own / static_cast<double>(results.correlations.size());
  fmt::print("{:>9.3f}{:>10.3f}{:>8}{:>7}\n", geometric_mean(gains),
             results.seconds / static_cast<double>(std::max<std::size_t>(1, results.trials)),
             results.failed,
             results.correlations.empty() ? "" : fmt::format("{:.2f}", correlation));
  fmt::print("{:<32}", "  GFLOP/s of the best");
  for (const double speed : means_by_task(results.gflops)) fmt::print("{:>7.0f}", speed);
  fmt::print("\n");
}

// How much faster one way is than another: by task over the seeds, and as a mean over the tasks
// with the least and the most of a seed. Where one found nothing there is no ratio.
void print_gain(const std::pair<Way, WayResults>& fast, const std::pair<Way, WayResults>& slow) {
  std::vector<std::vector<double>> ratios;
  std::vector<double> gains;
  for (std::size_t seed = 0; seed < fast.second.best_ms.size(); ++seed) {
    std::vector<double> finite;
    ratios.emplace_back();
    for (std::size_t task = 0; task < fast.second.best_ms[seed].size(); ++task) {
      const double ratio = slow.second.best_ms[seed][task] / fast.second.best_ms[seed][task];
      ratios.back().push_back(ratio);
      if (std::isfinite(ratio) && ratio > 0) finite.push_back(ratio);
    }
    gains.push_back(geometric_mean(finite));
  }
  fmt::print("{:<32}", fmt::format("{} over {}", fast.first.name, slow.first.name));
  for (const double ratio : means_by_task(ratios)) fmt::print("{:>7.2f}", ratio);
  fmt::print("{:>9.3f}  {:.3f} to {:.3f} by seed\n", geometric_mean(gains),
             *std::ranges::min_element(gains), *std::ranges::max_element(gains));
}

Result<void> run(const Options& options) {
  std::vector<std::pair<std::string, tune::Task>> tasks;
  for (const Layer& layer : layers) {
    if (!options.tasks.empty() &&
        std::ranges::find(options.tasks, layer.name) == options.tasks.end())
      continue;
    onnx::Source source(std::filesystem::path(fmt::format("{}.te", layer.name)));
    source.bytes = std::make_shared<const std::string>(text_of(layer, options.batch));
    tasks.emplace_back(layer.name, tune::Task{layer.name,
                                              TRY(kernel_file::read_kernel(source)).nest,
                                              {},
                                              host_machine(),
                                              options.threads});
  }
  const std::string worker =
      options.worker.empty()
          ? (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "loopglassc").string()
          : options.worker;
  fmt::print("batch {}, {} thread{}, {} trials, {} seed{}; best over the default schedule\n",
             options.batch, options.threads, options.threads == 1 ? "" : "s", options.trials,
             options.seeds, options.seeds == 1 ? "" : "s");
  fmt::print("{:<32}", "");
  for (const auto& [name, task] : tasks) fmt::print("{:>7}", name);
  fmt::print("{:>9}{:>10}{:>8}{:>7}\n", "mean", "s/trial", "failed", "rank");
  // Ways alternate on a kernel, since what they found is held against one another: a machine is not
  // the same an hour later.
  std::vector<std::pair<Way, WayResults>> rows;
  for (Way& way : ways(options.layouts))
    if (options.only.empty() || way.name.find(options.only) != std::string::npos)
      rows.emplace_back(std::move(way), WayResults(static_cast<std::size_t>(options.seeds)));
  for (const auto& [name, task] : tasks)
    for (int seed = 1; seed <= options.seeds; ++seed)
      for (auto& [way, results] : rows) {
        fmt::print(stderr, "{}, seed {}, {}\n", name, seed, way.name);
        TRY_VOID(tune_once(task, way, seed, options, worker, results));
      }
  for (const auto& [way, results] : rows) print_row(way, results);
  if (options.layouts && rows.size() > 1)
    for (std::size_t other = 0; other + 1 < rows.size(); ++other)
      print_gain(rows.back(), rows[other]);
  return {};
}

}  // namespace

}  // namespace loopglass

int main(int count, char** arguments) {
  using loopglass::Options;
  return loopglass::bench_main<Options>(
      count, arguments, "What each way of tuning buys on ten convolutions",
      [](CLI::App& app, Options& options) {
        app.add_option("tasks", options.tasks, "T1 to T10; all where none is named");
        app.add_option("--batch", options.batch);
        app.add_option("--threads", options.threads);
        app.add_option("--trials", options.trials);
        app.add_option("--seeds", options.seeds, "runs of each, of which the mean is taken");
        app.add_flag("--layouts", options.layouts, "layout strategies instead, over sketches");
        app.add_option("--only", options.only, "ways whose name has this in it");
        app.add_option("--worker", options.worker, "loopglassc; the one beside this program");
      },
      loopglass::run);
}
