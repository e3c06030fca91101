// loopglassc memory: where every intermediate lives, what is alive during each kernel, and how near
// the arena comes to the least that would do. Nothing is compiled.
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/gate.h"
#include "app/loopglassc/memory_limit.h"
#include "core/fusion/layer_words.h"
#include "core/runtime/memory_budget.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using runtime::MemoryPlan;
using runtime::readable_bytes;

struct MemoryOptions {
  ModelOptions model;
  Gate gate;
  bool json = false;
};

double ratio(const MemoryPlan& plan) {
  return plan.lower_bound == 0
             ? 1
             : static_cast<double>(plan.arena_bytes) / static_cast<double>(plan.lower_bound);
}

struct ShownPlan {
  std::shared_ptr<const graph::Graph> graph;
  std::shared_ptr<const fusion::Plan> groups;
  std::shared_ptr<const placement::Placement> placement;
  std::shared_ptr<const MemoryPlan> plan;
  std::vector<pass::Remark> remarks;  // about a memory limit
};

Json shared_json(const ShownPlan& shown) {
  Json list = Json::array();
  for (const placement::SharedValue& shared : shown.plan->shared) {
    const graph::Value& value = shown.graph->value(shared.value);
    list.push_back({{"name", value.name},
                    {"type", to_string(value.type)},
                    {"buffer", shown.graph->value(shared.place.buffer).name},
                    {"offset_bytes", shared.place.offset},
                    {"bytes", value.type.bytes()},
                    {"rows", !shared.dense}});
  }
  return list;
}

Json copies_json(const ShownPlan& shown) {
  Json list = Json::array();
  for (std::size_t k = 0; k < shown.placement->kernels.size(); ++k)
    for (const placement::KeptCopy& copy : shown.placement->kernels[k].copies)
      list.push_back({{"kernel", shown.groups->groups[k].name},
                      {"operand", shown.graph->value(copy.operand).name},
                      {"result", shown.graph->value(copy.result).name},
                      {"bytes", copy.bytes},
                      {"code", placement::name(copy.reason)},
                      {"sentence", placement::explanation(copy.reason)}});
  return list;
}

Json to_json(const ShownPlan& shown) {
  const MemoryPlan& plan = *shown.plan;
  const graph::Graph& graph = *shown.graph;
  Json buffers = Json::array(), kernels = Json::array(), said = Json::array();
  for (const runtime::PlannedBuffer& buffer : plan.buffers)
    buffers.push_back(
        {{"name", buffer.name},
         {"type", to_string(graph.value(buffer.value).type)},
         {"bytes", buffer.bytes},
         {"first_kernel", buffer.first},
         {"last_kernel", buffer.last},
         {"offset_bytes", buffer.offset},
         {"in_place_of", buffer.in_place_of.valid() ? Json(graph.value(buffer.in_place_of).name)
                                                    : Json(nullptr)}});
  for (std::size_t k = 0; k < plan.kernels; ++k) {
    const placement::PlacedKernel& kernel = shown.placement->kernels[k];
    kernels.push_back(
        {{"name", shown.groups->groups[k].name},
         {"live_bytes", plan.live[k]},
         {"view", kernel.is_view() ? Json(describe_view(kernel, *shown.placement, graph))
                                   : Json(nullptr)}});
  }
  for (const pass::Remark& remark : shown.remarks) {
    Json numbers = Json::object();
    for (const auto& [key, value] : remark.numbers) numbers[key] = value;
    said.push_back({{"code", remark.code}, {"text", remark.text}, {"numbers", numbers}});
  }
  return {{"kernel_count", plan.kernels},
          {"separate_bytes", plan.separate_bytes},
          {"live_peak_bytes", plan.live_peak},
          {"lower_bound_bytes", plan.lower_bound},
          {"arena_bytes", plan.arena_bytes},
          {"margin_bytes", plan.margin_bytes},
          {"ratio", ratio(plan)},
          {"peak_kernel", plan.peak_kernel()},
          {"workspace_bytes", plan.workspace_bytes},
          {"input_bytes", plan.input_bytes},
          {"output_bytes", plan.output_bytes},
          {"constant_bytes", plan.constant_bytes},
          {"packed_bytes", plan.packed_bytes},
          {"buffers", buffers},
          {"shared", shared_json(shown)},
          {"kernels", kernels},
          {"copies", copies_json(shown)},
          {"remarks", said}};
}

void print_buffers(const MemoryPlan& plan, const graph::Graph& graph) {
  Table table({Column::name("buffer"), Column::number("size"), Column::number("kernels"),
               Column::number("offset"), Column::name("in place of")});
  for (const runtime::PlannedBuffer& buffer : plan.buffers)
    table.add({buffer.name, readable_bytes(buffer.bytes),
               fmt::format("{} to {}", buffer.first, buffer.last), buffer.offset,
               buffer.in_place_of.valid() ? graph.value(buffer.in_place_of).name : ""});
  table.print();
}

