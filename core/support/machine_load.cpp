#include "core/support/machine_load.h"

#include <unistd.h>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace loopglass {

namespace {

// The system counts processor time in ticks of about a hundredth of a second.
constexpr double shortest_seconds = 0.2;
// That a machine at rest spends on itself.
constexpr double background = 0.2;

// Processor time in seconds; 0 where the system does not say. The second field is a name in
// brackets, which may hold anything; the 14th and 15th are ticks.
double time_of(int process) {
  std::ifstream table("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(table, text);
  const std::size_t name = text.rfind(')');
  if (name == std::string::npos) return 0;
  std::istringstream rest(text.substr(name + 1));
  std::string word;
  for (int field = 3; field < 14; ++field) rest >> word;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

bool is_busy(const MachineLoad& load, int threads) {
  return load.others + threads > load.processors + background;
}

LoadMeter::LoadMeter(std::optional<int> works_for)
    : works_for_(works_for), start_(std::chrono::steady_clock::now()), first_(times()) {}

std::optional<MachineLoad> LoadMeter::read() const {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto last = times();
  if (!first_ || !last || seconds < shortest_seconds) return std::nullopt;
  const double others = (last->busy - first_->busy) - (last->own - first_->own);
  const auto processors = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return MachineLoad{std::clamp(others / seconds, 0.0, static_cast<double>(processors)),
                     processors};
}

// Linux: the first line of /proc/stat has user, nice, system, idle, iowait, irq, softirq and steal.
std::optional<LoadMeter::Times> LoadMeter::times() const {
  std::ifstream table("/proc/stat");
  std::string word;
  double numbers[8];
  if (!(table >> word) || word != "cpu") return std::nullopt;
  for (double& number : numbers)
    if (!(table >> number)) return std::nullopt;
  timespec own{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) != 0) return std::nullopt;
  const double ticks = numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6] + numbers[7];
  const double seconds = static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9;
  return Times{ticks / static_cast<double>(sysconf(_SC_CLK_TCK)),
               seconds + (works_for_ ? time_of(*works_for_) : 0)};
}

}  // namespace loopglass
