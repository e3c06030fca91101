#include "tests/codegen/run_both.h"

#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "passes/loop/contract_products.h"
#include "passes/loop/cut_functions.h"
#include "passes/loop/cut_vectors.h"
#include "passes/loop/demote_loops.h"
#include "passes/loop/expand_lane_buffers.h"
#include "passes/loop/pad_lanes.h"
#include "passes/loop/place_workspace.h"

#include <cmath>
#include <random>
#include <thread>

namespace loopglass {
namespace {

Tensor clone(const Tensor& tensor) {
  Tensor copy(tensor.type());
  std::copy_n(tensor.data(), tensor.bytes(), copy.data());
  return copy;
}

void fill_random(Tensor& tensor, std::mt19937_64& random) {
  visit_type(tensor.data_type(), [&](auto element) {
    using T = decltype(element);
    for (T& value : tensor.as<T>()) {
      if constexpr (std::is_same_v<T, bool>) value = random() & 1;
      else if constexpr (std::is_integral_v<T>) value = static_cast<T>(random() % 8);
      else value = static_cast<T>(static_cast<double>(random() % 2048) / 512 - 2);
    }
  });
}

// Two chunks on two threads, whatever the count: enough to see a race or a wrong capture.
void run_on_two_threads(void*, std::int64_t count, void (*body)(void*, std::int64_t, std::int64_t),
                        void* closure) {
  std::thread other([&] { body(closure, 0, count / 2); });
  body(closure, count / 2, count);
  other.join();
}

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * (1 + std::fabs(b));
}

}  // namespace

loop::Func parse_func(std::string_view text) {
  Result<loop::Func> func = loop::parse(text);
  if (!func) throw std::runtime_error(to_string(func.error()));
  return *func;
}

loop::Func settled(const loop::Func& func) {
  loop::Func result = func;
  if (!func.body) return result;
  for (const auto settle :
       {passes::demote_loops, passes::expand_lane_buffers, passes::pad_lanes, passes::cut_vectors,
        passes::place_workspace, passes::contract_products, passes::cut_functions}) {
    pass::Report report;
    result = settle(result, report).value();
    if (const auto valid = loop::verify(result); !valid)
      throw std::runtime_error(to_string(valid.error()) + "\n" + loop::to_text(result));
  }
  return result;
}

std::shared_ptr<const codegen::CompiledKernel> compile_func(const loop::Func& func) {
  auto kernel = codegen::compile(settled(func));
  if (!kernel) throw std::runtime_error(to_string(kernel.error()) + "\n" + loop::to_text(func));
  return *kernel;
}

std::shared_ptr<const codegen::KernelListings> list_func(const loop::Func& func,
                                                         const codegen::ListingLimits& limits) {
  auto listings = codegen::list(settled(func), {}, {}, limits);
  if (!listings) throw std::runtime_error(to_string(listings.error()) + "\n" + loop::to_text(func));
  return *listings;
}

Arguments random_arguments(const loop::Func& func,
                           const std::map<std::string, std::int64_t>& symbols) {
  std::mt19937_64 random(7);
  Arguments arguments{{}, symbols};
  for (const loop::Buffer& parameter : func.parameters) {
    Shape shape;
    for (const expr::Expr& extent : parameter.shape) {
      auto known = expr::as_integer(extent);
      shape.push_back(known ? *known : symbols.at(extent.as<expr::Variable>()->name));
    }
    Tensor tensor(TensorType{parameter.type, shape});
    if (parameter.role == loop::Role::Output)
      std::fill_n(tensor.data(), tensor.bytes(), std::byte{1});
    else fill_random(tensor, random);
    arguments.tensors.push_back(tensor);
  }
  return arguments;
}

std::vector<Tensor> run_kernel(const codegen::CompiledKernel& kernel, const loop::Func& func,
                               const Arguments& arguments, int threads) {
  std::vector<Tensor> tensors;
  std::vector<void*> buffers;
  for (const Tensor& tensor : arguments.tensors) {
    tensors.push_back(clone(tensor));
    buffers.push_back(tensors.back().data());
  }
  std::vector<std::int64_t> symbols;
  for (const std::string& symbol : func.symbols) symbols.push_back(arguments.symbols.at(symbol));
  Tensor workspace(TensorType{DataType::UInt8, {kernel.workspace().bytes(symbols).value() + 1}});
  codegen::ParallelRuntime runtime{nullptr, run_on_two_threads};
  kernel.entry()(buffers.data(), symbols.data(), workspace.data(),
                 threads > 1 ? &runtime : nullptr);
  return tensors;
}

std::vector<Tensor> run_interpreter(const loop::Func& func, const Arguments& arguments) {
  std::vector<Tensor> tensors;
  for (const Tensor& tensor : arguments.tensors) tensors.push_back(clone(tensor));
  loop::interpret(func, tensors, arguments.symbols);
  return tensors;
}

void expect_same(const loop::Func& func, const Arguments& arguments, double tolerance) {
  std::vector<Tensor> expected = run_interpreter(func, arguments);
  auto kernel = compile_func(func);
  for (int threads : {1, 2}) {
    std::vector<Tensor> actual = run_kernel(*kernel, func, arguments, threads);
    for (std::size_t p = 0; p < expected.size(); ++p) {
      int shown = 0;
      for (std::int64_t i = 0; i < expected[p].elements() && shown < 5; ++i) {
        double a = actual[p].double_at(i), e = expected[p].double_at(i);
        bool same = is_float(expected[p].data_type())
                        ? close(a, e, tolerance)
                        : actual[p].integer_at(i) == expected[p].integer_at(i);
        if (same) continue;
        ++shown;
        ADD_FAILURE() << func.parameters[p].name << "[" << i << "] is " << a << ", expected " << e
                      << ", on " << threads << " threads, in\n"
                      << loop::to_text(func);
      }
    }
  }
}

void expect_same(std::string_view text, double tolerance,
                 const std::map<std::string, std::int64_t>& symbols) {
  loop::Func func = parse_func(text);
  expect_same(func, random_arguments(func, symbols), tolerance);
}

}  // namespace loopglass
