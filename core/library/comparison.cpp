#include "core/library/comparison.h"

#include "core/loop/buffers.h"
#include "core/runtime/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace loopglass::library {

namespace {

using Clock = std::chrono::steady_clock;
using graph::ValueId;
using Values = std::map<ValueId, Tensor>;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// --- the kernel's own arguments -----------------------------------------------------------------

// Memory for the arguments of a kernel, in the order of its parameters: each by itself, with gaps
// between its rows where it has them in the network.
class OwnArguments {
 public:
  static Result<OwnArguments> create(const Subject& subject, const Values& values) {
    OwnArguments arguments;
    const runtime::KernelUse& use = subject.kernel.use;
    for (std::size_t a = 0; a < use.arguments.size(); ++a) {
      const graph::Value& value = subject.graph.value(use.arguments[a]);
      const loop::Buffer& parameter = use.parameters[a];
      arguments.rows_.push_back(rows_of(subject, value));
      if (value.is_constant()) {
        arguments.memory_.push_back(
            parameter.packing ? runtime::pack_constant(parameter, value.constant) : value.constant);
        continue;
      }
      const std::int64_t spanned = span(arguments.rows_.back(), value.type.shape);
      const auto wanted = checked_element_count(te::concrete(parameter.shape));
      if (!wanted || (loop::is_written(parameter) && *wanted < element_count(value.type.shape)))
        return fail(Code::LibraryRefused, "the kernel gives its result in parts", value.name);
      Tensor memory =
          TRY(Tensor::allocate({value.type.type, {std::max({spanned, *wanted, std::int64_t{1}})}}));
      if (!loop::is_written(parameter)) {
        const auto known = values.find(value.id);
        if (known == values.end())
          return fail(Code::LibraryRefused, "the kernel reads what its operators do not",
                      value.name);
        arguments.move(known->second, memory, a, true);
      }
      arguments.memory_.push_back(std::move(memory));
    }
    arguments.workspace_ =
        TRY(Tensor::allocate({DataType::UInt8, {std::max<std::int64_t>(1, use.workspace_bytes)}}));
    for (Tensor& memory : arguments.memory_) arguments.pointers_.push_back(memory.data());
    return arguments;
  }

  void run(const runtime::KernelInstance& kernel, const runtime::ThreadPool& pool) {
    kernel.code->entry()(pointers_.data(), kernel.extents.data(), workspace_.data(),
                         pool.parallel_runtime());
  }

  // What the kernel has written there.
  Tensor result(const Subject& subject, std::size_t argument) const {
    Tensor tensor(subject.graph.value(subject.kernel.use.arguments[argument]).type);
    Tensor memory = memory_[argument];
    move(tensor, memory, argument, false);
    return tensor;
  }

 private:
  static placement::Rows rows_of(const Subject& subject, const graph::Value& value) {
    const placement::SharedValue* shared = subject.placement.find(value.id);
    if (shared == nullptr || shared->dense) return placement::dense_rows(value.type.shape);
    placement::Rows rows = shared->rows;
    rows.offset = 0;
    return rows;
  }

  static std::int64_t span(const placement::Rows& rows, const Shape& shape) {
    std::int64_t last = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * rows.strides[d];
    return last + 1;
  }

  // Between a dense tensor and the argument's memory, run by run.
  void move(const Tensor& dense, Tensor& memory, std::size_t argument, bool into) const {
    const placement::Rows& rows = rows_[argument];
    const Shape& shape = dense.shape();
    const std::int64_t elements = dense.elements();
    if (elements == 0) return;
    const std::int64_t run = std::max<std::int64_t>(1, placement::run_length(rows, shape));
    const std::vector<std::int64_t> strides = row_major_strides(shape);
    const std::size_t size = byte_size(dense.data_type());
    for (std::int64_t first = 0; first < elements; first += run) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < shape.size(); ++d)
        at += first / strides[d] % shape[d] * rows.strides[d];
      std::byte* there = memory.data() + static_cast<std::size_t>(at) * size;
      std::byte* here =
          const_cast<std::byte*>(dense.data()) + static_cast<std::size_t>(first) * size;
      std::copy_n(into ? here : there, static_cast<std::size_t>(run) * size, into ? there : here);
    }
  }

  std::vector<Tensor> memory_;
  std::vector<placement::Rows> rows_;
  std::vector<void*> pointers_;
  Tensor workspace_;
};

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

