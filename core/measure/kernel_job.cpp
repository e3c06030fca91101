#include "core/measure/kernel_job.h"

#include "core/loop/buffers.h"
#include "core/loop/text.h"
#include "core/measure/sampler.h"
#include "core/runtime/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>

namespace loopglass::measure {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Adds what passes until it goes away.
class Lap {
 public:
  explicit Lap(double& milliseconds) : milliseconds_(milliseconds) {}
  ~Lap() { milliseconds_ += milliseconds_since(start_); }
  Lap(const Lap&) = delete;

 private:
  double& milliseconds_;
  const Clock::time_point start_ = Clock::now();
};

FailureKind kind_of(Code code) {
  switch (code) {
    case Code::CodegenUnsupported:
    case Code::CodegenFailed:
    case Code::PassBrokeFunc: return FailureKind::NotCompiled;
    case Code::TextMalformed:
    case Code::FuncInvalid:
    case Code::ScheduleIllegal:
    case Code::ScheduleHandleUnknown: return FailureKind::Illegal;
    case Code::ResultMismatch: return FailureKind::Wrong;
    default: return FailureKind::Refused;
  }
}

// For TRY: a diagnostic becomes the failure that it is.
template <class T>
std::expected<T, Failure> classed(Result<T> result) {
  if (!result) return std::unexpected(Failure{kind_of(result.error().code), result.error()});
  if constexpr (std::is_void_v<T>) return {};
  else return *std::move(result);
}

bool is_read(const loop::Buffer& parameter) {
  return parameter.role == loop::Role::Input || parameter.role == loop::Role::Constant;
}

Result<Shape> known_shape(const loop::Buffer& parameter,
                          const std::map<std::string, std::int64_t>& symbols) {
  if (auto shape = loop::shape_of(parameter, symbols)) return *std::move(shape);
  return fail(Code::UsageInvalid, fmt::format("the shape of '{}' is not known", parameter.name));
}

}  // namespace

struct KernelJob::Kernel {
  std::vector<loop::Buffer> parameters;
  std::vector<Shape> shapes;          // of these
  std::vector<Shape> told;            // the same as the request has them: lowering flattens
  std::vector<std::int64_t> symbols;  // values, in the nest's order
  std::shared_ptr<const codegen::CompiledKernel> code;
  codegen::Spills spills;
  std::optional<codegen::ObjectCode> object = {};  // instead of `code`, where only that is wanted
  std::string nest;                                // that it goes with
};

KernelJob::KernelJob(std::vector<pass::FuncPass> loop_passes,
                     std::shared_ptr<codegen::ObjectCache> cache)
    : loop_passes_(std::move(loop_passes)), cache_(std::move(cache)) {}

std::expected<KernelJob::Kernel, Failure> KernelJob::prepare(const Request& request, Spent& spent) {
  const auto start = Clock::now();
  loop::Func func = TRY(classed(loop::parse(request.nest)));
  Kernel kernel;
  for (const loop::Buffer& parameter : func.parameters)
    kernel.told.push_back(TRY(classed(known_shape(parameter, request.symbols))));
  if (request.code) {
    spent.preparing = milliseconds_since(start);
    const Lap lap(spent.compiling);
    kernel.code = TRY(classed(codegen::load(*request.code)));
  } else {
    TRY_VOID(classed(loop::verify(func)));
    std::optional<schedule::Trace> trace;
    if (request.script) trace = TRY(classed(schedule::parse_script(*request.script)));
    const kernel::Tools tools{request.machine, loop_passes_};
    const kernel::Lowered lowered = TRY(classed(
        kernel::lower(TRY(classed(kernel::schedule(std::move(func), trace, tools))), tools)));
    func = lowered.lowered();
    spent.preparing = milliseconds_since(start);
    const Lap lap(spent.compiling);
    if (request.only_compile) {
      kernel.object = TRY(classed(codegen::generate(func, lowered.compile_options())));
      kernel.nest = signature(func);
      return kernel;
    }
    // Thousands come, hardly one twice: nothing is kept in this process.
    kernel.code = TRY(classed(kernel::CodeStore(cache_).get(lowered)));
    if (request.want_spills)
      kernel.spills = codegen::vector_spills(
          TRY(classed(codegen::list(func, lowered.compile_options())))->assembly());
  }
  for (const std::string& symbol : func.symbols) {
    const auto value = request.symbols.find(symbol);
    if (value == request.symbols.end())
      return classed<Kernel>(
          fail(Code::UsageInvalid, fmt::format("the symbol '{}' has no value", symbol)));
    kernel.symbols.push_back(value->second);
  }
  for (const loop::Buffer& parameter : func.parameters)
    kernel.shapes.push_back(TRY(classed(known_shape(parameter, request.symbols))));
  kernel.parameters = std::move(func.parameters);
  return kernel;
}

