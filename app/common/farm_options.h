// How a farm's server is found, wherever a command speaks to one.
#pragma once

#include "app/common/arguments.h"
#include "core/farm/queue.h"

namespace loopglass::app {

struct FarmOptions {
  std::string url, ca_file;
};

// `name`: of the option that takes the address, "--farm".
void add_farm_address(Command command, FarmOptions& options, const std::string& name);

// UsageInvalid as farm::check says it, before anything is asked of anybody; none is fine.
Result<void> check_address(const FarmOptions& options);

// The token is that of LOOPGLASS_FARM_TOKEN: on a command line everybody may read it.
Result<std::unique_ptr<farm::Queue>> open_farm(
    const FarmOptions& options, std::chrono::milliseconds held_for = std::chrono::seconds(6));

}  // namespace loopglass::app
