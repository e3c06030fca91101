#include "app/common/model_argument.h"

#include "app/common/vocabulary.h"
#include "core/support/suggestion.h"
#include "samples/kernel_samples.h"
#include "samples/samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <charconv>
#include <optional>

namespace loopglass::app {

namespace {

std::optional<Shape> parse_extents(std::string_view text) {
  Shape shape;
  if (text == "scalar") return shape;
  for (;;) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

}  // namespace

Result<onnx::Source> find_model(const std::string& argument) {
  const std::filesystem::path path(argument);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path / "model.onnx", error))
      return fail(Code::ModelUnreadable, "there is no model.onnx in the folder", argument);
    return path / "model.onnx";
  }
  if (std::filesystem::exists(path, error)) return path;
  if (const samples::Sample* sample = samples::find_sample(argument))
    return samples::sample_source(*sample);
  if (const samples::KernelSample* sample = samples::find_kernel_sample(argument))
    return samples::kernel_sample_source(*sample);
  if (path.has_parent_path() || path.has_extension())
    return fail(Code::ModelUnreadable, "there is no such file", argument);
  return fail(Code::SampleUnknown,
              fmt::format("there is no file and no sample named '{}'", argument), {},
              did_you_mean(argument, sample_names(),
                           fmt::format("samples: {}", fmt::join(sample_names(), ", "))));
}

Result<std::map<std::string, Shape>> parse_shapes(const std::vector<std::string>& arguments) {
  std::map<std::string, Shape> shapes;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.rfind('=');
    const auto shape = equals == std::string::npos
                           ? std::nullopt
                           : parse_extents(std::string_view(argument).substr(equals + 1));
    if (equals == 0 || !shape)
      return fail(Code::UsageInvalid, fmt::format("'{}' does not bind a shape", argument),
                  "--shape", "write name=1x3x224x224");
    if (!shapes.emplace(argument.substr(0, equals), *shape).second)
      return fail(Code::UsageInvalid,
                  fmt::format("input '{}' is given two shapes", argument.substr(0, equals)),
                  "--shape");
  }
  return shapes;
}

Result<std::map<std::string, std::int64_t>> parse_symbols(
    const std::vector<std::string>& arguments) {
  std::map<std::string, std::int64_t> symbols;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.rfind('=');
    std::int64_t value = 0;
    const char* const end = argument.data() + argument.size();
    const auto [stop, error] = equals == std::string::npos
                                   ? std::from_chars_result{end, std::errc::invalid_argument}
                                   : std::from_chars(argument.data() + equals + 1, end, value);
    if (equals == 0 || error != std::errc() || stop != end)
      return fail(Code::UsageInvalid,
                  fmt::format("'{}' sets no dimension or input to a whole number", argument),
                  "--set", "write n=1000; of a switch 0 or 1");
    if (!symbols.emplace(argument.substr(0, equals), value).second)
      return fail(Code::UsageInvalid, fmt::format("'{}' is set twice", argument.substr(0, equals)),
                  "--set");
  }
  return symbols;
}

}  // namespace loopglass::app
