// Ten convolutions of ResNet-50, which tuners are measured by (AL-Ansor's T1 to T10): square images
// and windows.
#pragma once

#include <cstdint>

namespace loopglass {

struct Layer {
  const char* name;
  std::int64_t size, channels, window, filters, stride, pad;
};
inline constexpr Layer layers[] = {
    {"T1", 224, 3, 7, 64, 2, 3},    {"T2", 56, 64, 1, 256, 1, 0},   {"T3", 56, 64, 1, 64, 1, 0},
    {"T4", 56, 64, 3, 64, 1, 1},    {"T5", 56, 256, 1, 64, 1, 0},   {"T6", 28, 128, 3, 128, 1, 1},
    {"T7", 14, 256, 1, 1024, 1, 0}, {"T8", 14, 1024, 1, 256, 1, 0}, {"T9", 14, 1024, 1, 512, 2, 0},
    {"T10", 7, 512, 3, 512, 1, 1},
};

}  // namespace loopglass
