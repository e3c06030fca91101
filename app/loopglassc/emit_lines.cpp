#include "app/loopglassc/emit_lines.h"

#include "app/common/remarks.h"
#include "app/common/table.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using measure::CodeRegion;

// Of the kernel's time: a line or a loop that takes less is left out where only the hot is shown.
constexpr double hot_line = 0.001, hot_region = 0.01;

std::string percent(double share) {
  return share > 0 ? fmt::format("{:.1f}%", 100 * share) : std::string();
}

class Printer {
 public:
  Printer(const Emitted& shown, const graph::Graph& graph, const EmitView& view)
      : shown_(shown), view_(view), beside_(shown, graph, view.hot) {
    if (!view.annotate) return;
    constexpr std::size_t widest = 32;
    for (std::size_t line = 0; line < shown.lines.size(); ++line)
      width_ = std::max(width_, std::min(widest, columns_of(beside_.names_of(line))));
  }

  void print() {
    if (view_.hot) print_shares();
    if (view_.annotate && shown_.nest && !shown_.is_nest) print_nest();
    if (view_.hot && !shown_.is_nest) return print_hot_regions();
    std::vector<std::size_t> lines(shown_.lines.size());
    for (std::size_t line = 0; line < lines.size(); ++line) lines[line] = line;
    print(lines, [&](std::size_t line) { return is_wanted(line); });
  }

 private:
  bool is_wanted(std::size_t line) const {
    if (view_.of.empty()) return true;
    const auto& operators = beside_.operators_of(line);
    return std::ranges::any_of(view_.of, [&](graph::NodeId id) { return operators.contains(id); });
  }

  void print_line(std::size_t line) const {
    const EmittedLine& each = shown_.lines[line];
    if (view_.hot) fmt::print("{:>6} ", percent(*beside_.share_of(line)));
    if (view_.annotate)
      fmt::print("{:>4}  {:<{}} | ", each.loop_line > 0 ? std::to_string(each.loop_line) : "",
                 shortened(beside_.names_of(line), width_), width_);
    fmt::print("{}\n", each.text);
  }

  // Others are counted where they are left out.
  template <class Wanted>
  void print(const std::vector<std::size_t>& lines, const Wanted& wanted) const {
    std::size_t left_out = 0, indent = 0;
    double share = 0;
    bool is_continued = false;
    auto said = shown_.llvm_remarks.begin();
    print_remarks_to(0, said, 0);
    const auto tell = [&] {
      if (left_out > 0)
        fmt::print("{:>{}}... {} {}{}\n", "", view_.hot ? 7 : 0, left_out,
                   left_out == 1 ? "line" : "lines",
                   share >= 0.0005 ? ", " + percent(share) : std::string());
      left_out = 0;
      share = 0;
    };
    for (const std::size_t line : lines) {
      if (!wanted(line)) {
        ++left_out;
        share += beside_.share_of(line).value_or(0);
        continue;
      }
      tell();
      print_line(line);
      const std::string& text = shown_.lines[line].text;
      if (!is_continued) indent = std::min(text.find_first_not_of(' '), text.size());
      // A signature of several lines is not cut by what is said of it.
      is_continued = text.ends_with('(') || text.ends_with(',');
      if (!is_continued) print_remarks_to(shown_.lines[line].loop_line, said, indent);
    }
    tell();
  }

  // What is said of a line stands below it; of none, before all.
  void print_remarks_to(int line, codegen::LlvmRemarks::const_iterator& said,
                        std::size_t indent) const {
    for (; said != shown_.llvm_remarks.end() && said->loop_line <= line; ++said)
      fmt::print("{}// {}\n", std::string(indent, ' '), to_text(*said));
  }

  // What the numbers beside the lines mean.
  void print_nest() const {
    fmt::print("// the nest that the lines come from\n");
    for (std::size_t line = 0; line < shown_.nest->lines.size(); ++line) {
      const loop::Line& each = shown_.nest->lines[line];
      if (view_.hot)
        fmt::print("// {:>6}", percent(static_cast<double>(view_.hot->nest_samples[line + 1]) /
                                       static_cast<double>(view_.hot->profile.all)));
      else fmt::print("//");
      fmt::print(" {:>4}  {}{}\n", line + 1,
                 std::string(static_cast<std::size_t>(each.indent) * 2, ' '), each.text);
    }
    fmt::print("\n");
  }

