// set_scope(buffer, scope): where a buffer of the function's own lives.
#include "core/loop/buffers.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_set_scope(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("set_scope({}, {})", name, name_at(arguments, 1));
  const loop::Scope scope = TRY(scope_named(call, name_at(arguments, 1)));
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* known = loop::find_buffer(buffers, name);
  if (!known)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, name), name);
  if (is_parameter(func, name))
    return illegal(call, name, fmt::format("'{}' is a parameter: its memory is the caller's", name),
                   "cache_read or cache_write it, and set the scope of the copy");
  Buffer buffer = *known;
  buffer.scope = scope;
  return Applied{with_buffer(func, buffer), {}, {}};
}

}  // namespace

Primitive set_scope() {
  return {
      "set_scope",
      "Says where a buffer that the kernel itself allocates lives.",
      "alloc A: float32[8] workspace { ... }",
      "alloc A: float32[8] register { ... }",
      {{"buffer", ParameterKind::Buffer, "an allocation of the kernel", choices::allocations()},
       {"scope", ParameterKind::Name, "workspace, shared, stack or register", choices::scopes()}},
      apply_set_scope};
}

}  // namespace loopglass::schedule
