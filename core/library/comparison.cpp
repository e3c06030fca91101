#include "core/library/comparison.h"

#include "core/library/difference.h"
#include "core/loop/buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopglass::library {

namespace {

using graph::ValueId;
using Values = std::map<ValueId, Tensor>;

// --- values -------------------------------------------------------------------------------------

Tensor no_number(const TensorType& type, std::uint64_t seed) {
  if (type.type != DataType::Float32) return runtime::random_tensor(type, seed);
  Tensor tensor(type);
  std::ranges::fill(tensor.as<float>(), std::numeric_limits<float>::quiet_NaN());
  return tensor;
}

// What the kernel is given, random numbers or none, and what its operators before the anchor make
// of it.
Result<Values> values_before(const Subject& subject, const KernelPart& part,
                             Tensor (*given)(const TensorType&, std::uint64_t seed)) {
  Values values;
  std::uint64_t seed = 1;
  const auto add = [&](ValueId id) {
    const graph::Value& value = subject.graph.value(id);
    if (!value.is_constant()) values.emplace(id, given(value.type, seed++));
  };
  // What the kernel's own operators make is not given.
  std::vector<graph::NodeId> all = part.taken;
  all.insert(all.end(), part.before.begin(), part.before.end());
  all.insert(all.end(), part.behind.begin(), part.behind.end());
  for (const graph::NodeId id : all)
    for (const ValueId input : subject.graph.node(id).inputs)
      if (input && std::ranges::count(all, subject.graph.value(input).producer) == 0) add(input);
  if (!part.before.empty()) values.merge(TRY(evaluate(subject.graph, part.before, values)));
  return values;
}

const float* floats(const Values& values, const graph::Graph& graph, ValueId id) {
  if (!id) return nullptr;
  const graph::Value& value = graph.value(id);
  return (value.is_constant() ? value.constant : values.at(id)).as<float>().data();
}

Arguments arguments_of(const Subject& subject, const KernelPart& part, const Values& values,
                       Tensor& result) {
  Arguments arguments;
  arguments.source = floats(values, subject.graph, part.source);
  arguments.weights = part.constant_weights.defined() ? part.constant_weights.as<float>().data()
                                                      : floats(values, subject.graph, part.weights);
  arguments.bias = floats(values, subject.graph, part.bias);
  for (const ValueId operand : part.operands)
    arguments.operands.push_back(floats(values, subject.graph, operand));
  arguments.result = result.as<float>().data();
  return arguments;
}

// --- agreement ----------------------------------------------------------------------------------

// How many terms a sum of the anchor has.
double terms(const Computation& computation) {
  double count = 1;
  if (std::holds_alternative<Product>(computation.anchor))
    return static_cast<double>(computation.source.extents.back());
  for (std::size_t d = 1; d < computation.weights.extents.size(); ++d)
    count *= static_cast<double>(computation.weights.extents[d]);
  return count;
}

// Below which nobody computes: a library rounds a logistic function as a number about one, or lets
// it end where it is no more than that (ONNX Runtime's is 1.5e-8 for all that is less).
double least_told_apart(const Computation& computation) {
  const bool is_logistic = std::ranges::any_of(computation.steps, [](const Step& step) {
    const auto* activation = std::get_if<Activation>(&step);
    return activation && activation->function == Function::Sigmoid;
  });
  return is_logistic ? 0x1p-24 : 0;
}

// Whether what is NaN by generated code, where all that comes in is, is so by the library.
Result<bool> keeps_nan(const Subject& subject, const KernelPart& part, Primitive& primitive,
                       runtime::ThreadPool& pool) {
  Values values = TRY(values_before(subject, part, no_number));
  KernelAlone alone = TRY(KernelAlone::create(subject, values));
  alone.run(pool);
  Tensor result = TRY(Tensor::allocate(subject.graph.value(part.result).type));
  TRY_VOID(primitive.take(arguments_of(subject, part, values, result)));
  TRY_VOID(primitive.compute());
  TRY_VOID(primitive.give());
  values.insert_or_assign(part.result, result);
  if (!part.behind.empty()) values.merge(TRY(evaluate(subject.graph, part.behind, values)));
  for (std::size_t a = 0; a < subject.kernel.use.arguments.size(); ++a) {
    if (!loop::is_written(subject.kernel.use.parameters[a])) continue;
    const Tensor ours = alone.result(a), theirs = values.at(subject.kernel.use.arguments[a]);
    for (std::int64_t i = 0; i < ours.elements(); ++i)
      if (std::isnan(ours.double_at(i)) && !std::isnan(theirs.double_at(i))) return false;
  }
  return true;
}

}  // namespace

