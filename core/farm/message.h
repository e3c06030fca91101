// What a tuner and the workers of a farm say to each other: a job is a nest and scripts to measure,
// a result is what came of them, a notice is what a worker is. All three are JSON texts; machine
// code is never sent.
#pragma once

#include "core/tune/measurer.h"
#include "core/tune/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopglass::farm {

struct Job {
  std::string kernel, nest;  // its name, and the loop nest as text
  std::map<std::string, std::int64_t> symbols = {};
  int threads = 1;
  std::string reference;  // the script whose results are right
  std::vector<std::string> scripts;
  int attempt = 0;     // to have it done: another where one came to nothing
  int turns = 0;       // 0: each script once; else so often, in turns
  double best_ms = 0;  // what is clearly slower is left early; 0: nothing is

  friend bool operator==(const Job&, const Job&) = default;
};
// More than these is asked by nobody of ours.
inline constexpr int most_turns = 1'000, most_scripts = 1'000;
// Of what is measured: 16 digits, by which the same job is known again, whoever asks for it.
std::string id_of(const Job& job);
// The job of a task. Its machine is that of whoever takes the job.
Job job_of(const tune::Task& task, const std::string& reference);

struct JobResult {
  std::string id, worker;
  int attempt = 0;                      // that it answers
  std::vector<tune::Outcome> outcomes;  // of the scripts

  // Whether it answers every attempt: nobody knows why what was lost was lost.
  bool is_answer_for_all() const;
};

// What times of two machines must have in common to be compared. Sources of the compiler are among
// it: a job is a text, and what it means is theirs to say.
struct Capability {
  std::string processor, target, compiler;
  int cores = 1;

  // 16 digits.
  std::string digest() const;
  friend bool operator==(const Capability&, const Capability&) = default;
};
Capability capability_of(const Machine& machine, std::string compiler);

struct WorkerNotice {
  std::string name;
  Capability capability;
  Machine machine;
  std::string doing;       // the kernel that it measures; empty: it waits
  std::uint64_t done = 0;  // jobs
};

std::string to_text(const Job& job);
std::string to_text(const JobResult& result);
std::string to_text(const WorkerNotice& notice);
// UsageInvalid: not such a text.
Result<Job> job_in(std::string_view text);
Result<JobResult> job_result_in(std::string_view text);
Result<WorkerNotice> worker_notice_in(std::string_view text);

}  // namespace loopglass::farm
