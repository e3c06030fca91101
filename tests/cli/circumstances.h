// Runs loopglassc, or the window, with arguments of whatever bytes, in circumstances of whatever
// kind.
#pragma once

#include "tests/cli/command_line.h"

#include <sys/resource.h>
#include <optional>

namespace loopglass::app {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // and has reserved terabytes of addresses
#else
constexpr bool is_sanitized = false;
#endif

using Words = std::vector<std::string>;

struct Circumstances {
  enum class Output : std::uint8_t { Kept, Full, Closed, NobodyReads };
  Output output = Output::Kept;
  bool input_closed = false, error_closed = false;
  std::map<int, rlim_t> limits = {};  // by resource: RLIMIT_AS
  // Limits on processes do not hold for root.
  bool as_nobody = false;
  std::map<std::string, std::optional<std::string>> environment = {};  // nothing: not set
  // To stand in; empty: where out and error are kept, for some of the words make files.
  std::filesystem::path folder = {};
  bool folder_removed = false;
};

// What a shell would show of the words.
std::string in_words(const Words& words);

// Like Said; `signal`: what ended it, 0 for none. Whatever takes longer than two minutes is ended.
struct Ended : Said {
  int signal = 0;
};
Ended run_in(const Circumstances& circumstances, const std::filesystem::path& program,
             const Words& words, const std::filesystem::path& scratch);

}  // namespace loopglass::app
