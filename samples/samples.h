// Sample networks, built by code with seeded weights, true to the published architectures.
#pragma once

#include "core/onnx/import.h"

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

// The sample as an ONNX file in the cache folder (support/cache_folder.h), written on first use,
// whole or not at all. FileUnwritable.
Result<std::filesystem::path> sample_path(const Sample& sample);
// To open it: that file, or where none can be written its bytes, with a note that says so.
Result<onnx::Source> sample_source(const Sample& sample);

}  // namespace loopglass::samples
