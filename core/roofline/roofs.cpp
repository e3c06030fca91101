#include "core/roofline/roofs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopglass::roofline {

namespace {

constexpr double operations_of_a_run = 1e8, bytes_of_a_run = 32e6;
constexpr int turns = 3;

Result<double> milliseconds(const RoofNest& nest, const Machine& machine, int threads,
                            measure::WorkerPool& workers, const Cancellation& cancellation) {
  measure::Request request{nest.text};
  request.script = "";
  request.machine = machine;
  request.threads = threads;
  request.rounds_at_least = 5;
  request.budget_milliseconds = 30;
  auto answer = workers.ask(request, cancellation);
  if (!answer) return std::unexpected(std::move(answer).error().diagnostic);
  return answer->time.minimum_ms;
}

const char* zero_of(DataType type) {
  if (type == DataType::Int32) return "0i32";
  return type == DataType::Float64 ? "0.0" : "0.0f";
}

}  // namespace

// As many sums at once as registers hold beside what is read for them, which is enough to hide how
// long one takes: what a tile of a matrix product does whose operands never leave the first cache.
RoofNest multiply_adds(const Machine& machine, DataType type, int threads) {
  const int lanes = machine.lanes(byte_size(type));
  // Pairs may be multiplied by an instruction and added by another, with a register between them;
  // so is all where vectors are of 16 bytes, which had no multiply-add.
  const bool in_words = type == DataType::Int32;
  const int few_rows = in_words || machine.vector_bytes < 32 ? 3 : 4;
  const int rows = machine.vector_registers >= 32 ? 8 : few_rows, vectors = 3, terms = 64;
  const double of_a_time =
      (in_words ? 2.0 * machine.dot_terms : 2.0) * rows * vectors * lanes * terms;
  const auto times = static_cast<std::int64_t>(operations_of_a_run / of_a_time);
  // `statement` for each element of the tile, whose loops end with a letter of their own.
  const auto tile = [&](char own, const std::string& statement) {
    return fmt::format(
        "for r{0} in {1} unrolled {{ for v{0} in {2} unrolled {{ "
        "for l{0} in {3} vectorized {{ {4} }} }} }}",
        own, rows, vectors, lanes, statement);
  };
  const std::string_view element = name(type), dot = !in_words                ? ""
                                                     : machine.dot_terms >= 4 ? "dot_quads"
                                                                              : "dot_pairs";
  return {fmt::format("func multiply_adds(A: {0}[{1}, {2}] input, B: {0}[{2}, {3}] input, "
                      "C: {0}[{4}, {1}, {3}] output) {{\n"
                      "  for p in {4} parallel {{\n"
                      "    alloc S: {0}[{1}, {5}, {6}] register\n"
                      "    {7}\n"
                      "    for t in {8} {{ for k in {2} {{\n"
                      "      {9}\n"
                      "    }} }}\n"
                      "    {10}\n"
                      "  }}\n}}\n",
                      element, rows, terms, vectors * lanes, threads, vectors, lanes,
                      tile('0', fmt::format("S[r0, v0, l0] = {}", zero_of(type))), times,
                      tile('1', fmt::format("S[r1, v1, l1] = S[r1, v1, l1] + "
                                            "{}(A[r1, k]{} B[k, v1 * {} + l1])",
                                            dot, in_words ? "," : " *", lanes)),
                      tile('2', fmt::format("C[p, r2, v2 * {} + l2] = S[r2, v2, l2]", lanes))),
          of_a_time * static_cast<double>(times) * threads};
}

// From several places at once: what is fetched ahead of one alone need not be all that the level
// has, and of a Zen 5's second cache is half.
RoofNest reading(const Machine& machine, std::int64_t bytes, int threads) {
  const int lanes = machine.lanes(4), sums = 8, places = 4;
  const std::int64_t rows = std::max<std::int64_t>(1, bytes / (places * sums * lanes * 4));
  const auto of_a_time = static_cast<double>(places * rows * sums * lanes * 4);
  const auto times =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes_of_a_run / of_a_time));
  const auto row = [&](char own, const std::string& statement) {
    return fmt::format("for u{0} in {1} unrolled {{ for l{0} in {2} vectorized {{ {3} }} }}", own,
                       sums, lanes, statement);
  };
  return {fmt::format("func reading(X: float32[{0}, {8}, {1}, {2}, {3}] input, "
                      "Y: float32[{0}, {2}, {3}] output) {{\n"
                      "  for p in {0} parallel {{\n"
                      "    alloc S: float32[{2}, {3}] register\n"
                      "    {4}\n"
                      "    for t in {5} {{ for m in {1} {{ for s in {8} unrolled {{\n"
                      "      {6}\n"
                      "    }} }} }}\n"
                      "    {7}\n"
                      "  }}\n}}\n",
                      threads, rows, sums, lanes, row('0', "S[u0, l0] = 0.0f"), times,
                      row('1', "S[u1, l1] = S[u1, l1] + X[p, s, m, u1, l1]"),
                      row('2', "Y[p, u2, l2] = S[u2, l2]"), places),
          of_a_time * static_cast<double>(times) * threads};
}

