// VGG-16 (Simonyan, Zisserman, 2014), configuration D: 138,357,544 parameters at 224 x 224. The
// first dense layer takes what the image size leaves, so smaller images have fewer parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

graph::Graph vgg16(std::int64_t image_size) {
  Network network("vgg16", 5);
  auto x = network.input("image", {1, 3, image_size, image_size});
  constexpr std::int64_t widths[]{64, 128, 256, 512, 512}, depths[]{2, 2, 3, 3, 3};
  for (int stage = 0; stage < 5; ++stage) {
    for (std::int64_t layer = 1; layer <= depths[stage]; ++layer) {
      const std::string name = fmt::format("conv{}_{}", stage + 1, layer);
      x = network.convolution(x, {.channels = widths[stage], .kernel = 3, .bias = true}, name);
      x = network.add("Relu", {x}, {}, name + ".relu");
    }
    x = network.max_pool(x, 2, 2);
  }
  x = network.add("Flatten", {x}, {}, "flatten");
  for (const char* name : {"fc6", "fc7"}) {
    x = network.add("Relu", {network.dense(x, 4096, name)}, {}, fmt::format("{}.relu", name));
    x = network.add("Dropout", {x}, {}, fmt::format("{}.dropout", name));
  }
  return std::move(network).finish({network.dense(x, 1000, "fc8")});
}

}  // namespace loopglass::samples
