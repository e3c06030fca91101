#include "core/script/offered_calls.h"

#include "core/expr/parse.h"
#include "core/loop/walk.h"
#include "core/support/overloaded.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Where a parameter says nothing: all that its kind can be.
std::vector<Argument> entities(const Func& func, ParameterKind kind) {
  std::vector<Argument> names;
  if (kind == ParameterKind::Buffer)
    for (const Buffer& buffer : loop::buffers_of(func)) names.emplace_back(buffer.name);
  loop::walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = loop::as<For>(stmt); node && kind == ParameterKind::Loop)
      names.emplace_back(node->variable);
    if (const Block* node = loop::as<Block>(stmt); node && kind == ParameterKind::Block)
      names.emplace_back(node->name);
  });
  return names;
}

void complete(const Func& func, OfferedCall& call, std::vector<OfferedCall>& offered) {
  const std::vector<Parameter>& parameters = call.primitive->parameters;
  if (call.arguments.size() == parameters.size()) {
    offered.push_back(call);
    return;
  }
  const Parameter& next = parameters[call.arguments.size()];
  if (next.optional) offered.push_back(call);
  for (Argument& choice :
       next.choices ? next.choices(func, call.arguments) : entities(func, next.kind)) {
    call.arguments.push_back(std::move(choice));
    complete(func, call, offered);
    call.arguments.pop_back();
  }
}

bool names_entity(const OfferedCall& call, const std::string& entity) {
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const ParameterKind kind = call.primitive->parameters[k].kind;
    const auto* name = std::get_if<std::string>(&call.arguments[k]);
    if (name && kind != ParameterKind::Name && *name == entity) return true;
    const auto* list = std::get_if<std::vector<std::string>>(&call.arguments[k]);
    if (list && kind == ParameterKind::Loops &&
        std::find(list->begin(), list->end(), entity) != list->end())
      return true;
  }
  return false;
}

ScriptArgument to_script_argument(const Argument& argument) {
  return std::visit(Overloaded{
                        [](const std::string& name) -> ScriptArgument {
                          if (expr::is_name(name)) return Handle{name};
                          return name;
                        },
                        [](const std::vector<std::string>& names) -> ScriptArgument {
                          if (!std::all_of(names.begin(), names.end(), expr::is_name)) return names;
                          std::vector<Handle> handles;
                          for (const std::string& name : names) handles.push_back({name});
                          return handles;
                        },
                        [](const auto& literal) -> ScriptArgument { return literal; },
                    },
                    argument);
}

}  // namespace

std::vector<OfferedCall> offered_calls(const Func& func, const std::string& entity) {
  std::vector<OfferedCall> offered;
  for (const Primitive& primitive : all_primitives()) {
    OfferedCall call{&primitive, {}};
    complete(func, call, offered);
  }
  if (!entity.empty())
    std::erase_if(offered, [&](const OfferedCall& call) { return !names_entity(call, entity); });
  return offered;
}

Instruction to_instruction(const OfferedCall& call) {
  Instruction instruction{{}, call.primitive->name, {}};
  for (const Argument& argument : call.arguments)
    instruction.arguments.push_back(to_script_argument(argument));
  return instruction;
}

}  // namespace loopglass::schedule