// Squares: of a multiplication by a number many links would become one.
RoofNest waiting() {
  constexpr std::int64_t times = 500'000;
  constexpr double cycles_of_a_link = 4;
  return {fmt::format("func waiting(X: int32[1] input, Y: int32[1] output) {{\n"
                      "  alloc S: int32[1] register\n"
                      "  S[0] = X[0]\n"
                      "  for t in {} {{ S[0] = S[0] * S[0] + 1013904223i32 }}\n"
                      "  Y[0] = S[0]\n}}\n",
                      times),
          cycles_of_a_link * static_cast<double>(times)};
}

namespace {

class Measuring {
 public:
  Measuring(const Machine& machine, int threads, measure::WorkerPool& workers,
            const Progress& progress, const Cancellation& cancellation)
      : machine_(machine),
        threads_(threads),
        workers_(workers),
        progress_(progress),
        cancellation_(cancellation) {
    roofs_.threads = threads;
    roofs_.levels = levels_of(machine);
  }

  Result<Roofs> operator()() {
    for (int turn = 0; turn < turns; ++turn) {
      for (const auto& [type, rate] : {std::pair{DataType::Float32, &roofs_.float32_gflops},
                                       {DataType::Float64, &roofs_.float64_gflops},
                                       {DataType::Int32, &roofs_.byte_products_gflops}})
        TRY_VOID(take("multiply-adds", multiply_adds(machine_, type, threads_), *rate));
      TRY_VOID(take("the clock", waiting(), roofs_.gigahertz));
      TRY_VOID(read(0, roofs_.levels[0].bytes / 2));
      TRY_VOID(read(1, roofs_.levels[1].bytes / 2));
      TRY_VOID(read(2, least_of_third()));
      TRY_VOID(read(3, beyond_caches()));
    }
    // Farther away is never faster; where it seems so, somebody else had the machine.
    for (std::size_t l = roofs_.levels.size() - 1; l > 0; --l)
      roofs_.levels[l - 1].gigabytes_per_second = std::max(
          roofs_.levels[l - 1].gigabytes_per_second, roofs_.levels[l].gigabytes_per_second);
    return std::move(roofs_);
  }

 private:
  // Surely more than the second cache, and surely in the third.
  std::int64_t least_of_third() const {
    return std::min<std::int64_t>(4 * roofs_.levels[1].bytes, roofs_.levels[2].bytes / 2);
  }
  std::int64_t beyond_caches() const {
    constexpr std::int64_t least = 64 << 20, most = 256 << 20;
    return std::clamp<std::int64_t>(4 * roofs_.levels[2].bytes * threads_, least, most) / threads_;
  }

  Result<void> take(const std::string& what, const RoofNest& nest, double& rate) {
    if (progress_) progress_(what, -1);
    const double ms = TRY(milliseconds(nest, machine_, threads_, workers_, cancellation_));
    if (ms > 0) rate = std::max(rate, nest.amount / ms * 1e-6);
    return {};
  }

  Result<void> read(std::size_t level, std::int64_t bytes) {
    return take("reading from " + roofs_.levels[level].name, reading(machine_, bytes, threads_),
                roofs_.levels[level].gigabytes_per_second);
  }

  const Machine& machine_;
  const int threads_;
  measure::WorkerPool& workers_;
  const Progress& progress_;
  const Cancellation& cancellation_;
  Roofs roofs_;
};

}  // namespace

Result<Roofs> measure_roofs(const Machine& machine, int threads, measure::WorkerPool& workers,
                            const Progress& progress, const Cancellation& cancellation) {
  return Measuring(machine, threads, workers, progress, cancellation)();
}

std::vector<LevelRoof> levels_of(const Machine& machine) {
  return {{"L1", machine.l1.bytes},
          {"L2", machine.l2.bytes},
          {"L3", std::max<std::int64_t>(machine.l3.bytes, 2 * machine.l2.bytes)},
          {"memory", 0}};
}

bool are_of(const Roofs& roofs, const Machine& machine) {
  return std::ranges::equal(roofs.levels, levels_of(machine), {}, &LevelRoof::bytes,
                            &LevelRoof::bytes);
}

Roofs higher(const Roofs& a, const Roofs& b) {
  Roofs roofs = a;
  roofs.float32_gflops = std::max(a.float32_gflops, b.float32_gflops);
  roofs.float64_gflops = std::max(a.float64_gflops, b.float64_gflops);
  roofs.byte_products_gflops = std::max(a.byte_products_gflops, b.byte_products_gflops);
  roofs.gigahertz = std::max(a.gigahertz, b.gigahertz);
  roofs.launch_microseconds = std::min(a.launch_microseconds, b.launch_microseconds);
  for (std::size_t l = 0; l < roofs.levels.size(); ++l)
    roofs.levels[l].gigabytes_per_second =
        std::max(a.levels[l].gigabytes_per_second, b.levels[l].gigabytes_per_second);
  return roofs;
}

}  // namespace loopglass::roofline
