// Runs loopglassc, or the window, with arguments of whatever bytes, in circumstances of whatever
// kind.
#pragma once

#include <sys/resource.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::app {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // and has reserved terabytes of addresses
#else
constexpr bool is_sanitized = false;
#endif

using Json = nlohmann::json;
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

struct Said {
  int exit_code = -1;
  int signal = 0;  // what ended it, 0 for none
  std::string out, error;
  Json json() const { return Json::parse(out); }
};

// The command line that these tests are themselves (main.cpp): loading it takes 45 ms, which most
// commands do not.
inline const std::filesystem::path command_line_here = {};

// What the program says, which is kept in files of `scratch` meanwhile. Whatever takes longer than
// five minutes is ended.
Said run_in(const Circumstances& circumstances, const std::filesystem::path& program,
            const Words& words, const std::filesystem::path& scratch);

}  // namespace loopglass::app
