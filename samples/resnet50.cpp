// ResNet-50 (He, Zhang, Ren and Sun: "Deep Residual Learning for Image Recognition", 2015) in the
// form called v1.5: blocks that halve the image do it in their 3x3 convolution. 25,557,032
// parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

// 1x1 down to `width`, 3x3, 1x1 up to four times that, around a shortcut.
ValueId bottleneck(Network& net, const std::string& name, ValueId x, std::int64_t width,
                   std::int64_t stride) {
  const std::int64_t channels = 4 * width;
  ValueId shortcut = x;
  if (stride != 1 || net.shape(x)[1] != channels) {
    shortcut = net.convolution(name + ".downsample.0", x,
                               {.channels = channels, .kernel = 1, .stride = stride, .gain = 1});
    shortcut = net.batch_normalisation(name + ".downsample.1", shortcut);
  }
  x = net.convolution(name + ".conv1", x, {.channels = width, .kernel = 1});
  x = net.relu(name + ".relu1", net.batch_normalisation(name + ".bn1", x));
  x = net.convolution(name + ".conv2", x, {.channels = width, .kernel = 3, .stride = stride});
  x = net.relu(name + ".relu2", net.batch_normalisation(name + ".bn2", x));
  x = net.convolution(name + ".conv3", x, {.channels = channels, .kernel = 1});
  // Small, as after training: sixteen branches of full strength would add up to huge activations.
  x = net.batch_normalisation(name + ".bn3", x, 0.3f);
  return net.relu(name + ".relu3", net.apply(name + ".add", "Add", {x, shortcut}));
}

}  // namespace

Result<graph::Graph> resnet50(std::int64_t image_size) {
  Network net("resnet50");
  ValueId x = net.input("image", {1, 3, image_size, image_size});
  x = net.convolution("conv1", x, {.channels = 64, .kernel = 7, .stride = 2});
  x = net.relu("relu", net.batch_normalisation("bn1", x));
  x = net.max_pool("maxpool", x, 3, 2, 1);
  const std::int64_t blocks[] = {3, 4, 6, 3};
  for (std::int64_t stage = 0; stage < 4; ++stage)
    for (std::int64_t block = 0; block < blocks[stage]; ++block)
      x = bottleneck(net, fmt::format("layer{}.{}", stage + 1, block), x, 64 << stage,
                     stage > 0 && block == 0 ? 2 : 1);
  x = net.dense("fc", net.pooled_features("avgpool", x), 1000, 1);
  return std::move(net).finish({x});
}

}  // namespace loopglass::samples
