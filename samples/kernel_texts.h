// The files of samples/kernels, as they were when this was built (core/support/texts.cmake).
#pragma once

#include <span>
#include <string_view>

namespace loopglass::samples {

struct KernelFile {
  std::string_view name;  // "matmul.te"
  std::string_view text;
};
std::span<const KernelFile> kernel_files();

}  // namespace loopglass::samples
