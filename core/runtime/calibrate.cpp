#include "core/runtime/calibrate.h"

#include "core/ops/registry.h"
#include "core/runtime/benchmark.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>

namespace loopglass::runtime {

namespace {

using Ints = std::vector<std::int64_t>;

TensorType f32(Shape shape) { return {DataType::Float32, std::move(shape)}; }

// What a network is timed for.
enum class About : std::uint8_t { Calls, Arithmetic, Bytes };

// Networks of one operator, or the same one over and over.
struct Network {
  std::string op;
  TensorType input;
  std::vector<TensorType> constants = {};
  ops::Attributes attributes = {};
  int times = 1;
};

Result<graph::Graph> graph_of(const Network& network) {
  const ops::OpDef* op = ops::find_operator(network.op);
  CHECK(op != nullptr, "calibration uses an operator that there is not");
  graph::GraphBuilder builder("calibration");
  graph::ValueId value = builder.add_input("x", network.input);
  std::vector<graph::ValueId> constants;
  for (const TensorType& type : network.constants)
    constants.push_back(builder.add_constant(fmt::format("c{}", constants.size()),
                                             random_tensor(type, constants.size() + 7)));
  for (int i = 0; i < network.times; ++i) {
    std::vector<graph::ValueId> inputs{value};
    inputs.insert(inputs.end(), constants.begin(), constants.end());
    value = builder.output(
        TRY(builder.add_node(fmt::format("n{}", i), *op, inputs, network.attributes)));
  }
  builder.set_outputs({value});
  return std::move(builder).finish();
}

class Calibrator {
 public:
  Calibrator(Machine machine, const CompileNetwork& compile, const CalibrationOptions& options)
      : compile_(compile), options_(options), result_{std::move(machine), {}} {}

  Result<Calibration> operator()() {
    Machine& machine = result_.machine;

    machine.launch_microseconds = TRY(launch());
    const double matrix =
        TRY(time("matrix product 384x384x384", {"MatMul", f32({384, 384}), {f32({384, 384})}}))
            .gflops;
    const double convolution =
        TRY(time("convolution 3x3, 128 channels, 28x28", {"Conv",
                                                          f32({1, 128, 28, 28}),
                                                          {f32({128, 128, 3, 3}), f32({128})},
                                                          {{"pads", Ints{1, 1, 1, 1}}}}))
            .gflops;
    machine.peak_gflops = std::max(matrix, convolution);
    machine.matrix_efficiency = matrix / machine.peak_gflops;
    machine.convolution_efficiency = convolution / machine.peak_gflops;
    // Each an exponential and a division.
    constexpr std::int64_t sigmoids = 16384;
    const double took = TRY(time("sigmoid of 16384", {"Sigmoid", f32({sigmoids})})).microseconds;
    machine.function_efficiency = 2e-3 * sigmoids / took / machine.peak_gflops;
    machine.reduction_efficiency =
        TRY(time("sums of 64 rows of 512", {"ReduceSum", f32({64, 512}), {}, {{"axes", Ints{1}}}}))
            .gflops /
        machine.peak_gflops;

    // As much as fits with room to spare: half a level, read and written.
    machine.l1.gigabytes_per_second = TRY(copy("first-level cache", machine.l1.bytes / 2));
    machine.l2.gigabytes_per_second = TRY(copy("second-level cache", machine.l2.bytes / 2));
    machine.l3.gigabytes_per_second =
        TRY(copy("third-level cache", std::min<std::int64_t>(machine.l3.bytes / 4, 8 << 20)));
    machine.memory_gigabytes_per_second =
        TRY(copy("memory", std::clamp<std::int64_t>(4 * machine.l3.bytes, 64 << 20, 256 << 20)));
    // Farther away is never faster; where it seems so, the clock was noisy.
    machine.l2.gigabytes_per_second =
        std::min<double>(machine.l2.gigabytes_per_second, machine.l1.gigabytes_per_second);
    machine.l3.gigabytes_per_second =
        std::min<double>(machine.l3.gigabytes_per_second, machine.l2.gigabytes_per_second);
    machine.memory_gigabytes_per_second =
        std::min<double>(machine.memory_gigabytes_per_second, machine.l3.gigabytes_per_second);

    // Of integers, which no tile in registers turns: each read jumps.
    const double strided =
        TRY(time("integers, 512x512, read across",
                 {"Transpose", {DataType::Int32, {512, 512}}, {}, {{"perm", Ints{1, 0}}}},
                 About::Bytes))
            .gigabytes_per_second;
    const double even = TRY(copy("copy of as much", 2 * 512 * 512 * 4));
    machine.strided_penalty = std::clamp(even / strided, 1.0, 16.0);
    machine.estimate_error = TRY(error());
    each_rate(machine, [](const char*, Figure<double>& rate) { rate.from = Provenance::Measured; });
    machine.estimate_error.from = Provenance::Measured;
    return std::move(result_);
  }

  // A chain of kernels that have nothing to do: what is left is calling them.
  Result<double> launch() {
    constexpr int chain = 256;
    return TRY(time("calls of 256 empty kernels", {"Neg", f32({1}), {}, {}, chain}, About::Calls))
               .microseconds /
           chain;
  }

