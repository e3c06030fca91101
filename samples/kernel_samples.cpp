#include "samples/kernel_samples.h"

#include "samples/kernel_texts.h"

#include <algorithm>

namespace loopglass::samples {

namespace {

// The first line of a text is a comment, "// Title: sentence."
KernelSample described(const KernelFile& file) {
  const std::filesystem::path path(file.name);
  std::string_view line = file.text.substr(0, file.text.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of("/ "), line.size()));
  const std::size_t colon = line.find(": ");
  return {path.stem().string(), std::string(line.substr(0, colon)), std::string(line),
          path.extension().string(), file.text};
}

}  // namespace

const std::vector<KernelSample>& all_kernel_samples() {
  static const std::vector<KernelSample> samples = [] {
    std::vector<KernelSample> result;
    for (const KernelFile& file : kernel_files()) result.push_back(described(file));
    return result;
  }();
  return samples;
}

const KernelSample* find_kernel_sample(std::string_view name) {
  const auto& samples = all_kernel_samples();
  const auto found = std::ranges::find(samples, name, &KernelSample::name);
  return found == samples.end() ? nullptr : &*found;
}

onnx::Source kernel_sample_source(const KernelSample& sample) {
  onnx::Source source(std::filesystem::path(sample.name + sample.extension));
  source.bytes = std::make_shared<const std::string>(sample.text);
  return source;
}

}  // namespace loopglass::samples
