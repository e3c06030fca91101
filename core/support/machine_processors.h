// How many threads of this process can run at once, so that no more are made by default.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace loopglass {

struct MachineProcessors {
  int online = 1;               // that the machine has
  int allowed = 1;              // that the process may run on: its affinity (taskset, cpusets)
  std::optional<double> quota;  // processors' worth of time that its control groups grant it

  // At least 1. Part of a processor counts as one: its threads are held back together.
  int usable() const;
};
// `root`: where the system's files are, for tests.
MachineProcessors machine_processors(const std::filesystem::path& root = "/");

// "2 of 64 processors usable (affinity 4, quota 1.5)"
std::string to_string(const MachineProcessors& processors);

}  // namespace loopglass