 private:
  Result<double> copy(const std::string& name, std::int64_t bytes) {
    return TRY(time(name, {"Neg", f32({bytes / 8})}, About::Bytes)).gigabytes_per_second;
  }

  // What the model foretells of kernels that it was not calibrated with, as networks have them,
  // against what they take.
  Result<double> error() {
    const std::vector<std::pair<std::string, Network>> tried{
        {"tried on: convolution 1x1, 256 to 64 channels, 56x56",
         {"Conv", f32({1, 256, 56, 56}), {f32({64, 256, 1, 1})}}},
        {"tried on: convolution 3x3, 256 channels, 14x14",
         {"Conv", f32({1, 256, 14, 14}), {f32({256, 256, 3, 3})}, {{"pads", Ints{1, 1, 1, 1}}}}},
        {"tried on: convolution 7x7 by 2, 3 to 64 channels, 112x112",
         {"Conv",
          f32({1, 3, 112, 112}),
          {f32({64, 3, 7, 7})},
          {{"pads", Ints{3, 3, 3, 3}}, {"strides", Ints{2, 2}}}}},
        {"tried on: depthwise convolution 3x3, 256 channels, 28x28",
         {"Conv",
          f32({1, 256, 28, 28}),
          {f32({256, 1, 3, 3})},
          {{"pads", Ints{1, 1, 1, 1}}, {"group", std::int64_t{256}}}}},
        {"tried on: matrix product 128x512x512", {"MatMul", f32({128, 512}), {f32({512, 512})}}},
        {"tried on: matrix product 1x1024x1024", {"MatMul", f32({1, 1024}), {f32({1024, 1024})}}},
        {"tried on: maximum of 3x3 by 2, 64 channels, 56x56",
         {"MaxPool",
          f32({1, 64, 56, 56}),
          {},
          {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}}},
        {"tried on: maximum with zero of 200704", {"Relu", f32({1, 64, 56, 56})}},
        {"tried on: softmax of 128 rows of 128",
         {"Softmax", f32({128, 128}), {}, {{"axis", std::int64_t{1}}}}}};
    const fusion::CostModel model(result_.machine);
    std::vector<double> ratios;
    for (const auto& [name, network] : tried) {
      const graph::Graph graph = TRY(graph_of(network));
      const double estimate =
          model.cost(fusion::BlockRules(graph), std::vector<std::size_t>{0}).total;
      ratios.push_back(TRY(time(name, network)).microseconds / estimate);
    }
    return fusion::typical_error(std::move(ratios));
  }

  // The best of many runs: noise only adds.
  Result<CalibrationRow> time(const std::string& name, const Network& network,
                              About about = About::Arithmetic) {
    if (options_.begun && options_.begun->size() > result_.rows.size()) {
      result_.rows.push_back((*options_.begun)[result_.rows.size()]);
      CHECK(result_.rows.back().name == name, "these rows are of another calibration");
      return result_.rows.back();
    }
    if (options_.cancellation.requested())
      return fail(Code::Cancelled, "calibration was cancelled");
    constexpr double networks = 21;
    if (options_.progress)
      options_.progress(name, static_cast<double>(result_.rows.size()) / networks);
    const auto executor = TRY(compile_(TRY(graph_of(network))));
    ThreadPool pool(1);
    const std::vector<Tensor> inputs{random_tensor(network.input, 1)};
    std::vector<Tensor> outputs = TRY(executor->allocate_outputs());
    double best = std::numeric_limits<double>::infinity();
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < options_.rounds ||
                        (round < 50 * options_.rounds &&
                         std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(50));
         ++round) {
      std::vector<std::int64_t> nanoseconds;
      TRY_VOID(executor->run_into(outputs, inputs, pool, &nanoseconds));
      double sum = 0;
      for (const std::int64_t each : nanoseconds) sum += static_cast<double>(each) * 1e-3;
      best = std::min(best, sum);
    }
    double flops = 0, bytes = 0;
    for (const KernelInstance& kernel : executor->kernels()) {
      flops += static_cast<double>(kernel.flops);
      for (const graph::ValueId argument : kernel.use.arguments)
        bytes += static_cast<double>(executor->graph().value(argument).type.bytes());
    }
    const double spent = std::max(
        best - result_.machine.launch_microseconds * network.times * (result_.rows.empty() ? 0 : 1),
        best / 2);
    result_.rows.push_back({name, best, about == About::Arithmetic ? flops / spent * 1e-3 : 0,
                            about == About::Calls ? 0 : bytes / spent * 1e-3});
    if (options_.begun) options_.begun->push_back(result_.rows.back());
    return result_.rows.back();
  }

  const CompileNetwork& compile_;
  const CalibrationOptions& options_;
  Calibration result_;
};

}  // namespace

Result<double> time_of_a_call(const CompileNetwork& compile, const CalibrationOptions& options) {
  return Calibrator({}, compile, options).launch();
}

Result<Calibration> calibrate(Machine machine, const CompileNetwork& compile,
                              const CalibrationOptions& options) {
  return Calibrator(std::move(machine), compile, options)();
}

}  // namespace loopglass::runtime
