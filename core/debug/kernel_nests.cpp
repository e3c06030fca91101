#include "core/debug/kernel_nests.h"

#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::debug {

namespace {

using Nest = fusion::KernelNests::Nest;

class NestReader {
 public:
  explicit NestReader(const te::Program& program) : program_(program) {}

  Nest read(const loop::Stmt& stmt) && {
    add_blocks(stmt);
    // Partial sums are those of whoever adds them up.
    for (const std::set<graph::NodeId>& operators : partial_)
      if (std::ranges::none_of(*nest_.reduces,
                               [&](graph::NodeId node) { return operators.contains(node); })) {
        nest_.reduces.reset();
        break;
      }
    return std::move(nest_);
  }

 private:
  // Where operators are inlined, a block bears the names of several; whose reduction it is tells
  // the tensor that it is called by.
  void add_block(const loop::Block& block) {
    const auto add = [](const Origin& origin, std::set<graph::NodeId>& nodes) {
      for (const std::uint32_t source : origin.sources) nodes.insert(graph::NodeId{source});
    };
    add(block.origin, nest_.operators);
    nest_.statements.push_back({{}, loops_});
    std::set<graph::NodeId>& operators = nest_.statements.back().operators;
    add(block.origin, operators);
    if (std::ranges::none_of(block.iters, &loop::IterVar::reduction)) return;
    if (const te::Stage* stage = program_.stage(block.name)) add(stage->origin, *nest_.reduces);
    else partial_.push_back(operators);
  }

  void add_blocks(const loop::Stmt& stmt) {
    if (const auto* block = loop::as<loop::Block>(stmt)) add_block(*block);
    const auto* around = loop::as<loop::For>(stmt);
    if (around) loops_.push_back(around->variable);
    for (const loop::Stmt& inner : loop::children(stmt)) add_blocks(inner);
    if (around) loops_.pop_back();
  }

  const te::Program& program_;
  Nest nest_;
  std::vector<std::string> loops_;  // around what is read
  std::vector<std::set<graph::NodeId>> partial_;
};

void add_nests(const loop::Stmt& stmt, const te::Program& program, std::vector<Nest>& nests) {
  if (const auto* alloc = loop::as<loop::Alloc>(stmt))
    return add_nests(alloc->body, program, nests);
  if (const auto* sequence = loop::as<loop::Seq>(stmt)) {
    for (const loop::Stmt& each : sequence->statements) add_nests(each, program, nests);
    return;
  }
  nests.push_back(NestReader(program).read(stmt));
}

}  // namespace

Result<fusion::KernelNests> kernel_nests(Session& session, fusion::GroupId group,
                                         const Cancellation& cancellation) {
  const auto kernel = TRY(session.kernel(group, cancellation));
  fusion::KernelNests made;
  made.is_view = kernel->is_view;
  if (made.is_view) return made;
  add_nests(kernel->scheduled().body, kernel->program.program, made.nests);
  made.workspace_bytes = kernel->use.workspace_bytes;
  return made;
}

}  // namespace loopglass::debug
