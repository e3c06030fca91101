#include "core/fusion/written_kernel.h"

#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "core/ops/written_kernel.h"
#include "core/te/parse.h"

#include <algorithm>

namespace loopglass::fusion {

namespace {

using ops::Extents;

bool is_symbolic(const std::vector<expr::Expr>& shape) {
  return std::ranges::any_of(shape,
                             [](const expr::Expr& extent) { return !expr::as_integer(extent); });
}

Origin origin_of(const graph::Node& node) { return {{node.id.value}}; }

KernelProgram of_program(const graph::Node& node, te::Program program, const Extents& extents) {
  const bool keeps_symbolic = std::ranges::any_of(program.stages, [&](const te::Stage& stage) {
    return std::ranges::find(program.outputs, stage.output.name) == program.outputs.end() &&
           is_symbolic(stage.output.shape);
  });
  KernelProgram kernel;
  kernel.program =
      keeps_symbolic ? ops::with_extents(std::move(program), extents) : std::move(program);
  for (te::Stage& stage : kernel.program.stages) stage.origin = origin_of(node);
  return kernel;
}

// The nest with the origin of all it does, and what blocks read and write as it follows from that.
loop::Func with_origin(const loop::Func& func, const Origin& origin) {
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  return loop::with_body(
      func, loop::rewrite(func.body, [&](const loop::Stmt& stmt) -> loop::Stmt {
        if (const auto* block = loop::as<loop::Block>(stmt)) {
          loop::Block changed = loop::with_regions(*block, buffers);
          changed.origin = origin;
          return loop::with_annotations(loop::make(std::move(changed)), stmt->annotations);
        }
        if (const auto* store = loop::as<loop::Store>(stmt)) {
          loop::Store changed = *store;
          changed.origin = origin;
          return loop::with_annotations(loop::make(std::move(changed)), stmt->annotations);
        }
        return stmt;
      }));
}

KernelProgram of_nest(const graph::Node& node, loop::Func func, const Extents& extents) {
  if (loop::keeps_symbolic_buffers(func)) func = loop::with_extents(func, extents);
  KernelProgram kernel;
  kernel.program.symbols = func.symbols;
  for (const loop::Buffer& parameter : func.parameters) {
    if (parameter.role == loop::Role::Output) kernel.program.outputs.push_back(parameter.name);
    else kernel.program.inputs.push_back({parameter.name, parameter.type, parameter.shape});
  }
  kernel.nest = with_origin(func, origin_of(node));
  return kernel;
}

}  // namespace

Result<KernelProgram> written_kernel(const graph::Graph& graph, const graph::Node& node) {
  const Extents extents = ops::extents_of(node.attributes);
  const std::string& text = ops::written_text(node.attributes);
  KernelProgram kernel = ops::is_loop_nest(*node.op)
                             ? of_nest(node, TRY(loop::parse(text)), extents)
                             : of_program(node, TRY(te::parse(text)).program, extents);
  kernel.inputs = node.inputs;
  kernel.outputs = node.outputs;
  for (const graph::ValueId input : node.inputs)
    kernel.input_is_constant.push_back(graph.value(input).is_constant());
  for (const std::string& symbol : kernel.program.symbols)
    kernel.extents.push_back(extents.at(symbol));
  return kernel;
}

}  // namespace loopglass::fusion
