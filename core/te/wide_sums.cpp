#include "core/te/wide_sums.h"

#include <algorithm>

namespace loopglass::te {

namespace {

bool is_long_sum(const Stage& stage, std::int64_t longest) {
  if (stage.reducer != Reducer::Sum || stage.output.type != DataType::Float32) return false;
  double terms = 1;
  for (const Axis& axis : stage.reduce_axes)
    terms *= static_cast<double>(expr::as_integer(axis.extent).value_or(1));
  return terms > static_cast<double>(longest);
}

std::string unused_name(const Program& program, std::string name) {
  const auto is_taken = [&] {
    return program.stage(name) ||
           std::ranges::find(program.inputs, name, &Tensor::name) != program.inputs.end();
  };
  while (is_taken()) name += "_";
  return name;
}

}  // namespace

Program with_wide_sums(Program program, std::int64_t longest) {
  std::vector<Stage> stages;
  for (const Stage& stage : program.stages) {
    if (!is_long_sum(stage, longest)) {
      stages.push_back(stage);
      continue;
    }
    Stage wide = stage, narrow = stage;
    wide.output.name = unused_name(program, stage.output.name + "_wide");
    wide.output.type = DataType::Float64;
    wide.body = expr::cast(DataType::Float64, stage.body);
    std::vector<Expr> indices;
    for (const Axis& axis : stage.axes) indices.push_back(expr::variable(axis.name));
    narrow.reducer.reset();
    narrow.reduce_axes.clear();
    narrow.body = expr::cast(DataType::Float32, wide.output(indices));
    stages.push_back(std::move(wide));
    stages.push_back(std::move(narrow));
  }
  program.stages = std::move(stages);
  return program;
}

}  // namespace loopglass::te
