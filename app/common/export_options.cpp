#include "app/common/export_options.h"

#include "app/common/numbers.h"
#include "app/common/place.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <filesystem>

namespace loopglass::app {

namespace {

struct Kind {
  const char* name;
  Exported what;
  std::vector<FileFormat> formats;
};
const std::vector<Kind>& kinds() {
  static const std::vector<FileFormat> drawn{FileFormat::Svg, FileFormat::Pdf, FileFormat::Png};
  static const std::vector<Kind> list{
      {"graph", Exported::Graph, drawn},       {"domtree", Exported::Dominators, drawn},
      {"memory", Exported::Memory, drawn},     {"bench", Exported::Rounds, drawn},
      {"roofline", Exported::Roofline, drawn}, {"html", Exported::Page, {FileFormat::Html}}};
  return list;
}

constexpr std::array<std::pair<const char*, FileFormat>, 5> endings{{{".svg", FileFormat::Svg},
                                                                     {".pdf", FileFormat::Pdf},
                                                                     {".png", FileFormat::Png},
                                                                     {".html", FileFormat::Html},
                                                                     {".htm", FileFormat::Html}}};

// Of these, boxes say how long kernels took.
constexpr std::array<std::string_view, 3> timed_colors{"time", "speed", "model"};

std::string ending_of(const std::string& file) {
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

const Kind& kind_of(Exported what) {
  return *std::find_if(kinds().begin(), kinds().end(),
                       [&](const Kind& kind) { return kind.what == what; });
}

}  // namespace

void add_export_options(Command command, ExportOptions& options) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  command
      .add_option(
          "what", options.what,
          "graph, domtree, memory, bench (times of the network, round by round, which are taken "
          "now) and roofline (kernels under the roofs of this machine, timed now) as a drawing: "
          ".svg, .pdf or .png; html: all of it as a page for a browser")
      .required()
      .check(one_of(names))
      .type_name("WHAT");
  add_model(command, options.model).required();
  add_plan(command, options.model);
  command.add_option("-o,--output", options.file, "what to write; its ending says in which form")
      .required()
      .check(not_blank())
      .type_name("FILE");
  add_place(command, "--step", options.step,
            "graph, domtree, html: there in the history of the graph passes");
  command
      .add_option("--fold", options.fold,
                  "graph: folded to blocks that repeat, to what shares a name, or to a box for "
                  "every kernel")
      .check(one_of({"blocks", "names", "kernels"}));
  command
      .add_option("--color", options.color,
                  "graph: boxes in the colours of what they cost; time, speed (GFLOP/s) and model "
                  "(estimated over "
                  "measured) are timed now")
      .check(one_of({"time", "speed", "model", "bytes", "memory"}));
  command.add_flag("--no-columns", options.no_columns, "graph: in one column, however tall");
  command.add_flag(
      "--steady", options.steady,
      "graph: with the room that all steps take, so that what is in two of them stands "
      "in the same place in both pictures");
  command.add_flag("--post", options.post, "domtree: post-dominators");
  command
      .add_option("--kernel", options.kernel,
                  "roofline: one kernel, by name or number, with the trail of its schedule's steps")
      .check(not_blank())
      .type_name("NAME");
  command.add_flag("--time", options.time, "html: times every kernel, for the page to say");
  command
      .add_option("--threads", options.threads,
                  "what is timed runs on so many; as many as run at once here, and one with "
                  "--color model, where it is not said")
      .check(whole_number(1, 1000000));
  command.add_option("--rounds", options.rounds, "what is timed runs so often")
      .check(whole_number(1, 1000000))
      .default_str(std::to_string(ExportOptions::usual_rounds));
}

Result<void> check_export_options(const ExportOptions& options) {
  const Exported what = exported(options.what);
  const bool is_graph = what == Exported::Graph, is_page = what == Exported::Page,
             is_tree = what == Exported::Dominators;
  const bool is_timed =
      what == Exported::Rounds || (is_page && options.time) ||
      (is_graph && std::ranges::find(timed_colors, options.color) != timed_colors.end());
  struct Row {
    const char* name;
    bool is_given, has_use;
    const char* use;
  };
  constexpr const char* timed =
      "what is timed: bench, roofline, html --time, and graph --color time, speed or model";
  for (const auto& [name, is_given, has_use, use] :
       {Row{"--fold", !options.fold.empty(), is_graph, "the drawing of a graph"},
        Row{"--color", !options.color.empty(), is_graph, "the drawing of a graph"},
        Row{"--no-columns", options.no_columns, is_graph, "the drawing of a graph"},
        Row{"--steady", options.steady, is_graph && options.fold.empty(),
            "the drawing of a graph that is not folded"},
        Row{"--step", !options.step.empty(), is_graph || is_tree || is_page,
            "graph, domtree and html"},
        Row{"--post", options.post, is_tree, "domtree"},
        Row{"--kernel", !options.kernel.empty(), what == Exported::Roofline, "roofline"},
        Row{"--time", options.time, is_page, "html"},
        Row{"--threads", options.threads > 0, is_timed || what == Exported::Roofline, timed},
        Row{"--rounds", options.rounds.has_value(), is_timed,
            "what is timed by rounds: bench, html --time, and graph --color time, speed or "
            "model"}})
    if (is_given && !has_use)
      return fail(Code::UsageInvalid, fmt::format("{} is about {}", name, use), name,
                  "leave it out");
  if (is_tree)
    TRY_VOID(refuse_switches(options.model, plan_switches, "a dominator tree", "leave it out"));
  if (options.color == "model" && options.threads > 1)
    return fail(Code::UsageInvalid, "--color model is of one thread, which is what is estimated",
                "--threads", "leave it out");
  return {};
}

Exported exported(const std::string& what) {
  return std::find_if(kinds().begin(), kinds().end(),
                      [&](const Kind& kind) { return kind.name == what; })
      ->what;
}

Result<FileFormat> file_format(Exported what, const std::string& file) {
  const Kind& kind = kind_of(what);
  const auto can_be = [&](FileFormat format) {
    return std::find(kind.formats.begin(), kind.formats.end(), format) != kind.formats.end();
  };
  const std::string ending = ending_of(file);
  std::vector<std::string> possible;
  for (const auto& [known, format] : endings) {
    if (!can_be(format)) continue;
    if (known == ending) return format;
    possible.emplace_back(known);
  }
  return fail(Code::ExportFormUnknown,
              ending.empty()
                  ? fmt::format("'{}' has no ending that says in which form to write it", file)
                  : fmt::format("{} cannot be written as '{}'", kind.name, ending),
              "--output", fmt::format("the file's name ends in {}", fmt::join(possible, ", ")));
}

}  // namespace loopglass::app
