#include "core/placement/parts.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/support/check.h"
#include "core/te/program_index.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

namespace loopglass::placement {
namespace {

using expr::Expr;

class Reduction {
 public:
  explicit Reduction(const fusion::KernelProgram& kernel) : old_(kernel.program) {
    for (const te::Tensor& input : kernel.program.inputs) names_.insert(input.name);
    for (const te::Stage& stage : kernel.program.stages) names_.insert(stage.output.name);
  }

  const te::Stage& stage(const std::string& name) const {
    const te::Stage* found = old_.stage(name);
    CHECK(found, "a kernel's result is computed by a stage");
    return *found;
  }

  // The stage that computes a part of an output, under a name of its own.
  te::Stage stage_of(const Part& wanted, const te::Stage& whole) {
    const Box& box = wanted.box;
    te::Stage part = whole;
    part.output.name = unique(whole.output.name + "_part");
    part.output.shape = te::extents(wanted.memory);
    std::map<std::string, Expr> shifted;
    expr::Ranges ranges;
    for (std::size_t d = 0; d < part.axes.size(); ++d) {
      const std::int64_t extent = box.end[d] - box.begin[d];
      part.axes[d].extent = Expr(extent);
      shifted.emplace(part.axes[d].name, expr::variable(part.axes[d].name) + Expr(box.begin[d]));
      ranges[part.axes[d].name] = {0, extent - 1};
    }
    part.body = expr::simplify(expr::substitute(whole.body, shifted), ranges);
    return part;
  }

 private:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int suffix = 1; !names_.insert(name).second; ++suffix)
      name = fmt::format("{}_{}", wanted, suffix);
    return name;
  }

  const te::ProgramIndex old_;
  std::set<std::string> names_;
};

// Stages and inputs that some output needs.
std::set<std::string> needed_by(const te::Program& program) {
  std::set<std::string> needed(program.outputs.begin(), program.outputs.end());
  for (auto stage = program.stages.rbegin(); stage != program.stages.rend(); ++stage) {
    if (!needed.contains(stage->output.name)) continue;
    const auto add = [&](const Expr& e) {
      if (!e.defined()) return;
      expr::visit(e, [&](const Expr& node) {
        if (const auto* load = node.as<expr::Load>()) needed.insert(load->buffer);
      });
    };
    add(stage->body);
  }
  return needed;
}

}  // namespace

fusion::KernelProgram remaining_kernel(const fusion::KernelProgram& kernel,
                                       const std::vector<Remainder>& outputs,
                                       const std::map<std::size_t, Shape>& inputs) {
  fusion::KernelProgram result;
  te::Program& program = result.program;
  program = kernel.program;
  program.outputs.clear();
  for (const auto& [input, shape] : inputs) program.inputs[input].shape = te::extents(shape);
  Reduction reduction(kernel);
  std::vector<te::Stage> parts;
  // Of results written to other shapes than their own.
  std::unordered_map<std::string, Shape> memory;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const std::string& name = kernel.program.outputs[o];
    const auto give = [&](const std::string& tensor) {
      program.outputs.push_back(tensor);
      result.outputs.push_back(kernel.outputs[o]);
    };
    if (outputs[o].whole) {
      if (outputs[o].memory) memory.emplace(name, *outputs[o].memory);
      give(name);
      continue;
    }
    for (const Part& part : outputs[o].parts) {
      parts.push_back(reduction.stage_of(part, reduction.stage(name)));
      give(parts.back().output.name);
    }
  }
  for (te::Stage& stage : program.stages)
    if (const auto other = memory.find(stage.output.name); other != memory.end())
      stage.output.shape = te::extents(other->second);
  program.stages.insert(program.stages.end(), parts.begin(), parts.end());

  const std::set<std::string> needed = needed_by(program);
  std::erase_if(program.stages,
                [&](const te::Stage& stage) { return !needed.contains(stage.output.name); });
  std::vector<te::Tensor> read;
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
    if (!needed.contains(program.inputs[i].name)) continue;
    read.push_back(program.inputs[i]);
    result.inputs.push_back(kernel.inputs[i]);
    result.input_is_constant.push_back(kernel.input_is_constant[i]);
    result.input_is_finite.push_back(kernel.input_is_finite[i]);
  }
  program.inputs = std::move(read);
  return result;
}

}  // namespace loopglass::placement
