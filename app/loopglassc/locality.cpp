// loopglassc locality: which cache lines a kernel's nest uses how soon again, and what that costs
// in caches of this machine's sizes; before and after any step of its schedule.
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/place.h"
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/locality/as_in_memory.h"
#include "core/locality/carried.h"
#include "core/locality/iterations.h"
#include "core/locality/reuse.h"
#include "core/loop/symbols.h"
#include "core/support/readable_bytes.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using locality::BufferReuse;
using locality::Iterations;
using locality::Reuse;

struct LocalityOptions {
  ModelOptions model;
  std::string kernel, step;
  std::optional<std::uint64_t> accesses;
  std::optional<std::uint64_t> iterations;
  std::string block;
  bool json = false;
};

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void print(const Reuse& reuse, const std::string& title) {
  fmt::print("{}: {} {} accesses to memory, in order, as on one thread\n\n", title,
             reuse.whole ? "all" : "the first", reuse.accesses);
  std::vector<Column> columns{Column::name("buffer"), Column::number("size"),
                              Column::number("accesses"), Column::number("lines")};
  for (const locality::Level& level : reuse.levels)
    columns.push_back(
        Column::number(fmt::format("misses {} {}", level.name, readable_bytes(level.bytes))));
  Table table(std::move(columns));
  for (const BufferReuse& buffer : reuse.buffers) {
    std::vector<Cell> row{buffer.buffer, readable_bytes(buffer.bytes), buffer.accesses,
                          buffer.lines};
    for (const std::int64_t misses : buffer.misses)
      row.emplace_back(fmt::format("{} {:4.1f} %", misses, share(misses, buffer.accesses)));
    table.add(std::move(row));
  }
  table.print();
  fmt::print("\nother lines between two uses of one, in parts of the buffer's accesses\n");
  Table distances({Column::name(""), Column::word("")});
  for (const BufferReuse& buffer : reuse.buffers) {
    std::string parts = fmt::format("first {:.1f} %", share(buffer.lines, buffer.accesses));
    for (std::size_t kind = 0; kind < buffer.distances.size(); ++kind)
      if (buffer.distances[kind] > 0)
        parts += fmt::format(", {}: {:.1f} %", locality::distance_words(kind),
                             share(buffer.distances[kind], buffer.accesses));
    distances.add({buffer.buffer, parts});
  }
  distances.print();
}

Json to_json(const Reuse& reuse, const std::string& kernel, std::size_t step) {
  Json json{{"kernel", kernel},
            {"step", step},
            {"accesses", reuse.accesses},
            {"whole", reuse.whole},
            {"line_bytes", locality::line_bytes}};
  json["levels"] = Json::array();
  for (const locality::Level& level : reuse.levels)
    json["levels"].push_back({{"name", level.name}, {"bytes", level.bytes}});
  json["buffers"] = Json::array();
  for (const BufferReuse& buffer : reuse.buffers)
    json["buffers"].push_back({{"name", buffer.buffer},
                               {"bytes", buffer.bytes},
                               {"accesses", buffer.accesses},
                               {"lines", buffer.lines},
                               {"distances", buffer.distances},
                               {"misses", buffer.misses}});
  return json;
}

void print(const Iterations& iterations, const std::string& title) {
  const locality::CarriedDependences dependences(iterations);
  fmt::print("{}: {} {} iterations of block '{}'\n\n", title,
             iterations.whole ? "all" : "the first", iterations.steps.size(), iterations.block);
  for (std::size_t number = 0; number < iterations.steps.size(); ++number) {
    const locality::Iteration& step = iterations.steps[number];
    std::vector<std::string> values, touches;
    for (std::size_t k = 0; k < iterations.axes.size(); ++k)
      values.push_back(fmt::format("{} = {}", iterations.axes[k].name, step.values[k]));
    for (const locality::Touch& touch : step.touches) {
      const auto& buffer = iterations.buffers[touch.buffer];
      touches.push_back(
          fmt::format("{} {}[{}]", touch.stores ? "stores" : "reads", buffer.name,
                      fmt::join(locality::indices_of(touch.element, buffer.shape), ", ")));
    }
    for (const locality::Carried& carried : dependences.into(number))
      touches.push_back(locality::words_of(carried, iterations));
    fmt::print("{:>6}  {}  {}\n", number + 1, fmt::join(values, ", "), fmt::join(touches, ", "));
  }
}

