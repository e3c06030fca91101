#include "tests/tune/kernels.h"

#include "core/loop/text.h"
#include "core/support/hash.h"

namespace loopglass::tune {

Task task_of(std::string_view nest, int threads) {
  Task task{"kernel", loop::parse(nest).value()};
  task.machine = machine_with_vectors("x86-64, AVX2", 32, 16);
  task.threads = threads;
  return task;
}

Task product() {
  return task_of(R"(
    func product(A: float32[24, 48] input, B: float32[48, 32] constant, C: float32[24, 32] output) {
      for i in 24 { for j in 32 { for k in 48 {
        block C(v0 = i, v1 = j, reduce v2 = k) by sum {
          reads A[v0, v2], B[v2, v1]
          writes C[v0, v1]
          init { C[v0, v1] = 0.0f }
          C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })");
}

Task convolution() {
  return task_of(R"(
    func conv(X: float32[1, 10, 10, 8] input, W: float32[3, 3, 8, 16] constant,
              bias: float32[16] constant, Y: float32[1, 8, 8, 16] output) {
      alloc conv: float32[1, 8, 8, 16] workspace {
        for n in 1 { for oh in 8 { for ow in 8 { for oc in 16 {
          for kh in 3 { for kw in 3 { for ic in 8 {
            block conv(v0 = n, v1 = oh, v2 = ow, v3 = oc, reduce v4 = kh, reduce v5 = kw,
                       reduce v6 = ic) by sum {
              init { conv[v0, v1, v2, v3] = 0.0f }
              conv[v0, v1, v2, v3] = conv[v0, v1, v2, v3] + X[v0, v1 + v4, v2 + v5, v6] * W[v4, v5, v6, v3]
            } } } } } } } }
        for n1 in 1 { for y in 8 { for x in 8 { for c in 16 {
          block Y(v0 = n1, v1 = y, v2 = x, v3 = c) {
            Y[v0, v1, v2, v3] = max(conv[v0, v1, v2, v3] + bias[v3], 0.0f) } } } } } } })");
}

Task row_sums() {
  return task_of(R"(
    func sums(X: float32[12, 96] input, S: float32[12] output) {
      for i in 12 { for k in 96 {
        block S(v0 = i, reduce v1 = k) by sum {
          init { S[v0] = 0.0f }
          S[v0] = S[v0] + X[v0, v1] } } } })");
}

Outcome took(double milliseconds) {
  Outcome outcome;
  outcome.time = runtime::Statistics{milliseconds, milliseconds, milliseconds, milliseconds, 10};
  return outcome;
}

Outcome failed(measure::FailureKind kind) {
  Outcome outcome;
  outcome.failure = measure::Failure{kind, {Code::WorkerCrashed, "it failed", "", ""}};
  return outcome;
}

std::vector<Outcome> FakeMeasurer::measure(const Task&, const std::string&,
                                           std::span<const std::string> scripts, double,
                                           const Cancellation& cancellation,
                                           const OnOutcome& on_outcome) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    ++asked;
    measured.insert(scripts[i]);
    const double share = static_cast<double>(Hasher().text(scripts[i]).digest() % 1000) / 1000;
    outcomes.push_back(cancellation.requested() ? failed(measure::FailureKind::Cancelled)
                       : outcome                ? outcome(scripts[i])
                                                : took(1 + share));
    if (on_outcome) on_outcome(i, outcomes.back());
  }
  return outcomes;
}

std::vector<Outcome> FakeMeasurer::measure_in_turns(const Task& task, const std::string& reference,
                                                    std::span<const std::string> scripts, int,
                                                    const Cancellation& cancellation) {
  return measure(task, reference, scripts, 0, cancellation, {});
}

}  // namespace loopglass::tune