  void print_shares() const {
    const measure::CodeProfile& profile = view_.hot->profile;
    fmt::print("// a run takes {} on 1 thread; a timer looked {} times where it was\n",
               readable_time(Milliseconds(profile.milliseconds)), profile.all);
    for (const auto& [name, share] : beside_.shares_by_operator())
      fmt::print("// {:>6}  {}\n", percent(share), name.empty() ? "no operator's line" : name);
    if (!shown_.is_nest) print_instructions();
    if (profile.elsewhere > 0)
      fmt::print(
          "// {:>6}  functions that it calls, and what calls it\n",
          percent(static_cast<double>(profile.elsewhere) / static_cast<double>(profile.all)));
    fmt::print("\n");
  }

  // Dear ones are seen at once: divisions, loads of what was spilled.
  void print_instructions() const {
    constexpr std::size_t most = 6;
    std::string words;
    const auto shares = shares_by_instruction(shown_, *view_.hot);
    for (std::size_t i = 0; i < std::min(most, shares.size()); ++i)
      words += fmt::format("{}{} {} ({})", i > 0 ? ", " : "", shares[i].word,
                           percent(static_cast<double>(shares[i].samples) /
                                   static_cast<double>(view_.hot->profile.all)),
                           counted(shares[i].lines, "line"));
    if (!words.empty()) fmt::print("// by instruction: {}\n", words);
  }

  // Lines count as whoever prints the stage without --hot finds them, its head included.
  void print_hot_regions() const {
    const std::size_t head = 1 + (shown_.steps.empty() ? 0 : 1) + shown_.remarks.size();
    fmt::print("// lines count as emit prints the whole of it, the title being the first\n");
    for (const CodeRegion& region : view_.hot->regions) {
      const double share =
          static_cast<double>(region.samples) / static_cast<double>(view_.hot->profile.all);
      if (share < hot_region) continue;
      const char* what = !region.is_loop       ? "outside of all loops"
                         : region.is_innermost ? "an innermost loop"
                                               : "a loop, without those in it";
      fmt::print("// {} in lines {} to {}: {}\n", percent(share), region.span.first + 1 + head,
                 region.span.last + 1 + head, what);
      print(region.lines, [&](std::size_t line) {
        return *beside_.share_of(line) >= hot_line && is_wanted(line);
      });
      fmt::print("\n");
    }
  }

  const Emitted& shown_;
  const EmitView& view_;
  const Beside beside_;
  std::size_t width_ = 0;
};

}  // namespace

void print_lines(const Emitted& shown, const graph::Graph& graph, const EmitView& view) {
  Printer(shown, graph, view).print();
}

Json lines_json(const Emitted& shown, const graph::Graph& graph, const EmitView& view) {
  const Beside beside(shown, graph, view.hot);
  Json lines = Json::array();
  for (std::size_t line = 0; line < shown.lines.size(); ++line) {
    const auto& operators = beside.operators_of(line);
    if (!view.of.empty() &&
        std::ranges::none_of(view.of, [&](graph::NodeId id) { return operators.contains(id); }))
      continue;
    lines.push_back({{"line", line + 1},
                     {"text", shown.lines[line].text},
                     {"loop_line", shown.lines[line].loop_line}});
    if (view.annotate) {
      lines.back()["operators"] = Json::array();
      for (const graph::NodeId id : operators)
        lines.back()["operators"].push_back(graph.node(id).name);
    }
    if (view.hot) lines.back()["share"] = *beside.share_of(line);
  }
  return lines;
}

Json hot_json(const Emitted& shown, const graph::Graph& graph, const HotCode& hot) {
  const Beside beside(shown, graph, &hot);
  Json json{{"samples", hot.profile.all},
            {"samples_elsewhere", hot.profile.elsewhere},
            {"threads", 1},
            {"run_us", 1e3 * hot.profile.milliseconds}};
  json["operators"] = Json::array();
  for (const auto& [names, share] : beside.shares_by_operator())
    json["operators"].push_back({{"operators", names}, {"share", share}});
  json["instructions"] = Json::array();
  if (!shown.is_nest)
    for (const InstructionShare& share : shares_by_instruction(shown, hot))
      json["instructions"].push_back(
          {{"instruction", share.word},
           {"lines", share.lines},
           {"share", static_cast<double>(share.samples) / static_cast<double>(hot.profile.all)}});
  json["regions"] = Json::array();
  for (const CodeRegion& region : hot.regions)
    json["regions"].push_back(
        {{"first_line", region.span.first + 1},
         {"last_line", region.span.last + 1},
         {"loop", region.is_loop},
         {"innermost", region.is_innermost},
         {"share", static_cast<double>(region.samples) / static_cast<double>(hot.profile.all)}});
  return json;
}

}  // namespace loopglass::app
