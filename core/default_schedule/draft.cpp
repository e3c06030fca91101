#include "core/default_schedule/draft.h"

#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/support/check.h"

namespace loopglass::schedule {

using namespace loop;

Result<void> Draft::look(const Instruction& look_up) {
  TRY(replayer_.run(look_up));
  if (written_) TRY(written_->run(look_up));
  return {};
}

Result<Handle> Draft::block(const std::string& name) {
  if (!replayer_.bound(name)) {
    Instruction look_up{{name}, "block", {name}};
    TRY_VOID(look(look_up));
    trace_.instructions.push_back(std::move(look_up));
  }
  return Handle{name};
}

Result<Draft::Names> Draft::call(const std::string& primitive,
                                 std::vector<ScriptArgument> arguments) {
  Instruction instruction{{}, primitive, std::move(arguments)};
  const Primitive* row = find_primitive(primitive);
  CHECK(row, "the default schedule uses a primitive that does not exist");
  std::vector<Argument> resolved;
  for (std::size_t i = 0; i < instruction.arguments.size(); ++i)
    resolved.push_back(TRY(replayer_.resolve(instruction.arguments[i], row->parameters[i].kind)));
  Applied applied = TRY(row->apply(replayer_.func(), resolved));
  instruction.results = applied.made;
  if (written_) TRY(written_->run(instruction));
  TRY_VOID(replayer_.adopt(instruction, std::move(applied)));
  Names made = instruction.results;
  trace_.instructions.push_back(std::move(instruction));
  return made;
}

Result<void> Draft::only(const std::string& primitive, std::vector<ScriptArgument> arguments) {
  TRY(call(primitive, std::move(arguments)));
  return {};
}

Result<std::string> Draft::call_for_one(const std::string& primitive,
                                        std::vector<ScriptArgument> arguments) {
  const Names made = TRY(call(primitive, std::move(arguments)));
  CHECK(made.size() == 1, primitive + " makes one thing");
  return made[0];
}

Result<void> Draft::append(const Trace& lines) {
  for (const Instruction& line : lines.instructions) {
    TRY_VOID(look(line));
    trace_.instructions.push_back(line);
  }
  return {};
}

Result<Draft::Names> Draft::loops(const std::string& name) {
  const Handle handle = TRY(block(name));
  const Path path = TRY(find_block(func(), name));
  Names variables;
  for (const For* node : path.loops()) variables.push_back(node->variable);
  if (variables.empty()) return variables;
  Instruction look_up{variables, "loops", {handle}};
  TRY_VOID(look(look_up));
  trace_.instructions.push_back(std::move(look_up));
  return variables;
}

namespace {

std::vector<Handle> handles(const Draft::Names& names) {
  std::vector<Handle> result;
  for (const std::string& name : names) result.push_back({name});
  return result;
}

}  // namespace

Result<Draft::Names> Draft::split(const std::string& loop, std::vector<std::int64_t> factors) {
  return call("split", {Handle{loop}, std::move(factors)});
}

Result<std::string> Draft::fuse(const Names& loops) {
  if (loops.size() == 1) return loops[0];
  return call_for_one("fuse", {handles(loops)});
}

Result<void> Draft::reorder(const Names& loops) {
  if (loops.size() < 2) return {};
  return only("reorder", {handles(loops)});
}

Result<void> Draft::compute_inline(const std::string& name) {
  return only("compute_inline", {TRY(block(name))});
}

Result<Draft::Names> Draft::compute_at(const std::string& name, const std::string& loop) {
  return call("compute_at", {TRY(block(name)), Handle{loop}});
}

Result<Draft::Names> Draft::reverse_compute_at(const std::string& name, const std::string& loop) {
  return call("reverse_compute_at", {TRY(block(name)), Handle{loop}});
}

Result<std::string> Draft::cache_read(const std::string& name, const std::string& buffer,
                                      const std::string& scope) {
  return call_for_one("cache_read", {TRY(block(name)), buffer, scope});
}

Result<std::string> Draft::reindex(const std::string& name, const std::string& buffer,
                                   const std::string& scope) {
  return call_for_one("reindex", {TRY(block(name)), buffer, scope});
}

Result<std::string> Draft::cache_write(const std::string& name, const std::string& scope) {
  return call_for_one("cache_write", {TRY(block(name)), scope});
}

Result<void> Draft::set_scope(const std::string& buffer, const std::string& scope) {
  return only("set_scope", {buffer, scope});
}

Result<std::string> Draft::decompose_reduction(const std::string& name, const std::string& loop) {
  return call_for_one("decompose_reduction", {TRY(block(name)), Handle{loop}});
}

Result<std::string> Draft::rfactor(const std::string& name, const std::string& loop,
                                   std::size_t axis) {
  return call_for_one("rfactor", {TRY(block(name)), Handle{loop}, static_cast<std::int64_t>(axis)});
}

Result<void> Draft::skip_padding(const std::string& name, const std::string& padding,
                                 const std::string& loop) {
  TRY_VOID(loops(name));  // which may have no handle yet
  const Handle sum = TRY(block(name)), border = TRY(block(padding));
  return only("skip_padding", {sum, border, Handle{loop}});
}

Result<void> Draft::transform_layout(const std::string& buffer, const std::string& map) {
  return only("transform_layout", {buffer, map});
}

Result<void> Draft::prefetch(const std::string& buffer, const std::string& loop,
                             const std::string& inside) {
  return only("prefetch", {buffer, Handle{loop}, std::int64_t{1}, Handle{inside}});
}

Result<void> Draft::annotate(const std::string& loop, std::string_view key,
                             const std::string& value) {
  return only("annotate", {Handle{loop}, std::string(key), value});
}

Result<void> Draft::split_axis(const std::string& name, std::size_t axis, std::int64_t factor) {
  return only("split_axis", {TRY(block(name)), static_cast<std::int64_t>(axis), factor});
}

}  // namespace loopglass::schedule
