// The control groups that this process is in: what a container may use is written there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass {

struct ControlGroup {
  int version = 2;  // of the interface: its files have other names
  std::filesystem::path folder;

  // What a file of the group says; nothing where there is no such file.
  std::optional<std::string> read(std::string_view file) const;
};

// The groups that hold this process for a controller ("cpu", "memory"), of both versions: each from
// its own group outwards, as far as can be seen. A limit of any of them counts. `root`: where the
// system's files are, for tests.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root = "/");

}  // namespace loopglass
