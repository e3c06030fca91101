// What a worker is asked to time, and what it answers. Both are values that become frames and come
// back from them (request_frames.cpp), whoever made them: what is not understood is refused.
#pragma once

#include "core/codegen/innermost_code.h"
#include "core/codegen/object_code.h"
#include "core/machine/machine.h"
#include "core/measure/frame.h"
#include "core/runtime/benchmark.h"
#include "core/support/result.h"

#include <map>
#include <string_view>

namespace loopglass::measure {

// The results that a kernel must give, within |difference| <= absolute + relative * |expected|.
struct Expected {
  std::vector<Tensor> outputs;
  double absolute = 0, relative = 0;
};

// The same, as what this nest gives by this script on the same numbers. It is run when a worker is
// first asked for it; what it gave is kept until another is wanted.
struct Reference {
  std::string nest, script;
  double absolute = 0, relative = 0;
};

struct Request {
  // The loop nest, as text. Beside object code only its parameters are read: signature() of the
  // Func that the code was generated for.
  std::string nest;
  std::optional<codegen::ObjectCode> code = {};
  // How the nest is scheduled: by this script, or by the default schedule for the machine.
  std::optional<std::string> script = {};
  Machine machine = {};
  std::map<std::string, std::int64_t> symbols = {};  // values of the nest's

  // What the kernel reads, as many as it has inputs and constants, in order, constants as they are
  // before they are packed. Empty: random numbers; parameter i has those of the seed `seed` + i.
  std::vector<Tensor> inputs = {};
  std::uint64_t seed = 1;
  std::optional<Expected> expected = {};
  std::optional<Reference> reference = {};
  bool want_outputs = false;
  bool want_spills = false;  // of what is compiled here: it takes as long again as to compile it
  // When it has been timed, it runs for so long again while somebody looks where it is; on one
  // thread.
  double sampling_milliseconds = 0;
  bool only_compile = false;  // nothing is run, and the object code is the answer

  int threads = 1;
  int warm_up = 1;  // runs behind the first, which is never timed
  // Rounds are timed until the budget is spent, but so many at the least and at the most.
  int rounds_at_least = 5, rounds_at_most = 500;
  double budget_milliseconds = 20;
  // What the best of its rivals takes; 0: none is known. One that is clearly slower is left after
  // three runs, a long one after one (clearly_slower).
  double best_milliseconds = 0;
  // The whole answer's; then the worker is killed.
  std::chrono::milliseconds time_limit{60'000};
};

// Whether a kernel that took this in its quickest of so many rounds may as well be left: noise
// alone would not do that. A round may be nine times as slow for no reason of the kernel's, where
// another process has the core for a few milliseconds in its middle; of three the quickest hardly.
constexpr int rounds_to_tell = 3;
bool clearly_slower(double minimum_ms, int rounds, double best_ms);

// `func` without its body.
std::string signature(const loop::Func& func);

// Where the milliseconds of an answer went, in the worker.
struct Spent {
  double preparing = 0;  // parsing, scheduling and lowering
  double compiling = 0;  // or loading
  double inputs = 0;     // making what the kernel reads
  double running = 0;    // the kernel, timed or not
  double checking = 0;   // digesting and comparing what it gives
};

// Where a kernel's code was when somebody looked: bytes behind its entry point, and how often.
struct Sample {
  std::int64_t offset = 0;
  std::int64_t count = 0;
  friend bool operator==(const Sample&, const Sample&) = default;
};

struct Measured {
  // Of one run. A round of a short kernel is several runs in a row, divided.
  runtime::Statistics time;
  int runs_a_round = 1;
  int threads = 1;              // that it ran on
  std::uint64_t digest = 0;     // of the outputs: digest_of(); 0 where there was a reference
  std::vector<Tensor> outputs;  // with the shapes that the request's nest has
  codegen::Spills spills;       // of the machine code, where they were wanted
  // By offset, where they were wanted; those of code that it calls, and of its caller, among them.
  std::vector<Sample> samples;
  std::optional<codegen::ObjectCode> code = {};  // where nothing else was wanted
  std::string nest;                              // then, the signature that it goes with
  bool left_early = false;                       // it is clearly slower than the best
  Spent spent;
};
// Of what the first run gave.
std::uint64_t digest_of(std::span<const Tensor> outputs);

enum class FailureKind : std::uint8_t {
  Illegal,      // the nest or its schedule is refused
  NotCompiled,  // no machine code for it
  Wrong,        // its results are not those that were expected
  Crashed,      // by a signal that is the kernel's doing
  TimedOut,
  Lost,     // the worker is gone and nobody knows why: worth asking again
  Refused,  // not understood, or not enough memory for it
  Cancelled
};
std::string_view name(FailureKind kind);  // "timed out"
std::optional<FailureKind> failure_kind_named(std::string_view name);

struct Failure {
  FailureKind kind;
  Diagnostic diagnostic;
  int signal = 0;  // that ended the worker
};
using Answer = std::expected<Measured, Failure>;

// The job's name in frames.
inline constexpr std::string_view kernel_job_name = "kernel";

Frame to_frame(const Request& request);
Frame to_frame(const Answer& answer);
// UsageInvalid, and what Tensor::allocate says.
Result<Request> request_from(const Frame& frame);
Result<Answer> answer_from(const Frame& frame);

}  // namespace loopglass::measure
