#include "app/window/options.h"

#include "app/common/arguments.h"
#include "app/common/exit_codes.h"
#include "app/common/help.h"
#include "app/common/model_argument.h"
#include "app/common/numbers.h"
#include "app/common/standard_streams.h"
#include "app/common/usage.h"
#include "app/window/workspaces.h"
#include "passes/pipeline.h"
#include "views/fusion/fusion_view.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <sstream>

namespace loopglass::app {
namespace {

std::vector<std::string> workspace_names() {
  std::vector<std::string> names;
  for (const Workspace& workspace : all_workspaces()) names.push_back(workspace.name.toStdString());
  return names;
}

// Without the one that makes a partition by hand: of that there is nothing yet.
std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const fusion::Strategy& strategy : passes::toolchain().strategies)
    if (strategy.name != "manual") names.push_back(strategy.name);
  return names;
}

std::vector<std::string> tab_names() {
  std::vector<std::string> names;
  for (const QString& name : views::FusionView::tab_names()) names.push_back(name.toStdString());
  return names;
}

constexpr const char* footer =
    R"(MODEL is a session where it ends in .loopglass. What the window shows, loopglassc prints.

Exit codes: 0 good, 2 usage, 3 a diagnostic (of a file, a model, this machine), 70 a defect of ours.)";

// --help and --version are such "errors" too.
int explain(const CLI::App& app, const CLI::ParseError& problem) {
  std::ostringstream help, ignored;
  if (app.exit(problem, help, ignored) == 0) {
    fmt::print("{}", help.str());
    return 0;
  }
  tell(usage_problem(app, problem));
  return static_cast<int>(Exit::Usage);
}

}  // namespace

std::optional<QSize> parse_size(const std::string& text) {
  constexpr int smallest = 320, largest = 16384;
  int extents[2] = {};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 2; ++i) {
    if (i == 1 && (at == end || *at++ != 'x')) return {};
    const auto [next, error] = std::from_chars(at, end, extents[i]);
    if (error != std::errc() || extents[i] < smallest || extents[i] > largest) return {};
    at = next;
  }
  if (at != end) return {};
  return QSize(extents[0], extents[1]);
}

ParsedOptions parse_options(int argc, char** argv) {
  WindowOptions options;
  CLI::App app{"Loopglass: a tensor compiler in a glass case", "loopglass"};
  set_help(app);
  app.set_help_flag("-h,--help", "explains the options");
  app.set_version_flag("--version", LOOPGLASS_VERSION, "which this is");
  app.footer(footer);
  std::string model, screenshot, size, workspace, tab, select, tone;
  std::vector<std::string> shapes, symbols;
  std::string step;
  const Command command(app);
  command
      .add_option("model", model,
                  "an ONNX file, a folder with a model.onnx, a sample (mlp, resnet50, ...), or a "
                  "session; without it the window comes up as it was left")
      .type_name("MODEL");
  command.add_flag("--fresh", options.fresh,
                   "comes up with the start page, whatever was open last");
  command.add_list("--shape", shapes, "binds an input's shape: name=1x3x224x224", Entries::Bindings)
      .type_name("NAME=SHAPE");
  command
      .add_list("--set", symbols,
                "extent of a symbolic dimension, or the value of an input that is one whole "
                "number: rate=16000",
                Entries::Bindings)
      .type_name("NAME=N");
  command
      .add_option("--screenshot", screenshot,
                  "renders the window to this PNG file, without a display, and ends")
      .check(not_blank())
      .type_name("FILE");
  command.add_option("--size", size, "of the window: 1600x1000").type_name("WxH");
  command.add_option("--workspace", workspace, "arrangement of the panes")
      .check(one_of(workspace_names()))
      .type_name("NAME");
  command.add_option("--tab", tab, "page of the fusion pane")
      .check(one_of(tab_names()))
      .type_name("NAME");
  command.add_option("--strategy", options.strategy, "fusion strategy")
      .check(one_of(strategy_names()))
      .type_name("NAME");
  command.add_option("--select", select, "selects the node, kernel or value of this name")
      .type_name("NAME");
  command
      .add_option("--step", step,
                  "shows the graph there: after this many passes, a pass, or in the middle of one "
                  "(3, fold-batch-norm:2)")
      .type_name("PLACE");
  command.add_option("--theme", tone, "colours").check(one_of({"dark", "light"})).type_name("TONE");
  command.add_flag("--benchmark", options.benchmark, "measures the network once it is open");
  try {
    app.parse(argc, argv);
    if (app.count("--step") > 0 && step.empty())
      throw CLI::ValidationError("--step", "'' is no place in the history");
    const auto parsed = [](auto bindings) {
      if (!bindings)
        throw CLI::ValidationError(bindings.error().where,
                                   bindings.error().what + "; " + bindings.error().hint);
      return *std::move(bindings);
    };
    options.inputs = {parsed(parse_shapes(shapes)), parsed(parse_symbols(symbols))};
    if (!size.empty()) {
      const auto parsed = parse_size(size);
      if (!parsed)
        throw CLI::ValidationError("--size",
                                   "'" + size + "' is not WIDTHxHEIGHT, each 320 to 16384");
      options.size = *parsed;
    }
  } catch (const CLI::ParseError& error) {
    return {{}, explain(app, error)};
  }
  options.model = QString::fromStdString(model);
  options.screenshot = QString::fromStdString(screenshot);
  options.workspace = QString::fromStdString(workspace);
  options.tab = QString::fromStdString(tab);
  options.select = QString::fromStdString(select);
  options.step = step;
  if (!tone.empty()) options.tone = tone == "dark" ? views::Tone::Dark : views::Tone::Light;
  return {std::move(options), {}};
}

}  // namespace loopglass::app
