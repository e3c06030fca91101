#include "app/export/page_kernels.h"

#include "core/codegen/kernel_listings.h"
#include "core/fusion/cost_model.h"
#include "core/fusion/layer_words.h"
#include "core/runtime/thread_pool.h"
#include "core/support/concurrently.h"
#include "core/support/counted.h"
#include "core/support/fault.h"
#include "core/support/readable_flops.h"
#include "views/document/relations.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace loopglass::app {
namespace {

using Json = nlohmann::json;

// A page of less than 10 MB, with what JSON adds.
constexpr std::size_t room_for_texts = 7'000'000;

// What is left out first stands last.
constexpr std::array texts{"te", "lowered", "asm", "schedule", "scheduled", "llvm"};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// A stage of a program is two lines, which stand between the inputs and the outputs.
Json expressions_json(const te::Program& program) {
  const std::vector<std::string> lines = split(te::to_string(program));
  const std::size_t first = (program.symbols.empty() ? 0 : 1) + program.inputs.size();
  Json list = Json::array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t stage = i < first ? program.stages.size() : (i - first) / 2;
    list.push_back({lines[i], stage < program.stages.size() ? program.stages[stage].origin.sources
                                                            : std::vector<std::uint32_t>{}});
  }
  return list;
}

Json ranges(const std::set<int>& lines) {
  Json list = Json::array();
  for (auto line = lines.begin(); line != lines.end();) {
    const int begin = *line;
    int end = begin;
    while (++line != lines.end() && *line == end + 1) ++end;
    list.push_back(begin);
    list.push_back(end);
  }
  return list;
}

Json nest_json(const loop::Listing& listing, const std::vector<graph::NodeId>& operators) {
  Json lines = Json::array(), of = Json::object();
  for (const loop::Line& line : listing.lines) {
    const std::string indent(static_cast<std::size_t>(line.indent) * 2, ' ');
    lines.push_back({indent + line.text, line.first, line.last, line.entity, line.origin.sources});
  }
  for (const graph::NodeId id : operators)
    of[std::to_string(id.value)] = ranges(views::lines_of_origin(listing, {id}));
  return {{"lines", std::move(lines)}, {"of", std::move(of)}};
}

Json machine_json(const codegen::SourceLines& lines) {
  Json list = Json::array();
  for (const codegen::SourceLine& line : lines) list.push_back({line.text, line.loop_line});
  return list;
}

Result<Json> texts_of(Session& session, const fusion::Group& group,
                      const Cancellation& cancellation) {
  const auto stages = TRY(session.kernel(group.id, cancellation));
  const auto listings = TRY(session.listings(group.id, cancellation));
  const auto llvm = TRY(listings->llvm(listings->llvm_steps().size() - 1, cancellation));
  return Json{{"te", expressions_json(stages->program.program)},
              {"schedule", split(schedule::to_script(stages->trace))},
              {"scheduled", nest_json(loop::print(stages->scheduled()), group.nodes)},
              {"lowered", nest_json(listings->loops(), group.nodes)},
              {"llvm", machine_json(*llvm)},
              {"asm", machine_json(listings->assembly())},
              {"flops", stages->flops},
              {"view", stages->is_view}};
}

// One for each group.
Result<std::vector<Json>> all_texts(Session& session, const fusion::Plan& plan,
                                    const Progress& progress, const Cancellation& cancellation) {
  std::vector<Json> all(plan.groups.size());
  std::optional<Diagnostic> problem;
  std::mutex mutex;
  std::atomic<std::size_t> next = 0, done = 0;
  const auto work = [&] {
    for (std::size_t k; (k = next++) < plan.groups.size() && !cancellation.requested();) {
      auto texts = texts_of(session, plan.groups[k], cancellation);
      const std::lock_guard lock(mutex);
      if (texts) all[k] = std::move(*texts);
      else if (is_unsupported(texts.error().code))
        all[k] = {{"missing", code_name(texts.error().code) + ": " + texts.error().what}};
      else if (!problem) problem = texts.error();
      if (progress)
        progress(plan.groups[k].name,
                 static_cast<double>(++done) / static_cast<double>(plan.groups.size()));
    }
  };
  run_on_threads(runtime::hardware_threads(), work);
  if (cancellation.requested()) return fail(Code::Cancelled, "the export was cancelled");
  if (problem) return std::unexpected(*problem);
  return all;
}

// Names need not be UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of each kind of text the short ones go before the long ones.
void leave_out_what_has_no_room(std::vector<Json>& kernels) {
  std::size_t taken = 0;
  for (const char* text : texts) {
    std::vector<std::pair<std::size_t, std::size_t>> by_length;
    for (std::size_t k = 0; k < kernels.size(); ++k)
      if (kernels[k].contains(text)) by_length.emplace_back(text_of(kernels[k][text]).size(), k);
    std::sort(by_length.begin(), by_length.end());
    for (const auto& [bytes, k] : by_length) {
      if (taken + bytes <= room_for_texts) {
        taken += bytes;
        continue;
      }
      const std::string stage = std::string_view(text) == "scheduled" ? "loops" : text;
      kernels[k].erase(text);
      kernels[k]["omitted"][text] = fmt::format(
          "Left out: the page would be too large. 'loopglassc emit {} MODEL --kernel {}' prints "
          "it.",
          stage, k);
    }
  }
}

// As it was measured for the page, or as it was recorded here on one thread.
std::optional<std::string> time_of(const Session& session, const graph::Graph& graph,
                                   const fusion::Group& group,
                                   const runtime::BenchmarkReport* report) {
  if (report) {
    for (const runtime::KernelTiming& timing : report->kernels)
      if (timing.group == group.id && !timing.missing && !timing.is_view)
        return fmt::format("{:.4f} ms · {} · {:.1f} GB/s", timing.time.median_ms,
                           readable_speed(timing.gflops), timing.gigabytes_per_second);
    return {};
  }
  std::vector<std::size_t> nodes;
  for (const graph::NodeId node : group.nodes) nodes.push_back(graph.position(node));
  std::sort(nodes.begin(), nodes.end());
  const auto cost = session.cost_model();
  const auto known = cost->measurements().find(fusion::CostModel::structural_hash(graph, nodes));
  if (known == cost->measurements().end()) return {};
  return fmt::format("{:.4f} ms, as it was recorded on one thread",
                     known->second.microseconds / 1000);
}

}  // namespace

Result<std::string> page_kernels(Session& session, const runtime::BenchmarkReport* report,
                                 const Progress& progress, const Cancellation& cancellation) {
  const auto plan = TRY(session.plan());
  const auto graph = TRY(session.graph());
  std::vector<Json> kernels = TRY(all_texts(session, *plan, progress, cancellation));
  leave_out_what_has_no_room(kernels);
  Json list = Json::array();
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const fusion::Group& group = plan->groups[k];
    Json& kernel = kernels[k];
    kernel["name"] = group.name;
    for (const graph::NodeId id : group.nodes) kernel["operators"].push_back(id.value);
    Json words{fusion::layer_words(group, *graph), counted(group.nodes.size(), "operator")};
    if (kernel.value("view", false)) words.push_back("not run: its result lies ready");
    else if (const auto time = time_of(session, *graph, group, report)) words.push_back(*time);
    if (const auto flops = kernel.value("flops", std::int64_t{0}))
      words.push_back(readable_flops(static_cast<double>(flops)));
    kernel["words"] = std::move(words);
    list.push_back(std::move(kernel));
  }
  return text_of(list);
}

}  // namespace loopglass::app
