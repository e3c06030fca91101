#include "core/library/network_comparison.h"

#include "core/library/difference.h"
#include "core/onnx/named_tensors.h"
#include "core/runtime/moved_inputs.h"

namespace loopglass::library {

namespace {

// Of the largest element. Layers add up in other orders, and pass on what they lose.
constexpr double may_differ = 1e-3;

// The farthest that an output goes in some trials.
Result<double> how_far_it_moves(runtime::Executor& network, std::span<const Tensor> inputs,
                                const Tensor& output, std::size_t which,
                                runtime::ThreadPool& pool) {
  constexpr std::uint64_t trials = 3;
  std::vector<Tensor> outputs = TRY(network.allocate_outputs());
  Difference farthest;
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    std::vector<Tensor> moved;
    for (const Tensor& input : inputs)
      moved.push_back(runtime::moved_by_a_millionth(input, trial * inputs.size() + moved.size()));
    TRY_VOID(network.run_into(outputs, moved, pool));
    farthest.note(outputs[which], output);
  }
  return farthest.greatest;
}

// How much of what it may; whatever differs where nothing may is more than that.
double share(const OutputComparison& output) {
  return output.difference == 0 ? 0 : output.difference / output.may_differ();
}

}  // namespace

Result<NetworkComparison> compare_network(runtime::Executor& ours, OnnxRuntimeModel& theirs,
                                          const std::map<std::string, Tensor>& known,
                                          const std::map<std::string, Tensor>& bound,
                                          runtime::ThreadPool& pool, int blocks,
                                          const Cancellation& cancellation) {
  const graph::Graph& graph = ours.graph();
  const std::vector<Tensor> inputs = runtime::random_inputs(graph, known);
  std::vector<Tensor> our_outputs = TRY(ours.allocate_outputs());
  const std::vector<Tensor> their_outputs = TRY(ours.allocate_outputs());
  std::vector<onnx::NamedTensor> their_inputs = onnx::named(graph, graph.inputs(), inputs);
  for (const auto& [name, value] : bound) their_inputs.push_back({name, value});
  TRY_VOID(
      theirs.bind(std::move(their_inputs), onnx::named(graph, graph.outputs(), their_outputs)));
  const auto run_ours = [&] { return ours.run_into(our_outputs, inputs, pool); };
  const auto run_theirs = [&] { return theirs.run(); };
  TRY_VOID(run_ours());
  TRY_VOID(run_theirs());
  NetworkComparison comparison;
  for (std::size_t o = 0; o < our_outputs.size(); ++o) {
    Difference found;
    found.note(our_outputs[o], their_outputs[o]);
    const bool is_rounded = is_float(our_outputs[o].data_type());
    OutputComparison output{graph.value(graph.outputs()[o]).name, found.greatest, found.largest,
                            is_rounded ? may_differ * found.largest : 0, 0};
    if (is_rounded && !output.agrees())
      output.moved = TRY(how_far_it_moves(ours, inputs, our_outputs[o], o, pool));
    if (o == 0 || share(output) > share(comparison.worst)) comparison.worst = std::move(output);
  }

  ours.loaded().settle_memory([&] { return cancellation.requested(); });
  std::vector<double> our_times, their_times, ratios;
  for (int block = 0; block < blocks; ++block) {
    if (cancellation.requested()) return fail(Code::Cancelled, "the comparison was cancelled");
    // Nobody always comes behind the other.
    if (block % 2 == 0) our_times.push_back(TRY(time_block(run_ours)));
    their_times.push_back(TRY(time_block(run_theirs)));
    if (block % 2 == 1) our_times.push_back(TRY(time_block(run_ours)));
    ratios.push_back(our_times.back() / their_times.back());
  }
  comparison.ours = runtime::summarise(std::move(our_times));
  comparison.theirs = runtime::summarise(std::move(their_times));
  comparison.ratio = ratio_of(std::move(ratios));
  return comparison;
}

}  // namespace loopglass::library
