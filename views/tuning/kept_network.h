// Which run tuned all kernels of a network last, and what that made of the network: a file for each
// network beside the records of its kernels, so that another day shows them together again.
#pragma once

#include "core/tuned_network.h"

#include <filesystem>
#include <optional>
#include <string>

namespace loopglass::views {

struct KeptNetwork {
  std::string run;  // that its records name
  int threads = 1;
  std::optional<NetworkTimes> times = {};  // nullopt: it did not come to that
};

// Of a graph with this content hash.
std::filesystem::path network_file(const std::filesystem::path& folder, std::uint64_t graph);
// In the place of what was kept. FileUnwritable, DiskFull.
Result<void> keep_network(const std::filesystem::path& file, const KeptNetwork& network);
// Nothing where there is no such file, or it has something else.
std::optional<KeptNetwork> kept_network(const std::filesystem::path& file);

}  // namespace loopglass::views
