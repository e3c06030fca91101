// The table of primitives, and what holds for all of them: arguments of the right number and kind,
// that notes outlive them, and that what is inside a block is left alone.
#include "core/schedule/primitive_list.h"

#include "core/dependence/witness.h"
#include "core/loop/walk.h"
#include "core/schedule/keep_notes.h"
#include "core/schedule/tiles.h"
#include "core/support/check.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

namespace {

template <class T>
const T& argument_at(std::span<const Argument> arguments, std::size_t index) {
  CHECK(index < arguments.size() && std::holds_alternative<T>(arguments[index]),
        "a primitive reads an argument its row does not declare");
  return std::get<T>(arguments[index]);
}

}  // namespace

std::string_view kind_name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Block: return "a block";
    case ParameterKind::Loop: return "a loop";
    case ParameterKind::Loops: return "a list of loops";
    case ParameterKind::Buffer: return "a buffer";
    case ParameterKind::Integer: return "an integer";
    case ParameterKind::Integers: return "a list of integers";
    case ParameterKind::Name: return "a name";
    case ParameterKind::Names: return "a list of names";
  }
  return {};
}

namespace {

bool fits(ParameterKind kind, const Argument& argument) {
  switch (kind) {
    case ParameterKind::Block:
    case ParameterKind::Loop:
    case ParameterKind::Buffer:
    case ParameterKind::Name: return std::holds_alternative<std::string>(argument);
    case ParameterKind::Loops:
    case ParameterKind::Names: return std::holds_alternative<std::vector<std::string>>(argument);
    case ParameterKind::Integer: return std::holds_alternative<std::int64_t>(argument);
    case ParameterKind::Integers:
      return std::holds_alternative<std::vector<std::int64_t>>(argument);
  }
  return false;
}

Result<void> check_arguments(const std::string& name, const std::vector<Parameter>& parameters,
                             std::span<const Argument> arguments) {
  const auto required = static_cast<std::size_t>(std::count_if(
      parameters.begin(), parameters.end(), [](const Parameter& p) { return !p.optional; }));
  if (arguments.size() < required || arguments.size() > parameters.size())
    return illegal(name, name,
                   required == parameters.size()
                       ? fmt::format("takes {} arguments, got {}", required, arguments.size())
                       : fmt::format("takes {} to {} arguments, got {}", required,
                                     parameters.size(), arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!fits(parameters[i].kind, arguments[i]))
      return illegal(name, name,
                     fmt::format("argument {} ('{}') must be {}", i + 1, parameters[i].name,
                                 kind_name(parameters[i].kind)));
  return {};
}

Primitive checked(Primitive primitive) {
  primitive.apply = [name = primitive.name, parameters = primitive.parameters,
                     apply = std::move(primitive.apply)](
                        const loop::Func& func,
                        std::span<const Argument> arguments) -> Result<Applied> {
    TRY_VOID(check_arguments(name, parameters, arguments));
    TRY_VOID(check_outside_tiles(name, parameters, func, arguments));
    Applied applied = TRY(apply(func, arguments));
    if (const int deep = loop::depth(applied.func.body); deep > loop::maximum_depth)
      return illegal(name, name,
                     fmt::format("the nest would be {} statements deep, and {} are the most", deep,
                                 loop::maximum_depth));
    applied.func = with_regions_of_tiles(with_notes_of(func, std::move(applied.func)));
    return applied;
  };
  if (primitive.witness)
    primitive.witness = [name = primitive.name, parameters = primitive.parameters,
                         witness = std::move(primitive.witness)](
                            const loop::Func& func, std::span<const Argument> arguments) -> Search {
      if (!check_arguments(name, parameters, arguments) ||
          !check_outside_tiles(name, parameters, func, arguments))
        return {};
      return witness(func, arguments);
    };
  primitive.check = [apply = primitive.apply](const loop::Func& func,
                                              std::span<const Argument> arguments) -> Result<void> {
    TRY(apply(func, arguments));
    return {};
  };
  return primitive;
}

}  // namespace

const std::string& name_at(std::span<const Argument> arguments, std::size_t index) {
  return argument_at<std::string>(arguments, index);
}
const std::vector<std::string>& names_at(std::span<const Argument> arguments, std::size_t index) {
  return argument_at<std::vector<std::string>>(arguments, index);
}
std::int64_t integer_at(std::span<const Argument> arguments, std::size_t index) {
  return argument_at<std::int64_t>(arguments, index);
}
const std::vector<std::int64_t>& integers_at(std::span<const Argument> arguments,
                                             std::size_t index) {
  return argument_at<std::vector<std::int64_t>>(arguments, index);
}

const std::vector<Primitive>& all_primitives() {
  static const std::vector<Primitive> table = [] {
    std::vector<Primitive> rows{
        split(),
        fuse(),
        reorder(),
        tile(),
        loop_partition(),
        add_unit_loop(),  // loops
        parallel(),
        vectorize(),
        unroll(),
        bind(),  // loop kinds
        compute_at(),
        reverse_compute_at(),
        compute_root(),
        compute_with(),
        compute_inline(),
        reverse_compute_inline(),  // places
        cache_read(),
        cache_write(),
        reindex(),
        set_scope(),
        storage_align(),
        rolling_buffer(),
        prefetch(),  // memory
        decompose_reduction(),
        rfactor(),
        fuse_epilogue(),  // sums
        transform_layout(),
        split_axis(),
        pad_axis(),
        pad_einsum(),
        decompose_padding(),
        skip_padding(),  // layouts
        blockize(),
        tensorize(),
        annotate(),  // what machine code is told
    };
    std::transform(rows.begin(), rows.end(), rows.begin(), checked);
    return rows;
  }();
  return table;
}

const Primitive* find_primitive(std::string_view name) {
  const std::vector<Primitive>& rows = all_primitives();
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Primitive& p) { return p.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace loopglass::schedule
