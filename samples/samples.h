// Sample networks, built by code with seeded weights, true to the published architectures.
#pragma once

#include "core/graph/graph.h"
#include "core/support/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::samples {

struct Sample {
  std::string name;         // "resnet50"
  std::string title;        // "ResNet-50"
  std::string doc;          // one sentence with the source of the architecture
  std::int64_t image_size;  // default height and width (0: not an image network)
  // `image_size` 0 takes the default; smaller ones make the interpreter affordable.
  std::function<Result<graph::Graph>(std::int64_t image_size)> build;
};

const std::vector<Sample>& all_samples();
const Sample* find_sample(std::string_view name);

// The sample as an ONNX file in the cache folder ($LOOPGLASS_CACHE, else $XDG_CACHE_HOME/loopglass,
// else ~/.cache/loopglass), written on first use, atomically.
Result<std::filesystem::path> sample_path(const Sample& sample);

}  // namespace loopglass::samples
