// What the sample networks are called.
#pragma once

#include "samples/samples.h"

namespace loopglass::test {

inline std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const samples::Sample& sample : samples::all_samples()) names.push_back(sample.name);
  return names;
}

}  // namespace loopglass::test
