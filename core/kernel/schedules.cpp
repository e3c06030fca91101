#include "core/kernel/schedules.h"

#include "core/script/replayer.h"
#include "core/script/sampling.h"
#include "core/support/hash.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace loopglass::kernel {
namespace {

using schedule::ParameterKind;

// Names of one kind, as they stand in the one nest and in the other.
class Names {
 public:
  Names(const std::vector<std::string>& from, const std::vector<std::string>& to)
      : from_(from), to_(to) {}

  std::string operator()(const std::string& name) const {
    std::size_t longest = from_.size();
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (name == from_[i]) return to_[i];
      if (name.starts_with(from_[i] + '_') &&
          (longest == from_.size() || from_[i].size() > from_[longest].size()))
        longest = i;
    }
    if (longest == from_.size()) return name;
    return to_[longest] + name.substr(from_[longest].size());
  }

 private:
  const std::vector<std::string>&from_, &to_;
};

// What an argument of an instruction names; Name: nothing of the nest.
ParameterKind kind_of(const schedule::Instruction& instruction, std::size_t argument) {
  if (instruction.primitive == "buffer") return ParameterKind::Buffer;
  const auto kind_at = [&](const std::vector<schedule::Parameter>& parameters) {
    return argument < parameters.size() ? parameters[argument].kind : ParameterKind::Name;
  };
  if (const auto* sampling = schedule::find_sampling(instruction.primitive))
    return kind_at(sampling->parameters);
  if (schedule::is_look_up(instruction.primitive)) return ParameterKind::Block;
  const schedule::Primitive* primitive = schedule::find_primitive(instruction.primitive);
  return primitive ? kind_at(primitive->parameters) : ParameterKind::Name;
}

}  // namespace

std::string workload_of(const loop::NamelessForm& form) {
  return fmt::format("{:016x}", Hasher().text(form.bytes).digest());
}

schedule::Trace renamed(schedule::Trace trace, const loop::NamelessForm& from,
                        const loop::NamelessForm& to) {
  const Names blocks(from.blocks, to.blocks), buffers(from.buffers, to.buffers),
      loops(from.loops, to.loops);
  const auto names_of = [&](ParameterKind kind) -> const Names* {
    switch (kind) {
      case ParameterKind::Block: return &blocks;
      case ParameterKind::Buffer: return &buffers;
      case ParameterKind::Loop:
      case ParameterKind::Loops: return &loops;
      case ParameterKind::Integer:
      case ParameterKind::Integers:
      case ParameterKind::Name:
      case ParameterKind::Names: return nullptr;
    }
    __builtin_unreachable();
  };
  // Handles, which are called after what they stand for; others are names of the nest.
  std::map<std::string, std::string> bound;
  std::set<std::string> taken;
  const auto rename = [&](schedule::Handle& handle, const Names& names) {
    const auto known = bound.find(handle.name);
    handle.name = known != bound.end() ? known->second : names(handle.name);
  };
  const auto bind = [&](std::string& handle) {
    auto known = bound.find(handle);
    if (known == bound.end()) {
      std::string name = blocks(handle) != handle ? blocks(handle) : loops(handle);
      while (!taken.insert(name).second) name += '_';
      known = bound.emplace(handle, std::move(name)).first;
    }
    handle = known->second;
  };
  for (schedule::Instruction& instruction : trace.instructions) {
    for (std::size_t i = 0; i < instruction.arguments.size(); ++i) {
      const Names* names = names_of(kind_of(instruction, i));
      if (names == nullptr) continue;
      schedule::ScriptArgument& argument = instruction.arguments[i];
      if (auto* name = std::get_if<std::string>(&argument)) *name = (*names)(*name);
      if (auto* list = std::get_if<std::vector<std::string>>(&argument))
        for (std::string& name : *list) name = (*names)(name);
      if (auto* handle = std::get_if<schedule::Handle>(&argument)) rename(*handle, *names);
      if (auto* list = std::get_if<std::vector<schedule::Handle>>(&argument))
        for (schedule::Handle& handle : *list) rename(handle, *names);
    }
    for (std::string& result : instruction.results) bind(result);
  }
  return trace;
}

void Schedules::set(const loop::NamelessForm& nest, std::optional<schedule::Trace> trace) {
  if (trace) kept_.insert_or_assign(nest.bytes, Own{nest, std::move(*trace)});
  else kept_.erase(nest.bytes);
}

std::optional<schedule::Trace> Schedules::find(const loop::NamelessForm& nest) const {
  const auto kept = kept_.find(nest.bytes);
  if (kept == kept_.end()) return std::nullopt;
  return renamed(kept->second.trace, kept->second.nest, nest);
}

}  // namespace loopglass::kernel