namespace {

// A kernel's arguments, and the memory that they are in.
struct Arguments {
  std::vector<std::shared_ptr<const GuardedMemory>> read;
  std::vector<GuardedMemory> written;
  std::vector<TensorType> written_types;
  std::vector<void*> pointers;
};

// The system hands out more than it has; small sizes are not worth asking.
Result<void> check_room(const std::vector<loop::Buffer>& parameters,
                        const std::vector<Shape>& shapes, std::int64_t workspace) {
  constexpr std::int64_t worth_asking = 64 << 20;
  std::int64_t bytes = workspace;
  for (std::size_t p = 0; p < parameters.size(); ++p)
    bytes = TRY(runtime::add_bytes(
        bytes, TRY(runtime::bytes_of(TensorType{parameters[p].type, shapes[p]}))));
  if (bytes < worth_asking) return {};
  return runtime::check_memory("timing the kernel", {{"arguments and scratch memory", bytes}});
}

Result<Arguments> arguments_for(const std::vector<loop::Buffer>& parameters,
                                const std::vector<Shape>& shapes, const std::vector<Shape>& told,
                                const Request& request, KernelInputs& inputs) {
  Arguments arguments;
  const auto reads =
      static_cast<std::size_t>(std::count_if(parameters.begin(), parameters.end(), is_read));
  if (!request.inputs.empty() && request.inputs.size() != reads)
    return fail(Code::InputMismatch, fmt::format("the kernel reads {} tensors and was given {}",
                                                 reads, request.inputs.size()));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (is_read(parameters[p])) {
      arguments.read.push_back(
          request.inputs.empty() ? TRY(inputs.random(parameters[p], shapes[p], request.seed + p))
                                 : TRY(KernelInputs::given(parameters[p], shapes[p],
                                                           request.inputs[arguments.read.size()])));
      arguments.pointers.push_back(arguments.read.back()->data());
    } else {
      const bool as_told = checked_element_count(told[p]) == checked_element_count(shapes[p]);
      const TensorType type{parameters[p].type, as_told ? told[p] : shapes[p]};
      arguments.written.push_back(
          TRY(GuardedMemory::allocate(static_cast<std::size_t>(type.bytes()))));
      arguments.written_types.push_back(type);
      arguments.pointers.push_back(arguments.written.back().data());
    }
  }
  return arguments;
}

std::vector<Tensor> copies_of(const Arguments& arguments) {
  std::vector<Tensor> tensors;
  for (std::size_t w = 0; w < arguments.written.size(); ++w) {
    tensors.emplace_back(arguments.written_types[w]);
    std::copy_n(arguments.written[w].data(), tensors[w].bytes(), tensors[w].data());
  }
  return tensors;
}

// Object code's nest has flat parameters, a reference's those that a person wrote.
std::vector<Tensor> shaped_like(const std::vector<Tensor>& models, std::vector<Tensor> tensors) {
  for (std::size_t t = 0; t < std::min(models.size(), tensors.size()); ++t) {
    const Tensor& model = models[t];
    if (model.type() == tensors[t].type() || model.data_type() != tensors[t].data_type() ||
        model.elements() != tensors[t].elements())
      continue;
    tensors[t] = tensors[t].reshaped(model.shape());
  }
  return tensors;
}

Result<void> compare(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected,
                     double absolute, double relative) {
  if (actual.size() != expected.size())
    return fail(Code::InputMismatch, fmt::format("the kernel gives {} tensors, and {} are expected",
                                                 actual.size(), expected.size()));
  for (std::size_t o = 0; o < actual.size(); ++o)
    TRY_VOID(runtime::compare(actual[o], expected[o], absolute, relative));
  return {};
}

// A clock is read in some tens of nanoseconds: a round takes a thousand times that at least.
int runs_a_round(double milliseconds_of_one) {
  constexpr double shortest_round = 0.02, most_runs = 10'000;
  return static_cast<int>(
      std::clamp(std::ceil(shortest_round / std::max(milliseconds_of_one, 1e-6)), 1.0, most_runs));
}

// Whether even the first run tells enough, which finds nothing in the caches: of so long a run that
// is next to nothing.
bool is_hopeless(double first_ms, double best_ms) {
  constexpr double long_run = 20, far_slower = 3;
  return best_ms > 0 && first_ms > long_run && first_ms > far_slower * best_ms;
}

}  // namespace

namespace {

// Where the code behind `entry` is while it runs again and again.
std::vector<Sample> sampled(const std::function<void()>& run, codegen::EntryPoint entry,
                            double milliseconds) {
  Sampler sampler;
  const auto start = Clock::now();
  while (milliseconds_since(start) < milliseconds) run();
  std::map<std::int64_t, std::int64_t> counts;
  for (const std::uintptr_t address : sampler.take())
    ++counts[static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(entry))];
  std::vector<Sample> samples;
  for (const auto& [offset, count] : counts) samples.push_back({offset, count});
  return samples;
}

}  // namespace

