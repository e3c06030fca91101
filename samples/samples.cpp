#include "samples/samples.h"

#include "core/onnx/export.h"
#include "core/support/cache_folder.h"
#include "core/support/whole_file.h"
#include "samples/architectures.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::samples {

namespace {

namespace fs = std::filesystem;

// In the cache's path, so that files of older weights or architectures are not taken for today's.
constexpr std::string_view cache_version = "samples-2";

using Build = Result<graph::Graph> (*)(std::int64_t image_size);

Sample fixed(std::string name, std::string title, std::string doc, Build build) {
  return {std::move(name), std::move(title), std::move(doc), 0, build};
}

std::string file_name(const Sample& sample) { return sample.name + ".onnx"; }

// These networks halve their image five times, so sizes are multiples of 32.
Sample for_images(std::string name, std::string title, std::string doc, std::int64_t size,
                  Build build) {
  const auto checked = [=](std::int64_t wanted) -> Result<graph::Graph> {
    const std::int64_t image_size = wanted == 0 ? size : wanted;
    if (image_size < 32 || image_size % 32 != 0 || image_size > 4096)
      return fail(
          Code::UsageInvalid,
          fmt::format("sample '{}' cannot be built for images of size {}", name, image_size), {},
          "image sizes are multiples of 32 up to 4096");
    return build(image_size);
  };
  return {name, std::move(title), std::move(doc), size, checked};
}

}  // namespace

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> samples{
      fixed("mlp", "MLP", "A multi-layer perceptron for 28x28 digits, 784-256-128-10.", mlp),
      fixed("lenet", "LeNet-5",
            "The first convolutional network most people meet (LeCun et al., 1998).", lenet),
      for_images("resnet50", "ResNet-50", "Residual blocks, 50 layers, v1.5 (He et al., 2015).",
                 224, resnet50),
      for_images("mobilenet_v1", "MobileNet-V1",
                 "Depthwise separable convolutions (Howard et al., 2017).", 224, mobilenet_v1),
      for_images("vgg16", "VGG-16",
                 "Plain 3x3 convolutions and large dense layers (Simonyan and Zisserman, 2014).",
                 224, vgg16),
      for_images("efficientnet_b0", "EfficientNet-B0",
                 "Inverted bottlenecks with squeeze-and-excite and swish (Tan and Le, 2019).", 224,
                 efficientnet_b0),
      for_images("yolov4", "YOLO-V4",
                 "An object detector up to its three raw outputs (Bochkovskiy et al., 2020).", 416,
                 yolov4),
      fixed("encoder", "BERT encoder block",
            "Self-attention and feed-forward of BERT-base, 128 positions (Devlin et al., 2018).",
            encoder),
  };
  return samples;
}

const Sample* find_sample(std::string_view name) {
  const auto& samples = all_samples();
  const auto found =
      std::find_if(samples.begin(), samples.end(), [&](const Sample& s) { return s.name == name; });
  return found == samples.end() ? nullptr : &*found;
}

Result<fs::path> sample_path(const Sample& sample) {
  const fs::path folder = TRY(cache_folder()) / cache_version;
  const fs::path file = folder / file_name(sample);
  std::error_code error;
  if (fs::exists(file, error)) return file;
  // Two processes that make it at once do no harm; nor does one that was killed, for long.
  remove_abandoned(folder);
  TRY_VOID(make_folder_of(file));
  TRY_VOID(onnx::write(TRY(sample.build(0)), file));
  return file;
}

Result<onnx::Source> sample_source(const Sample& sample) {
  auto file = sample_path(sample);
  if (file) return onnx::Source(*std::move(file));
  // Whatever was in the way of the file. What is in the way of the network is so again.
  onnx::Source source(file_name(sample));
  source.bytes = std::make_shared<const std::string>(TRY(onnx::serialise(TRY(sample.build(0)))));
  source.note = fmt::format("the sample is made anew each time: {} ({})", file.error().what,
                            file.error().where.empty() ? file.error().hint : file.error().where);
  return source;
}

}  // namespace loopglass::samples
