// Filters of operators and of verdicts, in whole, and what is offered while they are typed.
#include "core/fusion/decision_filter.h"
#include "core/graph/node_filter.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  for (const FilterSchema* schema : {&graph::node_fields(), &fusion::decision_fields()}) {
    fuzz::round_trip(
        text, [&](std::string_view part) { return parse_filter(part, *schema); },
        [&](const Filter& filter) {
          in_words(filter, *schema);
          return to_text(filter);
        });
    for (const std::size_t cursor : {std::size_t{0}, size / 2, size}) {
      const Completions offered = complete_filter(text, cursor, *schema);
      fuzz::require(offered.begin <= offered.end && offered.end <= size,
                    "completes what is not there", text);
    }
  }
  return 0;
}
