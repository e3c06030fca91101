#include "app/window/options.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace loopglass::app {
namespace {

// "1x3x224x224"
std::optional<Shape> parse_extents(std::string_view text) {
  Shape shape;
  while (!text.empty()) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || extent < 0) return {};
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text.front() != 'x' || text.size() == 1) return {};
    text.remove_prefix(1);
  }
  return {};
}

}  // namespace

std::optional<QSize> parse_size(const std::string& text) {
  const auto extents = parse_extents(text);
  constexpr std::int64_t smallest = 320, largest = 16384;
  if (!extents || extents->size() != 2) return {};
  for (const std::int64_t extent : *extents)
    if (extent < smallest || extent > largest) return {};
  return QSize(static_cast<int>((*extents)[0]), static_cast<int>((*extents)[1]));
}

bool parse_shape(const std::string& text, std::map<std::string, Shape>& shapes) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) return false;
  const auto shape = parse_extents(std::string_view(text).substr(equals + 1));
  if (!shape) return false;
  shapes[text.substr(0, equals)] = *shape;
  return true;
}

ParsedOptions parse_options(int argc, char** argv) {
  WindowOptions options;
  CLI::App app{"Loopglass: a tensor compiler in a glass case"};
  app.set_version_flag("--version", LOOPGLASS_VERSION);
  std::string model, screenshot, size, workspace, select, tone;
  std::vector<std::string> shapes;
  std::size_t step = 0;
  app.add_option("model", model, "an ONNX file, or the name of a sample (mlp, lenet, resnet50, encoder, ...)");
  app.add_option("--shape", shapes, "binds an input's shape: name=1x3x224x224; may be repeated");
  app.add_option("--screenshot", screenshot, "render the window to this PNG file, without a display, and exit");
  app.add_option("--size", size, "size of the window: 1600x1000");
  app.add_option("--workspace", workspace, "arrangement of the panes: explore, lowering, benchmark, overview");
  app.add_option("--select", select, "select the node, kernel or value of this name");
  auto* step_option = app.add_option("--step", step, "show the graph after this many passes (0: as imported)");
  app.add_option("--theme", tone, "dark or light")->check(CLI::IsMember({"dark", "light"}));
  app.add_flag("--benchmark", options.benchmark, "measure the network once it is open");
  try {
    app.parse(argc, argv);
    for (const std::string& shape : shapes)
      if (!parse_shape(shape, options.shapes)) throw CLI::ValidationError("--shape", "'" + shape + "' is not name=1x3x224x224");
    if (!size.empty()) {
      const auto parsed = parse_size(size);
      if (!parsed) throw CLI::ValidationError("--size", "'" + size + "' is not WIDTHxHEIGHT, each 320 to 16384");
      options.size = *parsed;
    }
  } catch (const CLI::ParseError& error) {
    return {{}, app.exit(error) == 0 ? 0 : 2};
  }
  options.model = QString::fromStdString(model);
  options.screenshot = QString::fromStdString(screenshot);
  options.workspace = QString::fromStdString(workspace);
  options.select = QString::fromStdString(select);
  if (step_option->count() > 0) options.step = step;
  if (!tone.empty()) options.tone = tone == "dark" ? views::Tone::Dark : views::Tone::Light;
  return {std::move(options), {}};
}

}  // namespace loopglass::app
