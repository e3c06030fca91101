// What bench has found out, as text and as JSON.
#pragma once

#include "core/timed_ceilings.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <vector>

namespace loopglass::app {

struct BenchResults {
  runtime::BenchmarkReport report;
  std::optional<runtime::Statistics> one_thread = {};       // the network's, where it was asked for
  std::optional<roofline::Roofs> roofs = {};                // as many threads'
  std::vector<std::optional<TimedCeilings>> ceilings = {};  // by the report's kernels; or none
};
// What of it is shown, and by what names.
struct BenchListing {
  Session& session;
  std::string asked;  // model_words, for commands that ask for more
  const fusion::Plan& plan;
  const graph::Graph& graph;
  const fusion::Group* kernel = nullptr;  // that alone, with all that is known of it; null: all
  std::size_t most = 0;                   // of the text's list, the slowest first
};

void print(const BenchResults& results, const BenchListing& listing);
nlohmann::ordered_json to_json(const BenchResults& results, const BenchListing& listing);

}  // namespace loopglass::app