std::expected<Measured, Failure> KernelJob::run(const Kernel& kernel, const Request& request,
                                                Spent& spent) {
  const std::int64_t workspace_bytes = TRY(classed(kernel.code->workspace().bytes(kernel.symbols)));
  TRY_VOID(classed(check_room(kernel.parameters, kernel.shapes, workspace_bytes)));
  const auto begin = Clock::now();
  const Arguments arguments =
      TRY(classed(arguments_for(kernel.parameters, kernel.shapes, kernel.told, request, inputs_)));
  const GuardedMemory workspace =
      TRY(classed(GuardedMemory::allocate(static_cast<std::size_t>(workspace_bytes))));
  spent.inputs = milliseconds_since(begin);
  if (!pool_ || pool_->threads() != request.threads)
    pool_ = std::make_unique<runtime::ThreadPool>(request.threads);
  const codegen::ParallelRuntime* parallel = pool_->parallel_runtime();
  const auto run = [&] {
    kernel.code->entry()(arguments.pointers.data(), kernel.symbols.data(), workspace.data(),
                         parallel);
  };

  Measured measured;
  measured.threads = pool_->threads();
  double first = 0;
  {
    const Lap lap(spent.running);
    const auto cold = Clock::now();
    run();
    first = milliseconds_since(cold);
  }
  {
    const Lap lap(spent.checking);
    std::vector<Tensor> outputs = copies_of(arguments);
    if (request.reference) {
      const auto* expected = TRY(outputs_of(*request.reference, request));
      TRY_VOID(classed(compare(shaped_like(*expected, std::move(outputs)), *expected,
                               request.reference->absolute, request.reference->relative)));
      outputs.clear();
    } else {
      measured.digest = digest_of(outputs);
    }
    if (request.expected)
      TRY_VOID(classed(compare(outputs, request.expected->outputs, request.expected->absolute,
                               request.expected->relative)));
    if (request.want_outputs && !request.reference) measured.outputs = std::move(outputs);
  }
  const Lap lap(spent.running);
  if (is_hopeless(first, request.best_milliseconds)) {
    measured.left_early = true;
    measured.time = runtime::summarise({first});
    return measured;
  }
  for (int i = 0; i < request.warm_up; ++i) run();
  // One run tells how many make a round, but for one that seems slow, which may not be the
  // kernel's.
  std::vector<double> single;
  do {
    const auto begun = Clock::now();
    run();
    single.push_back(milliseconds_since(begun));
    measured.left_early = clearly_slower(std::ranges::min(single), static_cast<int>(single.size()),
                                         request.best_milliseconds);
  } while (!measured.left_early && request.best_milliseconds > 0 &&
           std::ssize(single) < rounds_to_tell &&
           std::ranges::min(single) > 2 * request.best_milliseconds);
  measured.runs_a_round = runs_a_round(std::ranges::min(single));
  std::vector<double> rounds;
  if (measured.left_early) rounds = std::move(single);
  const auto start = Clock::now();
  const auto wanted = [&] {
    const int count = static_cast<int>(rounds.size());
    if (count > 0 && !measured.left_early)
      measured.left_early =
          clearly_slower(std::ranges::min(rounds), count, request.best_milliseconds);
    if (measured.left_early) return false;
    return count < request.rounds_at_least ||
           (count < request.rounds_at_most &&
            milliseconds_since(start) < request.budget_milliseconds);
  };
  while (wanted()) {
    const auto round = Clock::now();
    for (int i = 0; i < measured.runs_a_round; ++i) run();
    rounds.push_back(milliseconds_since(round) / measured.runs_a_round);
  }
  measured.time = runtime::summarise(std::move(rounds));
  if (request.sampling_milliseconds > 0)
    measured.samples = sampled(run, kernel.code->entry(), request.sampling_milliseconds);
  return measured;
}

std::expected<const std::vector<Tensor>*, Failure> KernelJob::outputs_of(const Reference& reference,
                                                                         const Request& request) {
  std::string key = fmt::format("{}\n{}\n{}", request.seed, reference.nest, reference.script);
  for (const auto& [symbol, value] : request.symbols) key += fmt::format(" {}={}", symbol, value);
  if (key == reference_) return &reference_outputs_;
  Request wanted{reference.nest};
  wanted.script = reference.script;
  wanted.machine = request.machine;
  wanted.symbols = request.symbols;
  wanted.inputs = request.inputs;
  wanted.seed = request.seed;
  wanted.want_outputs = true;
  wanted.threads = request.threads;
  wanted.warm_up = 0;
  wanted.rounds_at_least = wanted.rounds_at_most = 1;
  Spent spent;
  Measured measured = TRY(run(TRY(prepare(wanted, spent)), wanted, spent));
  reference_ = std::move(key);
  reference_outputs_ = std::move(measured.outputs);
  return &reference_outputs_;
}

Answer KernelJob::operator()(const Request& request) {
  Spent spent;
  Kernel kernel = TRY(prepare(request, spent));
  if (kernel.object) {
    Measured compiled;
    compiled.code = std::move(kernel.object);
    compiled.nest = std::move(kernel.nest);
    compiled.spent = spent;
    return compiled;
  }
  Measured measured = TRY(run(kernel, request, spent));
  measured.spills = kernel.spills;
  measured.spent = spent;
  return measured;
}

Frame KernelJob::operator()(const Frame& frame) {
  const auto request = request_from(frame);
  return to_frame(request
                      ? (*this)(*request)
                      : Answer(std::unexpected(Failure{FailureKind::Refused, request.error()})));
}

}  // namespace loopglass::measure
