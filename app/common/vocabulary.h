// What there is to name on a command line: for what offers names and for what looks for the
// nearest.
#pragma once

#include <string>
#include <vector>

namespace loopglass::app {

std::vector<std::string> sample_names();      // networks, then kernels
std::vector<std::string> graph_pass_names();  // and of no loop pass
std::vector<std::string> pass_names();        // of graph and loop passes
std::vector<std::string> pipeline_words();    // "@canonical", and graph passes
std::vector<std::string> place_words();       // of a history: "input", "last", graph passes
std::vector<std::string> strategy_names();    // of fusion

}  // namespace loopglass::app