Result<Comparison> compare(const Subject& subject, const KernelPart& part, Library& library,
                           runtime::ThreadPool& pool, const ComparisonOptions& options) {
  const Values values = TRY(values_before(subject, part, runtime::random_tensor));
  Tensor result = TRY(Tensor::allocate(subject.graph.value(part.result).type));
  const Arguments arguments = arguments_of(subject, part, values, result);
  KernelAlone alone = TRY(KernelAlone::create(subject, values));

  Comparison comparison;
  Difference difference;
  const double rounding = 0x1p-24;
  std::vector<std::unique_ptr<Primitive>> primitives;
  alone.run(pool);
  for (const Layouts layouts : {Layouts::Given, Layouts::Own}) {
    auto primitive = TRY(library.prepare(part.computation, layouts, arguments));
    Attempt& attempt = layouts == Layouts::Own ? comparison.own : comparison.given;
    attempt = {primitive->implementation(), primitive->layouts(), {}, primitive->is_reference()};
    primitives.push_back(std::move(primitive));
    if (attempt.is_reference) continue;
    Primitive* const runs = primitives.back().get();
    // What nothing is written to is no number. Before take(), which may put an operand there.
    std::ranges::fill(result.as<float>(), std::numeric_limits<float>::quiet_NaN());
    TRY_VOID(runs->take(arguments));
    TRY_VOID(runs->compute());
    TRY_VOID(runs->give());
    Values made = values;
    made.insert_or_assign(part.result, result);
    if (!part.behind.empty()) made.merge(TRY(evaluate(subject.graph, part.behind, made)));
    for (std::size_t a = 0; a < subject.kernel.use.arguments.size(); ++a)
      if (loop::is_written(subject.kernel.use.parameters[a]))
        difference.note(alone.result(a), made.at(subject.kernel.use.arguments[a]));
    comparison.keeps_nan &= TRY(keeps_nan(subject, part, *runs, pool));
    TRY_VOID(runs->take(arguments));  // which are there as long as it runs
  }
  if (comparison.given.is_reference && comparison.own.is_reference)
    return fail(Code::LibraryRefused, fmt::format("{} has only a reference for it", library.name()),
                subject.kernel.name);
  comparison.difference = difference.greatest;
  comparison.largest = difference.largest;
  // Sums in another order: the root of their terms, and some roundings of what follows. Of results
  // that are all zero nothing may differ.
  comparison.tolerance =
      std::max(8 * rounding * (std::sqrt(terms(part.computation)) + 4) * comparison.largest,
               least_told_apart(part.computation));

  std::vector<double> times[3];
  for (int block = 0; block < options.blocks; ++block)
    for (int turn = 0; turn < 3; ++turn) {
      if (options.cancellation.requested())
        return fail(Code::Cancelled, "the comparison was cancelled");
      // Nobody always comes behind the same.
      const int contestant = block % 2 == 0 ? turn : 2 - turn;
      if ((contestant == 1 && comparison.given.is_reference) ||
          (contestant == 2 && comparison.own.is_reference))
        continue;
      times[contestant].push_back(TRY(time_block([&]() -> Result<void> {
        if (contestant == 0) {
          alone.run(pool);
          return {};
        }
        Primitive& theirs = *primitives[static_cast<std::size_t>(contestant - 1)];
        if (!options.with_moves) return theirs.compute();
        TRY_VOID(theirs.take(arguments));
        TRY_VOID(theirs.compute());
        return theirs.give();
      })));
    }
  comparison.ours = runtime::summarise(times[0]);
  if (!times[1].empty()) comparison.given.time = runtime::summarise(times[1]);
  if (!times[2].empty()) comparison.own.time = runtime::summarise(times[2]);
  const bool is_given_faster =
      !times[1].empty() &&
      (times[2].empty() || comparison.given.time.median_ms < comparison.own.time.median_ms);
  comparison.best = is_given_faster ? Layouts::Given : Layouts::Own;
  const std::vector<double>& theirs = times[comparison.best == Layouts::Own ? 2 : 1];
  std::vector<double> ratios;
  for (std::size_t b = 0; b < theirs.size(); ++b) ratios.push_back(times[0][b] / theirs[b]);
  comparison.ratio = ratio_of(std::move(ratios));
  return comparison;
}

}  // namespace loopglass::library
