#include "core/tune/spaces/sketch_writer.h"

#include "core/loop/path.h"
#include "core/support/overloaded.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::tune {

using schedule::Handle;
using schedule::Instruction;
using schedule::ScriptArgument;

ScriptArgument handles(const std::vector<std::string>& names) {
  std::vector<Handle> list;
  for (const std::string& name : names) list.push_back({name});
  return list;
}

ScriptArgument SketchWriter::settled(const ScriptArgument& argument) const {
  return std::visit(
      Overloaded{
          [&](const Handle& handle) -> ScriptArgument {
            const auto value = decided_.find(handle.name);
            return value == decided_.end() ? ScriptArgument(handle) : value->second;
          },
          [&](const std::vector<Handle>& list) -> ScriptArgument {
            std::vector<Handle> flat;
            for (const Handle& handle : list) {
              const auto value = decided_.find(handle.name);
              const auto* several = value == decided_.end()
                                        ? nullptr
                                        : std::get_if<std::vector<Handle>>(&value->second);
              if (several) flat.insert(flat.end(), several->begin(), several->end());
              else flat.push_back(handle);
            }
            return flat;
          },
          [&](const std::string& text) -> ScriptArgument { return replayer_.filled_in(text); },
          [](const auto& literal) -> ScriptArgument { return literal; },
      },
      argument);
}

namespace {

// What is wrong with a line says which.
template <class T>
Result<T> of_line(Result<T> result, const Instruction& line) {
  if (result) return result;
  std::string& where = result.error().where;
  where = where.empty() ? to_script(line) : fmt::format("{}, {}", where, to_script(line));
  return result;
}

}  // namespace

Result<void> SketchWriter::write(Instruction line) {
  TRY(of_line(replayer_.run(line), line));
  trace_.instructions.push_back(std::move(line));
  return {};
}

Result<SketchWriter::Names> SketchWriter::loops(const std::string& block) {
  if (!replayer_.bound(block)) TRY_VOID(write({{block}, "block", {block}}));
  Names names;
  for (const loop::For* node : TRY(loop::find_block(func(), block)).loops())
    names.push_back(node->variable);
  if (!names.empty()) TRY_VOID(write({names, "loops", {Handle{block}}}));
  return names;
}

Result<SketchWriter::Names> SketchWriter::call(const std::string& primitive,
                                               std::vector<ScriptArgument> arguments) {
  Instruction line{{}, primitive, {}};
  for (const ScriptArgument& argument : arguments) line.arguments.push_back(settled(argument));
  const auto [row, resolved] = TRY(of_line(replayer_.call_of(line), line));
  schedule::Applied applied = TRY(of_line(row->apply(func(), resolved), line));
  line.results = applied.made;
  const Names made = applied.made;
  TRY_VOID(replayer_.adopt(line, std::move(applied)));
  trace_.instructions.push_back(std::move(line));
  return made;
}

Result<std::string> SketchWriter::call_for_one(const std::string& primitive,
                                               std::vector<ScriptArgument> arguments) {
  const Names made = TRY(call(primitive, std::move(arguments)));
  if (made.size() != 1)
    return fail(Code::ScheduleIllegal, fmt::format("{} made {} things", primitive, made.size()));
  return made[0];
}

Result<Handle> SketchWriter::decide(const std::string& name, const std::string& sampling,
                                    std::vector<ScriptArgument> arguments) {
  Instruction line{{name}, sampling, {}};
  for (const ScriptArgument& argument : arguments) line.arguments.push_back(settled(argument));
  schedule::Decision decision = TRY(of_line(schedule::decision_of(replayer_, line), line));
  decision.chosen = decision.candidates.size() / 2;
  const std::size_t knob = knobs_.size();
  if (knob < choices_.size())
    decision.chosen =
        std::min(static_cast<std::size_t>(choices_[knob]), decision.candidates.size() - 1);
  const ScriptArgument& chosen = decision.candidates[decision.chosen];
  decided_.insert_or_assign(name, schedule::value_of(line, chosen));
  TRY(replayer_.run(schedule::decided(line, chosen)));
  knobs_.push_back({name, {}});
  for (const ScriptArgument& candidate : decision.candidates)
    knobs_.back().values.push_back(words_of(candidate));
  return Handle{name};
}

Result<void> SketchWriter::append(const schedule::Trace& lines) {
  for (const Instruction& line : lines.instructions) TRY_VOID(write(line));
  return {};
}

SketchWriter::Names SketchWriter::turning(const Names& loops) const {
  Names names;
  for (const std::string& name : loops)
    if (const auto path = loop::find_loop(func(), name);
        path && expr::as_integer(path->loop().extent) != 1)
      names.push_back(name);
  return names;
}

Result<Sketch> written_sketch(const SketchWriter& begun, const WriteSketch& write, std::string name,
                              std::string rules) {
  SketchWriter first = begun;
  TRY_VOID(write(first));
  Sketch sketch{std::move(name), std::move(rules), first.knobs(), {}};
  sketch.script = [begun, write](std::span<const int> choices) -> Result<schedule::Settled> {
    SketchWriter writer = begun;
    writer.choose(choices);
    TRY_VOID(write(writer));
    return writer.settled();
  };
  return sketch;
}

}  // namespace loopglass::tune
