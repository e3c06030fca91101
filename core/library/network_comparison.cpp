#include "core/library/network_comparison.h"

#include "core/library/difference.h"

namespace loopglass::library {

namespace {

// Of the largest element. Layers add up in other orders, and pass on what they lose.
constexpr double may_differ = 1e-3;

std::vector<onnx::NamedTensor> named(const graph::Graph& graph,
                                     const std::vector<graph::ValueId>& values,
                                     const std::vector<Tensor>& tensors) {
  std::vector<onnx::NamedTensor> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back({graph.value(values[i]).name, tensors[i]});
  return result;
}

void note_output(const std::string& name, const Tensor& ours, const Tensor& theirs,
                 NetworkComparison& comparison) {
  Difference found;
  found.note(ours, theirs);
  const double tolerance = is_float(ours.data_type()) ? may_differ * found.largest : 0;
  // How much of what it may; whatever differs where nothing may is more than that.
  const auto share = [](double difference, double tolerance) {
    return difference == 0 ? 0 : difference / tolerance;
  };
  if (!comparison.output.empty() &&
      share(found.greatest, tolerance) <= share(comparison.difference, comparison.tolerance))
    return;
  comparison.output = name;
  comparison.difference = found.greatest;
  comparison.largest = found.largest;
  comparison.tolerance = tolerance;
}

}  // namespace

Result<NetworkComparison> compare_network(runtime::Executor& ours, OnnxRuntimeModel& theirs,
                                          const std::map<std::string, Tensor>& bound,
                                          runtime::ThreadPool& pool, int blocks,
                                          const Cancellation& cancellation) {
  const graph::Graph& graph = ours.graph();
  const std::vector<Tensor> inputs = runtime::random_inputs(graph);
  std::vector<Tensor> our_outputs = TRY(ours.allocate_outputs());
  const std::vector<Tensor> their_outputs = TRY(ours.allocate_outputs());
  std::vector<onnx::NamedTensor> their_inputs = named(graph, graph.inputs(), inputs);
  for (const auto& [name, value] : bound) their_inputs.push_back({name, value});
  TRY_VOID(theirs.bind(std::move(their_inputs), named(graph, graph.outputs(), their_outputs)));
  const auto run_ours = [&] { return ours.run_into(our_outputs, inputs, pool); };
  const auto run_theirs = [&] { return theirs.run(); };
  TRY_VOID(run_ours());
  TRY_VOID(run_theirs());
  NetworkComparison comparison;
  for (std::size_t o = 0; o < our_outputs.size(); ++o)
    note_output(graph.value(graph.outputs()[o]).name, our_outputs[o], their_outputs[o], comparison);

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
