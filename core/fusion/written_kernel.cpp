#include "core/fusion/written_kernel.h"

#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/loop/text.h"
#include "core/ops/written_kernel.h"
#include "core/te/parse.h"

namespace loopglass::fusion {

namespace {

Origin origin_of(const graph::Node& node) { return {{node.id.value}}; }

KernelProgram of_program(const graph::Node& node, te::Program program) {
  KernelProgram kernel;
  kernel.program = std::move(program);
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

// What the graph knows is a constant of the nest, whatever the text calls it.
KernelProgram of_nest(const graph::Graph& graph, const graph::Node& node, loop::Func func) {
  KernelProgram kernel;
  kernel.program.symbols = func.symbols;
  for (loop::Buffer& parameter : func.parameters) {
    if (parameter.role == loop::Role::Output) {
      kernel.program.outputs.push_back(parameter.name);
      continue;
    }
    if (graph.value(node.inputs[kernel.program.inputs.size()]).is_constant())
      parameter.role = loop::Role::Constant;
    kernel.program.inputs.push_back({parameter.name, parameter.type, parameter.shape});
  }
  kernel.nest = with_origin(func, origin_of(node));
  return kernel;
}

}  // namespace

Result<KernelProgram> written_kernel(const graph::Graph& graph, const graph::Node& node) {
  const ops::Extents extents = ops::extents_of(node.attributes);
  const std::string& text = ops::written_text(node.attributes);
  KernelProgram kernel = ops::is_loop_nest(*node.op)
                             ? of_nest(graph, node, TRY(loop::parse(text)))
                             : of_program(node, TRY(te::parse(text)).program);
  kernel.inputs = node.inputs;
  kernel.outputs = node.outputs;
  for (const graph::ValueId input : node.inputs)
    kernel.input_is_constant.push_back(graph.value(input).is_constant());
  for (const std::string& symbol : kernel.program.symbols)
    kernel.extents.push_back(extents.at(symbol));
  return kernel;
}

}  // namespace loopglass::fusion