void note_differences(const Tensor& ours, const Tensor& theirs, Comparison& comparison) {
  for (std::int64_t i = 0; i < ours.elements(); ++i) {
    const double a = ours.double_at(i), b = theirs.double_at(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    const double difference = a == b ? 0 : std::abs(a - b);
    comparison.difference = std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                                   : std::max(comparison.difference, difference);
    if (std::isfinite(b)) comparison.largest = std::max(comparison.largest, std::abs(b));
  }
}

// Whether what is NaN by generated code, where all that comes in is, is so by the library.
Result<bool> keeps_nan(const Subject& subject, const KernelPart& part, Primitive& primitive,
                       runtime::ThreadPool& pool) {
  Values values = TRY(values_before(subject, part, no_number));
  OwnArguments own_arguments = TRY(OwnArguments::create(subject, values));
  own_arguments.run(subject.kernel, pool);
  Tensor result = TRY(Tensor::allocate(subject.graph.value(part.result).type));
  TRY_VOID(primitive.take(arguments_of(subject, part, values, result)));
  TRY_VOID(primitive.compute());
  TRY_VOID(primitive.give());
  values.insert_or_assign(part.result, result);
  if (!part.behind.empty()) values.merge(TRY(evaluate(subject.graph, part.behind, values)));
  for (std::size_t a = 0; a < subject.kernel.use.arguments.size(); ++a) {
    if (!loop::is_written(subject.kernel.use.parameters[a])) continue;
    const Tensor ours = own_arguments.result(subject, a),
                 theirs = values.at(subject.kernel.use.arguments[a]);
    for (std::int64_t i = 0; i < ours.elements(); ++i)
      if (std::isnan(ours.double_at(i)) && !std::isnan(theirs.double_at(i))) return false;
  }
  return true;
}

// --- times --------------------------------------------------------------------------------------

// Runs until so much time has passed, and gives what one run took at the median.
template <class Run>
Result<double> time_block(const Run& run) {
  constexpr double warm_ms = 3, timed_ms = 3, shortest_round_ms = 0.02;
  // The other's threads may still be looking for work, and the caches hold what is another's.
  int runs = 0;
  const auto start = Clock::now();
  do {
    TRY_VOID(run());
    ++runs;
  } while (milliseconds_since(start) < warm_ms);
  const double once = milliseconds_since(start) / runs;
  // A clock is read in some tens of nanoseconds.
  const int in_a_round = std::max(1, static_cast<int>(std::ceil(shortest_round_ms / once)));
  std::vector<double> rounds;
  const auto timed = Clock::now();
  do {
    const auto round = Clock::now();
    for (int i = 0; i < in_a_round; ++i) TRY_VOID(run());
    rounds.push_back(milliseconds_since(round) / in_a_round);
  } while (rounds.size() < 3 || milliseconds_since(timed) < timed_ms);
  return runtime::summarise(std::move(rounds)).median_ms;
}

}  // namespace

Ratio ratio_of(std::vector<double> of_blocks) {
  std::ranges::sort(of_blocks);
  const std::size_t count = of_blocks.size();
  Ratio ratio;
  ratio.median = count % 2 == 1 ? of_blocks[count / 2]
                                : std::sqrt(of_blocks[count / 2 - 1] * of_blocks[count / 2]);
  // How likely fewer than k of so many fall on one side of the median: the bounds leave out as many
  // at each end as that allows.
  double tail = std::pow(0.5, static_cast<double>(count)), choose = tail;
  std::size_t left_out = 0;
  while (left_out + 1 < count / 2) {
    choose = choose * static_cast<double>(count - left_out) / static_cast<double>(left_out + 1);
    if (2 * (tail + choose) > 0.05) break;
    tail += choose;
    ++left_out;
  }
  ratio.low = of_blocks[left_out];
  ratio.high = of_blocks[count - 1 - left_out];
  return ratio;
}

Result<Comparison> compare(const Subject& subject, const KernelPart& part, Library& library,
                           runtime::ThreadPool& pool, const ComparisonOptions& options) {
  const Values values = TRY(values_before(subject, part, runtime::random_tensor));
  Tensor result = TRY(Tensor::allocate(subject.graph.value(part.result).type));
  const Arguments arguments = arguments_of(subject, part, values, result);
  OwnArguments own_arguments = TRY(OwnArguments::create(subject, values));

  Comparison comparison;
  const double rounding = 0x1p-24;
  std::vector<std::unique_ptr<Primitive>> primitives;
  own_arguments.run(subject.kernel, pool);
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
        note_differences(own_arguments.result(subject, a), made.at(subject.kernel.use.arguments[a]),
                         comparison);
    comparison.keeps_nan &= TRY(keeps_nan(subject, part, *runs, pool));
    TRY_VOID(runs->take(arguments));  // which are there as long as it runs
  }
  if (comparison.given.is_reference && comparison.own.is_reference)
    return fail(Code::LibraryRefused, fmt::format("{} has only a reference for it", library.name()),
                subject.kernel.name);
  // Sums in another order: the root of their terms, and some roundings of what follows. Of results
  // that are all zero nothing may differ.
  comparison.tolerance =
      8 * rounding * (std::sqrt(terms(part.computation)) + 4) * comparison.largest;

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
          own_arguments.run(subject.kernel, pool);
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
