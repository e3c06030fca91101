#include "core/loop/lower.h"

#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/loop/regions.h"
#include "core/support/check.h"
#include "core/te/axis_roles.h"
#include "core/te/program_index.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace loopglass::loop {

namespace {

using te::Axis;
using te::Program;
using te::Stage;

// Iteration variables of blocks are numbered, whatever a person has called the axes: those names
// are the loops'.
Stage numbered(Stage stage) {
  std::map<std::string, Expr> names;
  const auto number = [&](std::vector<Axis>& axes, char letter) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::string name = fmt::format("{}{}", letter, k);
      names.emplace(axes[k].name, expr::variable(name));
      axes[k].name = name;
    }
  };
  number(stage.axes, 'i');
  number(stage.reduce_axes, 'r');
  stage.body = expr::substitute(stage.body, names);
  return stage;
}

class Lowering {
 public:
  Lowering(const Program& program, const std::vector<std::string>& constants) : program_(program) {
    for (const std::string& symbol : program.symbols) names_.insert(symbol);
    for (const te::Tensor& input : program.inputs) {
      const bool constant =
          std::find(constants.begin(), constants.end(), input.name) != constants.end();
      add({input.name,
           input.type,
           input.shape,
           Scope::Global,
           constant ? Role::Constant : Role::Input,
           {}});
    }
    for (const Stage& stage : program.stages)
      add({stage.output.name,
           stage.output.type,
           stage.output.shape,
           Scope::Workspace,
           Role::Intermediate,
           {}});
  }

  Func run(std::string name) {
    std::vector<Stmt> nests;
    const auto roles = te::axis_roles(program_);
    for (std::size_t i = 0; i < roles.size(); ++i) lower(program_.stages[i], roles[i], nests);
    Func func{expr::to_name(name), program_.symbols, {}, nullptr};
    for (const te::Tensor& input : program_.inputs) func.parameters.push_back(buffer(input.name));
    std::set<std::string> given;
    for (const std::string& output : program_.outputs) {
      // An output is a buffer of its own: what is already a parameter is copied.
      if (index_.stage(output) && given.insert(output).second) {
        buffer(output).role = Role::Output;
        buffer(output).scope = Scope::Global;
        func.parameters.push_back(buffer(output));
      } else {
        func.parameters.push_back(copy_of(output, nests));
      }
    }
    func.body = sequence(std::move(nests));
    for (auto stage = program_.stages.rbegin(); stage != program_.stages.rend(); ++stage)
      if (const Buffer& result = buffer(stage->output.name); result.role == Role::Intermediate)
        func.body = make(Alloc{result, func.body});
    return func;
  }

 private:
  void add(Buffer buffer) {
    CHECK(names_.insert(buffer.name).second,
          fmt::format("two tensors are named '{}'", buffer.name));
    std::string name = buffer.name;
    buffers_.emplace(std::move(name), std::move(buffer));
  }

  Buffer& buffer(const std::string& name) {
    const auto found = buffers_.find(name);
    CHECK(found != buffers_.end(), fmt::format("the program has no tensor '{}'", name));
    return found->second;
  }

  std::string unique(const std::string& wanted) {
    std::string candidate = wanted;
    for (int suffix = 1; !names_.insert(candidate).second; ++suffix)
      candidate = fmt::format("{}_{}", wanted, suffix);
    return candidate;
  }

  // The block under one loop per axis, outermost first. Loops are called by what their axes are in
  // the field (te/axis_roles.h).
  Stmt nest(Block block, const std::vector<Axis>& axes, const std::vector<Axis>& reduce_axes,
            const std::vector<std::string>& roles) {
    std::vector<std::pair<std::string, Expr>> loops;
    const auto bind = [&](const std::vector<Axis>& list, bool reduction) {
      for (const Axis& axis : list) {
        const std::string variable = unique(roles[loops.size()]);
        loops.emplace_back(variable, axis.extent);
        block.iters.push_back({axis.name, axis.extent, reduction, expr::variable(variable)});
      }
    };
    bind(axes, false);
    bind(reduce_axes, true);
    compute_regions(block, FindBuffer([&](const std::string& name) -> const Buffer* {
                      const auto found = buffers_.find(name);
                      return found == buffers_.end() ? nullptr : &found->second;
                    }));
    Stmt body = make(std::move(block));
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
      body = make(For{loop->first, loop->second, ForKind::Serial, body});
    return body;
  }

  void lower(const Stage& written, const std::vector<std::string>& roles,
             std::vector<Stmt>& nests) {
    const Stage stage = numbered(written);
    const te::Tensor& output = stage.output;
    std::vector<Expr> indices;
    for (const Axis& axis : stage.axes) indices.push_back(expr::variable(axis.name));
    const auto store = [&](Expr value) {
      return make(Store{output.name, indices, std::move(value), {}});
    };
    Block block{output.name, {}, {}, {}, {}, nullptr, nullptr, stage.reducer, stage.origin};
    if (!stage.reducer) {
      block.body = store(stage.body);
      nests.push_back(nest(std::move(block), stage.axes, {}, roles));
      return;
    }
    const Stmt init = store(te::identity(*stage.reducer, output.type));
    block.body = store(te::combine(*stage.reducer, output(indices), stage.body));
    // An init inside the nest never runs when there is nothing to reduce, so then (and where the
    // extent is not known to be positive) it gets a nest of its own.
    const auto extent_is = [](auto test) {
      return [test](const Axis& axis) {
        const auto extent = expr::as_integer(axis.extent);
        return extent && test(*extent);
      };
    };
    const auto& reduced = stage.reduce_axes;
    if (std::all_of(reduced.begin(), reduced.end(),
                    extent_is([](std::int64_t extent) { return extent > 0; }))) {
      block.init = init;
    } else {
      Block first{
          unique(output.name + "_init"), {}, {}, {}, {}, nullptr, init, std::nullopt, stage.origin};
      nests.push_back(nest(std::move(first), stage.axes, {}, roles));
      if (std::any_of(reduced.begin(), reduced.end(),
                      extent_is([](std::int64_t extent) { return extent == 0; })))
        return;
    }
    nests.push_back(nest(std::move(block), stage.axes, reduced, roles));
  }

  Buffer copy_of(const std::string& name, std::vector<Stmt>& nests) {
    const Buffer source = buffer(name);
    Buffer target{unique(name + "_copy"), source.type,  source.shape,
                  Scope::Global,          Role::Output, {}};
    buffers_.emplace(target.name, target);
    std::vector<Axis> axes;
    std::vector<Expr> indices;
    std::vector<std::string> roles;
    for (const Expr& extent : source.shape) {
      roles.push_back(te::lettered_role(axes.size()));
      indices.push_back(expr::variable(fmt::format("i{}", axes.size())));
      axes.push_back({fmt::format("i{}", axes.size()), extent});
    }
    const Stage* stage = index_.stage(name);
    Block block{target.name, {},           {},
                {},          {},           nullptr,
                nullptr,     std::nullopt, stage ? stage->origin : Origin{}};
    block.body =
        make(Store{target.name, indices, expr::load(source.type, source.name, indices), {}});
    nests.push_back(nest(std::move(block), axes, {}, roles));
    return target;
  }

  const Program& program_;
  const te::ProgramIndex index_{program_};
  std::unordered_map<std::string, Buffer> buffers_;
  std::set<std::string> names_;
};

}  // namespace

Func lower(const te::Program& program, std::string name,
           const std::vector<std::string>& constants) {
  return Lowering(program, constants).run(std::move(name));
}

}  // namespace loopglass::loop
