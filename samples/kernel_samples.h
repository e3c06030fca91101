// Sample kernels, as text (samples/kernels): what opens without a network.
#pragma once

#include "core/onnx/import.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopglass::samples {

struct KernelSample {
  std::string name;       // "matmul"
  std::string title;      // "Matrix product"
  std::string doc;        // one sentence, from the first line of the text
  std::string extension;  // ".te" or ".loops"
  std::string_view text;
};

const std::vector<KernelSample>& all_kernel_samples();
const KernelSample* find_kernel_sample(std::string_view name);
onnx::Source kernel_sample_source(const KernelSample& sample);

}  // namespace loopglass::samples
