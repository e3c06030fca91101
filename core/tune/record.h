// Records of what was measured: JSON lines in a file that is only ever appended to. A line is a
// workload with its nest, once a file, or a trial of it; each by itself says on what machine, for
// what target, by what sources of the compiler it was measured. A writer that is killed leaves half
// a line at the most, which readers pass over, and name.
#pragma once

#include "core/kernel/schedules.h"
#include "core/support/file_refusal.h"
#include "core/tune/trial.h"

#include <filesystem>
#include <map>
#include <mutex>

namespace loopglass::tune {

// Where and how something was measured.
struct Conditions {
  std::string processor, target;  // "AMD EPYC 9654", "x86-64, AVX-512"
  std::string compiler;           // a digest of its sources
  int threads = 1;
  std::map<std::string, std::int64_t> symbols = {};

  // Whether times may be compared: all the same but for the compiler, whose sources may change and
  // leave a schedule what it is.
  bool is_like(const Conditions& other) const;
};

// Of a task, measured on its machine. `compiler`: a digest of our sources.
Conditions conditions_of(const Task& task, std::string_view compiler);
// 16 digits that no other run has.
std::string new_run();

struct Record {
  std::string workload, kernel;  // 16 digits, a name
  Conditions conditions;
  std::string run;                                // that it belongs to: 16 digits
  std::string space, search, cost_model, layout;  // as the command names them; empty: by hand
  std::uint64_t seed = 0;
  int trial = 0, round = 0;
  bool is_final = false;  // measured again at a run's end, in turns with its rivals
  // A further line of the default schedule: what the run found is faster by itself and slower in
  // its network, so that the default schedule stays.
  bool is_withdrawn = false;
  std::string how, words;
  std::vector<int> parents;
  std::string script;
  std::optional<double> predicted;
  std::optional<runtime::Statistics> time;  // nullopt: it failed
  bool left_early = false;
  bool same_code = false;       // as an earlier trial's, whose time this is
  double flops = 0;             // of one run
  std::string failure, reason;  // its class, and a sentence; empty: it did not fail
  double seconds = 0;           // since its run began
  std::string worker;           // of a farm, that measured it; empty: it was measured here
};

// Lines as they stand in a file.
std::string to_line(const Record& record);
std::string workload_line(const std::string& workload, const std::string& kernel,
                          const loop::Func& nest);

struct Records {
  std::map<std::string, std::string> nests;  // texts, by workload
  std::vector<Record> records;
  std::vector<std::string> passed_over;  // "line 17: what is wrong with it"

  void add(Records more);
};
// A file that is not there is refused as unreadable; lines that are damaged are passed over.
Result<Records> read_records(const std::filesystem::path& file);
Result<Records> parse_records(std::string_view text);
// All lines, workloads first; what stands there twice, once.
std::string to_text(const Records& records);

// What was measured fastest of a workload under like conditions: of final measurements where there
// are some the winner (winner.h), unless a run that was ended before its fastest ran in turns has
// one that is faster by more than luck; else of those that were not left early, among which the
// default schedule stays, too, where nothing is worth it. Whatever compiler it was. Null: nothing.
// Of a run that was withdrawn only the default schedule counts.
const Record* best_of(const Records& records, const std::string& workload,
                      const Conditions& conditions);
// With the names that the nest has which it is for.
Result<kernel::Schedules::Own> schedule_of(const Records& records, const Record& record);

// A file that records are appended to.
class RecordFile {
 public:
  // Makes it where it is not there. Behind half a line it begins a new one.
  static Result<std::unique_ptr<RecordFile>> open(const std::filesystem::path& file);
  ~RecordFile();

  // The whole line or an error: RecordsUnwritable, DiskFull. Thread-safe.
  Result<void> append(const std::string& line);
  // The workload's line, unless the file has it.
  Result<void> append_workload(const std::string& workload, const std::string& kernel,
                               const loop::Func& nest);

 private:
  RecordFile(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_ = -1;
  bool is_torn_ = false;  // it ends with half a line
  std::mutex mutex_;
  std::map<std::string, bool> workloads_;
};

}  // namespace loopglass::tune
