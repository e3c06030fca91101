#include "core/kernel_verdict.h"

#include "core/support/hash.h"

#include <fmt/format.h>

namespace loopglass {

std::string KernelVerdict::sentence() const {
  constexpr double much_longer = 1.5;
  // By itself a kernel is timed without the call, which is most of the time of a small one.
  const bool is_call = verdict.bound == roofline::Bound::Launch;
  if (is_call || network_ms < much_longer * verdict.milliseconds) return verdict.sentence;
  return fmt::format(
      "{}; in the network it takes {:.1f} times as long: there its data come from "
      "farther away, or others used the machine meanwhile",
      verdict.sentence, network_ms / verdict.milliseconds);
}

std::string digest_of(const schedule::Trace& schedule) {
  return fmt::format("{:016x}", Hasher().text(to_script(schedule)).digest());
}

}  // namespace loopglass