Json to_json(const Iterations& iterations, const std::string& kernel, std::size_t step) {
  Json json{
      {"kernel", kernel}, {"step", step}, {"block", iterations.block}, {"whole", iterations.whole}};
  json["axes"] = Json::array();
  for (const Iterations::Axis& axis : iterations.axes)
    json["axes"].push_back({{"name", axis.name},
                            {"loop", axis.is_loop},
                            {"summed", axis.is_summed},
                            {"extent", axis.whole_extent}});
  const locality::CarriedDependences dependences(iterations);
  json["iterations"] = Json::array();
  for (std::size_t number = 0; number < iterations.steps.size(); ++number) {
    const locality::Iteration& one = iterations.steps[number];
    Json touches = Json::array();
    for (const locality::Touch& touch : one.touches) {
      const auto& buffer = iterations.buffers[touch.buffer];
      touches.push_back({{"buffer", buffer.name},
                         {"stores", touch.stores},
                         {"element", locality::indices_of(touch.element, buffer.shape)}});
    }
    Json after = Json::array();
    for (const locality::Carried& carried : dependences.into(number)) {
      const auto& buffer = iterations.buffers[carried.buffer];
      after.push_back({{"iteration", carried.from},
                       {"kind", locality::name(carried.kind)},
                       {"buffer", buffer.name},
                       {"element", locality::indices_of(carried.element, buffer.shape)},
                       {"of_sum", carried.of_sum}});
    }
    json["iterations"].push_back(
        {{"values", one.values}, {"touches", std::move(touches)}, {"after", std::move(after)}});
  }
  return json;
}

Result<Exit> locality_of(const LocalityOptions& options) {
  if (options.iterations && options.accesses)
    return fail(Code::UsageInvalid, "iterations are listed, not followed", "--accesses",
                "leave it or --iterations out");
  const auto session = TRY(open_session(options.model));
  const fusion::Group* group = TRY(choose_kernel(*session, options.kernel, "--kernel"));
  const auto kernel = TRY(session->kernel(group->id));
  const std::size_t step = TRY(choose_step(options.step, schedule_steps(*kernel), "--step"));
  const loop::Func& nest = step == 0 ? kernel->initial : kernel->schedule[step - 1].func;
  const auto symbols = loop::symbol_values(nest, kernel->program.extents);
  const std::string after =
      step == 0 ? "before its schedule"
                : fmt::format("after {}", to_script(kernel->schedule[step - 1].instruction));
  const std::string title = fmt::format("{} {}", group->name, after);
  if (options.iterations && options.block.empty() && locality::main_block(nest).empty())
    return fail(Code::UsageInvalid, locality::why_no_block, "--iterations",
                "a block has iterations of its own: write the store into one");
  if (options.iterations) {
    const Iterations iterations = TRY(locality::iterations_of(
        nest, options.block.empty() ? locality::main_block(nest) : options.block, symbols,
        static_cast<std::int64_t>(*options.iterations)));
    if (options.json)
      print_json(Schema::LocalityIterations, session->model_name(),
                 to_json(iterations, group->name, step));
    else print(iterations, title);
    return Exit::Good;
  }
  if (!options.block.empty())
    return fail(Code::UsageInvalid, "a block has iterations, and these are not asked for",
                "--block", "with --iterations N");
  StatusLine status;
  const Reuse reuse = TRY(locality::reuse_of(
      locality::as_in_memory(nest, session->toolchain().loop_passes), symbols,
      session->toolchain().machine,
      static_cast<std::int64_t>(options.accesses.value_or(locality::default_accesses)),
      status.progress()));
  status.end();
  if (options.json)
    print_json(Schema::Locality, session->model_name(), to_json(reuse, group->name, step));
  else print(reuse, title);
  return Exit::Good;
}

}  // namespace

void add_locality(Command app, Action& chosen) {
  const auto [command, options] = declare<LocalityOptions>(
      app, chosen, "locality",
      "how soon a kernel's nest uses cache lines again, and what misses in this machine's caches",
      locality_of);
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  command.add_option("--kernel", options->kernel, "the kernel, by name or number")
      .check(not_blank())
      .type_name("NAME");
  add_place(command, "--step", options->step,
            "after this step of its schedule, by number or primitive");
  command
      .add_option("--accesses", options->accesses,
                  "how many are followed at most, from the first (default: 4000000)")
      .check(whole_number(1, 1000000000));
  command
      .add_option(
          "--iterations", options->iterations,
          "instead, the first N iterations of a block, what each of them touches, and which "
          "of those before it has to have been")
      .type_name("N")
      .check(whole_number(1, 1000000));
  command.add_option("--block", options->block, "of which block (default: the largest sum)")
      .type_name("NAME");
}

}  // namespace loopglass::app
