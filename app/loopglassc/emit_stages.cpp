#include "app/loopglassc/emit_stages.h"

#include "app/common/place.h"
#include "core/te/parse.h"

#include <fmt/format.h>

namespace loopglass::app {

namespace {

std::vector<EmittedLine> lines_of(const std::string& text) {
  std::vector<EmittedLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back({text.substr(at, end - at), 0});
    at = end + 1;
  }
  return lines;
}

std::vector<EmittedLine> lines_of(const std::vector<codegen::SourceLine>& source) {
  std::vector<EmittedLine> lines;
  for (const codegen::SourceLine& line : source) lines.push_back({line.text, line.loop_line});
  return lines;
}

// With what its symbols stand for, and which inputs are constant.
te::Parsed text_of(const fusion::KernelProgram& kernel) {
  te::Parsed text{kernel.program, {}, {}, {}};
  for (std::size_t i = 0; i < kernel.input_is_constant.size(); ++i)
    if (kernel.input_is_constant[i]) text.constants.push_back(kernel.program.inputs[i].name);
  for (std::size_t k = 0; k < kernel.extents.size(); ++k)
    text.defaults.emplace(kernel.program.symbols[k], kernel.extents[k]);
  return text;
}

// A nest's own lines.
Emitted nest_of(std::string title, const loop::Func& func) {
  Emitted shown{std::move(title), {}};
  shown.nest = loop::print(func);
  shown.is_nest = true;
  shown.lines = lines_of(shown.nest->text());
  for (std::size_t i = 0; i < shown.lines.size(); ++i)
    shown.lines[i].loop_line = static_cast<int>(i) + 1;
  return shown;
}

// Lines that came from the kernel's lowered nest.
Emitted lines_from(std::string title, const codegen::KernelListings& listings,
                   const codegen::SourceLines& lines, std::vector<std::string> steps = {}) {
  Emitted shown{std::move(title), lines_of(lines), std::move(steps)};
  shown.nest = listings.loops();
  return shown;
}

Result<Emitted> show_te(Session& session, fusion::GroupId group, const std::string&) {
  const auto kernel = TRY(session.kernel(group));
  if (kernel->program.nest)
    return fail(Code::UsageInvalid,
                "the kernel was written as a loop nest, not as tensor expressions", "te",
                "emit loops shows the nest");
  return Emitted{"tensor expressions", lines_of(te::to_text(text_of(kernel->program)))};
}

Result<Emitted> show_schedule(Session& session, fusion::GroupId group, const std::string&) {
  const auto kernel = TRY(session.kernel(group));
  return Emitted{"schedule", lines_of(schedule::to_script(kernel->trace))};
}

Result<Emitted> show_loops(Session& session, fusion::GroupId group, const std::string& place) {
  const auto kernel = TRY(session.kernel(group));
  const std::size_t step = TRY(choose_step(place, schedule_steps(*kernel), "--step"));
  if (step == 0) return nest_of("loop nest 0: initial", kernel->initial);
  const schedule::ScheduleStep& shown = kernel->schedule[step - 1];
  return nest_of(fmt::format("loop nest {}: {}", step, schedule::to_script(shown.instruction)),
                 shown.func);
}

Result<Emitted> show_lowered(Session& session, fusion::GroupId group, const std::string& place) {
  const auto kernel = TRY(session.kernel(group));
  std::vector<std::string> names;
  for (const auto& made : kernel->lowering.steps) names.push_back(made.pass.name);
  const std::size_t step = TRY(choose_step(place, names, "--step"));
  Emitted shown =
      nest_of(fmt::format("lowered {}: {}", step, kernel->lowering.steps[step].pass.name),
              kernel->lowering.at(step));
  for (std::size_t i = 0; i <= step; ++i)
    for (const pass::Remark& remark : kernel->lowering.steps[i].remarks)
      shown.remarks.push_back(remark);
  return shown;
}

Result<Emitted> show_llvm(Session& session, fusion::GroupId group, const std::string& place) {
  const auto listings = TRY(session.listings(group));
  const std::size_t step = TRY(choose_step(place, listings->llvm_steps(), "--step"));
  const auto text = TRY(listings->llvm(step));
  const auto& steps = listings->llvm_steps();
  return lines_from(fmt::format("LLVM IR {}: {}", step, steps[step]), *listings, *text, steps);
}

Result<Emitted> show_machine(Session& session, fusion::GroupId group, const std::string& place) {
  const auto listings = TRY(session.listings(group));
  const std::size_t step = TRY(choose_step(place, listings->machine_steps(), "--step"));
  const auto text = TRY(listings->machine(step));
  const auto& steps = listings->machine_steps();
  return lines_from(fmt::format("code generation {}: {}", step, steps[step]), *listings, *text,
                    steps);
}

Result<Emitted> show_remarks(Session& session, fusion::GroupId group, const std::string&) {
  const auto listings = TRY(session.listings(group));
  Emitted shown{"what LLVM's passes say of its loop nest", lines_of(listings->loops().text())};
  for (std::size_t i = 0; i < shown.lines.size(); ++i)
    shown.lines[i].loop_line = static_cast<int>(i) + 1;
  shown.nest = listings->loops();
  shown.is_nest = true;
  shown.llvm_remarks = listings->remarks();
  return shown;
}

Result<Emitted> show_assembly(Session& session, fusion::GroupId group, const std::string&) {
  const auto listings = TRY(session.listings(group));
  return lines_from("assembly", *listings, listings->assembly());
}

}  // namespace

const std::map<std::string, KernelStage>& kernel_stages() {
  static const std::map<std::string, KernelStage> stages{
      {"te", show_te},           {"schedule", show_schedule}, {"loops", show_loops},
      {"lowered", show_lowered}, {"llvm", show_llvm},         {"machine", show_machine},
      {"remarks", show_remarks}, {"asm", show_assembly}};
  return stages;
}

}  // namespace loopglass::app
