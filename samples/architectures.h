// One function a network, each in the file of its name. Networks that are not for images, or for
// one size only, leave the size unused.
#pragma once

#include "core/graph/graph.h"
#include "core/support/result.h"

namespace loopglass::samples {

Result<graph::Graph> mlp(std::int64_t);
Result<graph::Graph> lenet(std::int64_t);
Result<graph::Graph> resnet50(std::int64_t image_size);
Result<graph::Graph> mobilenet_v1(std::int64_t image_size);
Result<graph::Graph> vgg16(std::int64_t image_size);
Result<graph::Graph> efficientnet_b0(std::int64_t image_size);
Result<graph::Graph> yolov4(std::int64_t image_size);
Result<graph::Graph> encoder(std::int64_t);

}  // namespace loopglass::samples
