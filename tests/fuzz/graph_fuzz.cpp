// Graphs as text.
#include "core/graph/text.h"
#include "tests/fuzz/round_trip.h"

using namespace loopglass;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::round_trip(
      fuzz::text_of(data, size), [](std::string_view text) { return graph::parse(text); },
      [](const graph::Graph& graph) {
        graph::to_json(graph);
        return graph::to_text(graph, {.constant_elements = -1});
      });
  return 0;
}
