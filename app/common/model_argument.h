// How a person names a model and the shapes of its inputs, on either face.
#pragma once

#include "core/onnx/import.h"

#include <map>

namespace loopglass::app {

// A file, a folder with model.onnx in it, or the name of a sample (made on first use).
// ModelUnreadable or SampleUnknown, which lists the samples.
Result<onnx::Source> find_model(const std::string& argument);

// "name=1x3x224x224" for each input; "name=scalar" for rank 0. UsageInvalid.
Result<std::map<std::string, Shape>> parse_shapes(const std::vector<std::string>& arguments);
// "n=1000" for each symbol. UsageInvalid.
Result<std::map<std::string, std::int64_t>> parse_symbols(
    const std::vector<std::string>& arguments);

}  // namespace loopglass::app