// What needs no memory of its own, and what is copied after all.
void print_sharing(const ShownPlan& shown) {
  const graph::Graph& graph = *shown.graph;
  Table shares(
      {Column::name("in memory of another"), Column::number("size"), Column::name("where")});
  for (const placement::SharedValue& shared : shown.plan->shared)
    shares.add(
        {graph.value(shared.value).name, readable_bytes(graph.value(shared.value).type.bytes()),
         fmt::format("{} of {}{}", shared.place.offset, graph.value(shared.place.buffer).name,
                     shared.dense ? "" : ", in rows")});
  Table copies({Column::name("copied all the same"), Column::number("size"), Column::word("why")});
  for (const placement::PlacedKernel& kernel : shown.placement->kernels)
    for (const placement::KeptCopy& copy : kernel.copies)
      copies.add(
          {fmt::format("{} to {}", graph.value(copy.operand).name, graph.value(copy.result).name),
           copy.bytes,
           fmt::format("{}: {}", placement::name(copy.reason),
                       placement::explanation(copy.reason))});
  for (const Table* table : {&shares, &copies}) {
    if (table->empty()) continue;
    fmt::print("\n");
    table->print();
  }
}

// A column per kernel, or per few of them (the fullest counts); eighths of a line high.
void print_chart(const MemoryPlan& plan) {
  constexpr std::size_t most_columns = 96, beside = 12, lines = 10;
  const std::size_t columns =
      output_is_terminal()
          ? std::clamp<std::size_t>(terminal_columns(), beside + 20, beside + most_columns) - beside
          : most_columns;
  static constexpr const char* eighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t per_column = (plan.kernels + columns - 1) / columns;
  std::vector<std::int64_t> heights;  // in eighths of a line
  for (std::size_t k = 0; k < plan.kernels; k += per_column) {
    const auto end = std::min(k + per_column, plan.kernels);
    const auto fullest = *std::max_element(plan.live.begin() + static_cast<std::ptrdiff_t>(k),
                                           plan.live.begin() + static_cast<std::ptrdiff_t>(end));
    const double share = static_cast<double>(fullest) / static_cast<double>(plan.arena_bytes);
    heights.push_back(static_cast<std::int64_t>(share * (lines * 8) + 0.5));
  }
  fmt::print("\nbytes alive during each kernel (0 to {}{})\n", plan.kernels - 1,
             per_column > 1 ? fmt::format(", {} to a column", per_column) : "");
  for (std::size_t line = lines; line-- > 0;) {
    const std::string label = line + 1 == lines ? readable_bytes(plan.arena_bytes)
                              : line == 0       ? "0"
                                                : "";
    std::string row;
    for (const std::int64_t height : heights)
      row += eighths[std::clamp<std::int64_t>(height - static_cast<std::int64_t>(line * 8), 0, 8)];
    fmt::print("{:>10} |{}\n", label, row);
  }
}

void print_summary(const MemoryPlan& plan, const fusion::Plan& groups, const graph::Graph& graph) {
  Table table({Column::word(""), Column::number(""), Column::name("")});
  const auto line = [&](const char* what, std::int64_t bytes, const std::string& more) {
    table.add({what, readable_bytes(bytes), more});
  };
  const auto words_of = [&](int kernel) {
    const fusion::Group& group = groups.groups[static_cast<std::size_t>(kernel)];
    return fmt::format("{} ({})", group.name, fusion::layer_words(group, graph));
  };
  fmt::print("\n");
  line("each buffer by itself", plan.separate_bytes, "");
  line("most alive at once", plan.live_peak, "if nothing were written in place");
  line("lower bound", plan.lower_bound,
       plan.buffers.empty()
           ? ""
           : fmt::format("most alive at once, during {}", words_of(plan.peak_kernel())));
  line("arena", plan.arena_bytes, fmt::format("{:.3f} of the lower bound", ratio(plan)));
  line("scratch memory of kernels", plan.workspace_bytes, "");
  line("inputs and outputs", plan.input_bytes + plan.output_bytes, "");
  line("constants", plan.constant_bytes,
       plan.packed_bytes > 0
           ? fmt::format("and {} packed for kernels", readable_bytes(plan.packed_bytes))
           : "");
  table.print();
}

Result<Exit> show(const MemoryOptions& options) {
  const auto session = TRY(open_session(options.model));
  const auto graph = TRY(session->graph());
  const auto plan = TRY(session->plan());
  const auto placement = TRY(session->placement());
  StatusLine status;
  const auto memory = TRY(session->memory_plan(status.progress()));
  status.end();
  const auto history = TRY(session->graph_history());
  const ShownPlan shown{graph, plan, placement, memory, limit_remarks(*history)};
  const Json baseline = TRY(read_baseline(options.gate, Schema::Memory, *session));
  const auto print = [&] {
    print_buffers(*shown.plan, *shown.graph);
    print_sharing(shown);
    if (shown.plan->arena_bytes > 0) print_chart(*shown.plan);
    print_summary(*shown.plan, *shown.groups, *shown.graph);
    for (const pass::Remark& remark : shown.remarks)
      fmt::print("{}: {}\n", remark.code, remark.text);
  };
  const auto limit = TRY(judge_memory_limit(*session, options.model));
  const Exit gated = TRY(print_gated({Schema::Memory, *session, limit, to_json(shown), print},
                                     options.gate, baseline, options.json));
  const Exit kept = note(limit);
  return gated == Exit::Good ? kept : gated;
}

}  // namespace

void add_memory(Command app, Action& chosen) {
  const auto [command, options] = declare<MemoryOptions>(
      app, chosen, "memory",
      "where a model's intermediates live, and how much memory that takes; compiles nothing", show);
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_gate(command, options->gate);
}

}  // namespace loopglass::app
