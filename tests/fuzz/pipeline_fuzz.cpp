// Pipelines of graph passes, where they stop, and breakpoints.
#include "core/pass/breakpoints.h"
#include "core/pass/pipeline.h"
#include "tests/fuzz/round_trip.h"

#include <array>

using namespace loopglass;

static const std::vector<pass::PassInfo>& passes() {
  static const std::vector<pass::PassInfo> all = [] {
    std::vector<pass::PassInfo> infos;
    for (const char* name : {"simplify", "fold-constants", "remove-dead-nodes"}) {
      infos.emplace_back();
      infos.back().name = name;
    }
    return infos;
  }();
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<pass::Preset> presets{
      {"tidy", "simplify, (fold-constants, remove-dead-nodes)*", ""}};
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::round_trip(
      text, [](std::string_view part) { return pass::parse_pipeline(part, passes(), presets); },
      [](const pass::Pipeline& pipeline) { return to_text(pipeline); });
  fuzz::round_trip(text, pass::parse_stop_after,
                   [](const pass::StopAfter& stop) { return to_text(stop); });
  fuzz::round_trip(text, pass::parse_breakpoint, [](const pass::Breakpoint& breakpoint) {
    in_words(breakpoint);
    return to_text(breakpoint);
  });
  pass::complete_breakpoint(text, size / 2, passes());
  return 0;
}
