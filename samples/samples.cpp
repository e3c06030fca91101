#include "samples/samples.h"

#include "core/onnx/export.h"
#include "samples/architectures.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace loopglass::samples {

namespace {

Sample fixed(std::string name, std::string title, std::string doc, graph::Graph (*build)()) {
  return {std::move(name), std::move(title), std::move(doc), 0,
          [build](std::int64_t) -> Result<graph::Graph> { return build(); }};
}

// The networks halve their image five times, so sizes are multiples of 32.
Sample for_images(std::string name, std::string title, std::string doc, std::int64_t size,
                  graph::Graph (*build)(std::int64_t)) {
  return {name, std::move(title), std::move(doc), size,
          [name, size, build](std::int64_t wanted) -> Result<graph::Graph> {
            const std::int64_t image_size = wanted == 0 ? size : wanted;
            if (image_size < 32 || image_size % 32 != 0 || image_size > 4096)
              return fail(Code::UsageInvalid, fmt::format("sample '{}' cannot be built for images of size {}", name, image_size), {},
                          "image sizes are multiples of 32 up to 4096");
            return build(image_size);
          }};
}

std::filesystem::path cache_folder() {
  if (const char* own = std::getenv("LOOPGLASS_CACHE"); own != nullptr && *own != '\0') return own;
  if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared != nullptr && *shared != '\0')
    return std::filesystem::path(shared) / "loopglass";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache" / "loopglass";
}

// Bumped whenever an architecture changes, so that an old file is not mistaken for it.
constexpr int samples_version = 1;

}  // namespace

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> samples{
      fixed("mlp", "MLP", "A multi-layer perceptron for 28x28 digits, 784-256-128-10.", mlp),
      fixed("lenet", "LeNet-5", "LeNet-5 (LeCun et al., 1998) with ReLU and max pooling.", lenet),
      for_images("resnet50", "ResNet-50", "ResNet-50 v1.5 (He et al., 2015).", 224, resnet50),
      for_images("mobilenet_v1", "MobileNet-V1", "MobileNet-V1 1.0 (Howard et al., 2017).", 224, mobilenet_v1),
      for_images("vgg16", "VGG-16", "VGG-16, configuration D (Simonyan, Zisserman, 2014).", 224, vgg16),
      for_images("efficientnet_b0", "EfficientNet-B0", "EfficientNet-B0 (Tan, Le, 2019).", 224, efficientnet_b0),
      for_images("yolov4", "YOLO-V4", "YOLO-V4 for COCO (Bochkovskiy et al., 2020), three raw heads.", 416, yolov4),
      fixed("encoder", "BERT encoder block", "One encoder block of BERT-base (Devlin et al., 2018), 128 positions.", encoder),
  };
  return samples;
}

const Sample* find_sample(std::string_view name) {
  for (const Sample& sample : all_samples())
    if (sample.name == name) return &sample;
  return nullptr;
}

Result<std::filesystem::path> sample_path(const Sample& sample) {
  const std::filesystem::path folder = cache_folder() / "samples";
  const std::filesystem::path path = folder / fmt::format("{}.v{}.onnx", sample.name, samples_version);
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  std::filesystem::create_directories(folder, error);
  if (error)
    return fail(Code::FileUnwritable, fmt::format("cannot create the folder for samples: {}", error.message()), folder.string(),
                "set LOOPGLASS_CACHE to a folder that can be written");
  const graph::Graph graph = TRY(sample.build(0));
  // Written beside it and renamed, so that nobody ever opens half a file.
  const std::filesystem::path partial = fmt::format("{}.{}.part", path.string(), ::getpid());
  if (auto written = onnx::write(graph, partial); !written) {
    std::filesystem::remove(partial, error);
    return std::unexpected(written.error());
  }
  std::filesystem::rename(partial, path, error);
  if (error) return fail(Code::FileUnwritable, fmt::format("cannot finish the sample's file: {}", error.message()), path.string());
  return path;
}

}  // namespace loopglass::samples
