#include "core/loop/path.h"
#include "core/script/replayer.h"
#include "core/script/sampling.h"
#include "core/support/overloaded.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

bool is_look_up(std::string_view primitive) {
  return primitive == "block" || primitive == "loops" || primitive == "buffer" ||
         find_sampling(primitive) != nullptr;
}

Result<std::string> Replayer::name_of(const std::string& handle) const {
  const ScriptArgument decided = decided_(Handle{handle});
  if (const auto* other = std::get_if<Handle>(&decided); other && other->name != handle)
    return name_of(other->name);
  const auto known = names_.find(handle);
  if (known != names_.end()) return known->second;
  if (find_block(func_, handle) || find_loop(func_, handle) ||
      loop::find_buffer(loop::buffers_of(func_), handle))
    return handle;
  return fail(
      Code::ScheduleHandleUnknown,
      fmt::format("'{}' is bound by no earlier line, and no loop, block or buffer is called so",
                  handle),
      handle, "take a name that the nest prints, or bind it first: C = block(\"...\")");
}

namespace {

// Names arrive as handles bound earlier or, in quotes, as they stand in the nest.
bool is_name_list(ParameterKind kind) {
  return kind == ParameterKind::Loops || kind == ParameterKind::Names;
}

}  // namespace

// A scope or an axis is no part of the nest: a word that is not bound means itself.
Result<std::string> Replayer::named(const Handle& handle, ParameterKind kind) const {
  const bool is_word = kind == ParameterKind::Name || kind == ParameterKind::Names;
  if (is_word && !bound(handle.name)) return handle.name;
  return name_of(handle.name);
}

Result<Argument> Replayer::resolve(const ScriptArgument& argument, ParameterKind kind) const {
  return std::visit(
      Overloaded{
          [&](const Handle& handle) -> Result<Argument> { return TRY(named(handle, kind)); },
          [&](const std::vector<Handle>& handles) -> Result<Argument> {
            if (handles.empty() && !is_name_list(kind)) return std::vector<std::int64_t>{};
            std::vector<std::string> names;
            for (const Handle& handle : handles) names.push_back(TRY(named(handle, kind)));
            return names;
          },
          [](const auto& literal) -> Result<Argument> { return literal; },
      },
      decided_(argument));
}

Result<void> Replayer::decide(const Instruction& instruction) {
  const Decision decision = TRY(decision_of(*this, decided_(instruction)));
  const ScriptArgument& value = decision.values[decision.chosen];
  // Loops have to be there when they are chosen.
  TRY(resolve(value, ParameterKind::Loops));
  names_.erase(decision.name);
  decided_.bind(decision.name, value);
  return {};
}

Result<std::vector<std::string>> Replayer::look_up(const Instruction& instruction) const {
  const std::string& what = instruction.primitive;
  if (instruction.arguments.size() != 1)
    return fail(Code::ScheduleIllegal,
                fmt::format("{} takes one argument, got {}", what, instruction.arguments.size()));
  const Argument argument = TRY(resolve(instruction.arguments[0], ParameterKind::Block));
  const std::string* name = std::get_if<std::string>(&argument);
  if (!name) return fail(Code::ScheduleIllegal, fmt::format("{} takes one name", what));
  if (what == "buffer") {
    if (!loop::find_buffer(loop::buffers_of(func_), *name))
      return fail(Code::ScheduleHandleUnknown,
                  fmt::format("'{}' has no buffer named '{}'", func_.name, *name), *name);
    return std::vector<std::string>{*name};
  }
  const Path path = TRY(find_block(func_, *name));
  if (what == "block") return std::vector<std::string>{*name};
  std::vector<std::string> variables;
  for (const For* node : path.loops()) variables.push_back(node->variable);
  return variables;
}

Result<void> Replayer::bind(const Instruction& instruction, const std::vector<std::string>& made) {
  if (instruction.results.empty()) return {};
  if (instruction.results.size() != made.size())
    return fail(Code::ScheduleIllegal,
                fmt::format("{} gives {} results ({}), but {} names are bound to them",
                            instruction.primitive, made.size(), fmt::join(made, ", "),
                            instruction.results.size()));
  for (std::size_t i = 0; i < made.size(); ++i) {
    decided_.forget(instruction.results[i]);
    names_[instruction.results[i]] = made[i];
  }
  return {};
}

Result<std::pair<const Primitive*, std::vector<Argument>>> Replayer::call_of(
    const Instruction& instruction) const {
  const Primitive* primitive = find_primitive(instruction.primitive);
  if (!primitive)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("there is no primitive '{}'", instruction.primitive),
                instruction.primitive);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < instruction.arguments.size(); ++i)
    arguments.push_back(TRY(resolve(instruction.arguments[i], i < primitive->parameters.size()
                                                                  ? primitive->parameters[i].kind
                                                                  : ParameterKind::Name)));
  return std::pair{primitive, std::move(arguments)};
}

Result<std::optional<ScheduleStep>> Replayer::run(const Instruction& instruction) {
  if (find_sampling(instruction.primitive)) {
    TRY_VOID(decide(instruction));
    return std::nullopt;
  }
  if (is_look_up(instruction.primitive)) {
    TRY_VOID(bind(instruction, TRY(look_up(instruction))));
    return std::nullopt;
  }
  const auto [primitive, arguments] = TRY(call_of(instruction));
  Applied applied = TRY(primitive->apply(func_, arguments));
  std::string remark = applied.remark;
  TRY_VOID(adopt(instruction, std::move(applied)));
  return ScheduleStep{instruction, func_, std::move(remark)};
}

Result<void> Replayer::adopt(const Instruction& instruction, Applied applied) {
  TRY_VOID(bind(instruction, applied.made));
  func_ = std::move(applied.func);
  return {};
}

Result<Replayer> replayed(const loop::Func& func, std::string_view text, int line,
                          const Cancellation& cancellation) {
  Replayer replayer(func);
  for (const Instruction& instruction : begin_script(text).trace.instructions) {
    if (instruction.line > line) break;
    if (cancellation.requested()) return fail(Code::Cancelled, "scheduling was cancelled");
    TRY(replayer.run(instruction));
  }
  return replayer;
}

Result<std::vector<ScheduleStep>> replay(const loop::Func& func, const Trace& trace) {
  return replay(func, trace, {});
}

Result<std::vector<ScheduleStep>> replay(const loop::Func& func, const Trace& trace,
                                         const Cancellation& cancellation) {
  Replayer replayer(func);
  std::vector<ScheduleStep> steps;
  for (std::size_t line = 0; line < trace.instructions.size(); ++line) {
    if (cancellation.requested()) return fail(Code::Cancelled, "scheduling was cancelled");
    auto step = replayer.run(trace.instructions[line]);
    if (!step) {
      Diagnostic diagnostic = std::move(step).error();
      const Instruction& at = trace.instructions[line];
      const std::string place = fmt::format(
          "line {}: {}", at.line > 0 ? at.line : static_cast<int>(line) + 1, to_script(at));
      diagnostic.where =
          diagnostic.where.empty() ? place : fmt::format("{}, {}", diagnostic.where, place);
      return std::unexpected(std::move(diagnostic));
    }
    if (*step) steps.push_back(std::move(**step));
  }
  return steps;
}

}  // namespace loopglass::schedule
