// What a processor is and can: one value, given to whoever schedules for it or estimates what it
// takes. Nobody asks for it but the program's outermost layer (host.h), so that the same answer
// can be had for another machine.
//
// Rates are those that code of this compiler reaches on one thread, in float32. By default they are
// those of a core that does two vector multiply-adds a cycle, at the width of its vectors.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace loopglass {

// Where a figure comes from: taken for typical, looked up where the program runs, or timed there
// (`loopglassc calibrate`).
enum class Provenance : std::uint8_t { Default, Detected, Measured };
std::string_view name(Provenance from);  // "default"

// A number that says where it comes from.
template <class T>
struct Figure {
  T value{};
  Provenance from = Provenance::Default;

  Figure() = default;
  // Implicit on purpose: figures are written and read as numbers.
  Figure(T number, Provenance source = Provenance::Default) : value(number), from(source) {}
  operator T() const { return value; }
  template <std::same_as<Figure> Other>
  friend bool operator==(const Figure& a, const Other& b) {
    return a.value == b.value && a.from == b.from;
  }
};

struct Machine {
  std::string name = "any";  // of its instructions: "x86-64, AVX-512"
  std::string processor;     // as the operating system calls it; empty: not known

  Figure<int> vector_bytes = 16;  // of the widest vector register
  Figure<int> vector_registers = 16;
  // Products that one instruction sums into each int32 of a vector: two of int16 each, or four of
  // bytes, unsigned by signed (VNNI).
  Figure<int> dot_terms = 2;
  Figure<int> cores = 1;

  // What one cache of each level holds, which cores may share, and what copies within it take, read
  // and written.
  struct Cache {
    Figure<std::int64_t> bytes;
    Figure<double> gigabytes_per_second;
    friend bool operator==(const Cache&, const Cache&) = default;
  };
  Cache l1{32 << 10, 122.5}, l2{1 << 20, 122.5}, l3{16 << 20, 20.0};
  Figure<double> memory_gigabytes_per_second = 10;

  Figure<double> peak_gflops = 61.25;  // of dense products and convolutions
  // Shares of the peak.
  Figure<double> convolution_efficiency = 0.7, matrix_efficiency = 0.8, reduction_efficiency = 0.05;
  // Functions and divisions a second, as a share of the peak's operations. What else is done with
  // elements are operations that are no multiply-adds: half of the peak.
  Figure<double> function_efficiency = 0.08;
  Figure<double> launch_microseconds = 0.3;  // of a kernel
  Figure<double> strided_penalty = 3;        // of reads that jump, against reads in a row
  // What estimates by these are wrong by, as a share: half of the kernels that were not measured
  // took longer or shorter than foretold by more. 0: nobody tried.
  Figure<double> estimate_error = 0;

  // Elements of a vector, one at least.
  int lanes(std::size_t element_bytes) const {
    return std::max(1, vector_bytes / static_cast<int>(element_bytes));
  }
  // Of the cycles that costs of loops are counted in, two vector multiply-adds each.
  double cycles_per_nanosecond() const;
  double l2_bytes_per_cycle() const;
  bool is_measured() const { return peak_gflops.from == Provenance::Measured; }

  friend bool operator==(const Machine&, const Machine&) = default;
};

// With vectors so wide, and default rates that follow from them.
Machine machine_with_vectors(std::string name, int vector_bytes, int vector_registers);
// A Zen 5 core with AVX-512, which layouts, tiles and the shares of default rates were chosen on.
Machine reference_machine();

// visit(name, figure) for the figures that are looked up, and for those that are measured.
template <class SomeMachine, class Visit>
void each_size(SomeMachine& machine, const Visit& visit) {
  visit("vector_bytes", machine.vector_bytes);
  visit("vector_registers", machine.vector_registers);
  visit("dot_terms", machine.dot_terms);
  visit("cores", machine.cores);
  visit("l1_bytes", machine.l1.bytes);
  visit("l2_bytes", machine.l2.bytes);
  visit("l3_bytes", machine.l3.bytes);
}
template <class SomeMachine, class Visit>
void each_rate(SomeMachine& machine, const Visit& visit) {
  visit("peak_gflops", machine.peak_gflops);
  visit("convolution_efficiency", machine.convolution_efficiency);
  visit("matrix_efficiency", machine.matrix_efficiency);
  visit("function_efficiency", machine.function_efficiency);
  visit("reduction_efficiency", machine.reduction_efficiency);
  visit("launch_microseconds", machine.launch_microseconds);
  visit("l1_gigabytes_per_second", machine.l1.gigabytes_per_second);
  visit("l2_gigabytes_per_second", machine.l2.gigabytes_per_second);
  visit("l3_gigabytes_per_second", machine.l3.gigabytes_per_second);
  visit("memory_gigabytes_per_second", machine.memory_gigabytes_per_second);
  visit("strided_penalty", machine.strided_penalty);
}

// `machine`, with what was measured on `kept`.
Machine with_measured(Machine machine, const Machine& kept);

}  // namespace loopglass
