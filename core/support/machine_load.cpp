#include "core/support/machine_load.h"

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace loopglass {

namespace {

// The system counts processor time in ticks of about a hundredth of a second.
constexpr double shortest_seconds = 0.2;
// That a machine at rest spends on itself.
constexpr double background = 0.2;

double seconds(double ticks) { return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)); }

struct Process {
  int parent = 0;
  double ticks = 0;  // of processor time: its own, and that of children that have ended
};

// The second field is a name in brackets, which may hold anything; the fourth is the parent, the
// 14th to 17th are ticks.
std::optional<Process> read_process(const std::filesystem::path& folder) {
  std::ifstream table(folder / "stat");
  std::string text;
  std::getline(table, text);
  const std::size_t name = text.rfind(')');
  if (name == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name + 1));
  Process process;
  std::string word;
  rest >> word >> process.parent;
  for (int field = 5; field < 14; ++field) rest >> word;
  for (int field = 14; field <= 17; ++field) {
    double ticks = 0;
    rest >> ticks;
    process.ticks += ticks;
  }
  return process;
}

std::map<int, Process> all_processes() {
  std::map<int, Process> processes;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
    if (const auto process = read_process(entry.path())) processes[std::stoi(name)] = *process;
  }
  return processes;
}

bool descends(const std::map<int, Process>& processes, int process, int from) {
  // Between two readings a number may have come to be another's.
  std::set<int> seen;
  while (process != from) {
    const auto found = processes.find(process);
    if (found == processes.end() || !seen.insert(process).second) return false;
    process = found->second.parent;
  }
  return true;
}

// Of these, and of all that they started: processor time in seconds.
double time_of(const std::vector<int>& roots) {
  const std::map<int, Process> processes = all_processes();
  double ticks = 0;
  for (const auto& [number, process] : processes)
    if (std::ranges::any_of(roots, [&](int root) { return descends(processes, number, root); }))
      ticks += process.ticks;
  return seconds(ticks);
}

}  // namespace

bool is_busy(const MachineLoad& load, int threads) {
  // More threads than there are processors wait for one another, whatever others do.
  return load.others + std::min(threads, load.processors) > load.processors + background;
}

LoadMeter::LoadMeter(std::optional<int> works_for)
    : works_for_(works_for), start_(std::chrono::steady_clock::now()), first_(times()) {}

std::optional<MachineLoad> LoadMeter::read() const {
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto last = times();
  if (!first_ || !last || passed < shortest_seconds) return std::nullopt;
  const double others = (last->busy - first_->busy) - (last->own - first_->own);
  const auto processors = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return MachineLoad{std::clamp(others / passed, 0.0, static_cast<double>(processors)), processors};
}

// Linux: the first line of /proc/stat has user, nice, system, idle, iowait, irq, softirq and steal.
std::optional<LoadMeter::Times> LoadMeter::times() const {
  std::ifstream table("/proc/stat");
  std::string word;
  double numbers[8];
  if (!(table >> word) || word != "cpu") return std::nullopt;
  for (double& number : numbers)
    if (!(table >> number)) return std::nullopt;
  std::vector<int> own{getpid()};
  if (works_for_) own.push_back(*works_for_);
  const double ticks = numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6] + numbers[7];
  return Times{seconds(ticks), time_of(own)};
}

}  // namespace loopglass
