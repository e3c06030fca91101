// The sample architectures, one a file. Image networks take the height and width of their input.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::samples {

graph::Graph mlp();
graph::Graph lenet();
graph::Graph resnet50(std::int64_t image_size);
graph::Graph mobilenet_v1(std::int64_t image_size);
graph::Graph vgg16(std::int64_t image_size);
graph::Graph efficientnet_b0(std::int64_t image_size);
graph::Graph yolov4(std::int64_t image_size);
graph::Graph encoder();

}  // namespace loopglass::samples
