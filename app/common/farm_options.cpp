#include "app/common/farm_options.h"

#include "app/common/numbers.h"

#include <fmt/format.h>
#include <unistd.h>
#include <cstdlib>

namespace loopglass::app {

void add_farm_address(Command command, FarmOptions& options, const std::string& name) {
  command
      .add_option(name, options.url,
                  "the farm's server: nats://HOST:PORT, or tls://HOST:PORT; over a network with "
                  "its token in LOOPGLASS_FARM_TOKEN")
      .check(not_blank())
      .type_name("URL");
  command
      .add_option("--farm-ca", options.ca_file,
                  "certificates in PEM form that the server's is signed by (default: the system's)")
      .check(not_blank())
      .type_name("FILE");
}

namespace {

farm::Address address_of(const FarmOptions& options) {
  const char* token = std::getenv("LOOPGLASS_FARM_TOKEN");
  return {options.url, token ? token : "", options.ca_file};
}

}  // namespace

Result<void> check_address(const FarmOptions& options) {
  return options.url.empty() ? Result<void>() : farm::check(address_of(options));
}

Result<std::unique_ptr<farm::Queue>> open_farm(const FarmOptions& options,
                                               std::chrono::milliseconds held_for) {
  return farm::Queue::open(address_of(options), fmt::format("loopglassc {}", ::getpid()), held_for);
}

}  // namespace loopglass::app
