// VGG-16 (Simonyan and Zisserman: "Very Deep Convolutional Networks for Large-Scale Image
// Recognition", 2014), configuration D. 138,357,544 parameters at 224 x 224; the first dense layer
// shrinks with the image.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

Result<graph::Graph> vgg16(std::int64_t image_size) {
  Network net("vgg16");
  ValueId x = net.input("image", {1, 3, image_size, image_size});
  struct Stage {
    int convolutions;
    std::int64_t channels;
  };
  int stage_number = 0;
  for (const auto& [convolutions, channels] :
       {Stage{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}}) {
    ++stage_number;
    for (int i = 1; i <= convolutions; ++i) {
      const std::string layer = fmt::format("{}_{}", stage_number, i);
      x = net.relu(
          "relu" + layer,
          net.convolution("conv" + layer, x, {.channels = channels, .kernel = 3, .bias = true}));
    }
    x = net.max_pool(fmt::format("pool{}", stage_number), x, 2, 2);
  }
  x = net.apply("flatten", "Flatten", {x}, {{"axis", std::int64_t{1}}});
  for (const std::string layer : {"6", "7"}) {
    x = net.relu("relu" + layer, net.dense("fc" + layer, x, 4096));
    x = net.apply("dropout" + layer, "Dropout", {x});
  }
  return std::move(net).finish({net.dense("fc8", x, 1000, 1)});
}

}  // namespace loopglass::samples
