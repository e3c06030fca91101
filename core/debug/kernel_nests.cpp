#include "core/debug/kernel_nests.h"

#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::debug {

namespace {

using Nest = fusion::KernelNests::Nest;

// Where operators are inlined, a block bears the names of several; whose reduction it is tells the
// tensor that it is called by.
void add_block(const loop::Block& block, const std::vector<std::string>& loops,
               const te::Program& program, Nest& nest) {
  const auto add = [](const Origin& origin, std::set<graph::NodeId>& nodes) {
    for (const std::uint32_t source : origin.sources) nodes.insert(graph::NodeId{source});
  };
  add(block.origin, nest.operators);
  nest.statements.push_back({{}, loops});
  add(block.origin, nest.statements.back().operators);
  if (std::ranges::none_of(block.iters, &loop::IterVar::reduction)) return;
  const te::Stage* stage = program.stage(block.name);
  if (stage == nullptr) nest.reduces.reset();
  else if (nest.reduces) add(stage->origin, *nest.reduces);
}

void add_blocks(const loop::Stmt& stmt, std::vector<std::string>& loops, const te::Program& program,
                Nest& nest) {
  if (const auto* block = loop::as<loop::Block>(stmt)) add_block(*block, loops, program, nest);
  const auto* around = loop::as<loop::For>(stmt);
  if (around) loops.push_back(around->variable);
  for (const loop::Stmt& inner : loop::children(stmt)) add_blocks(inner, loops, program, nest);
  if (around) loops.pop_back();
}

void add_nests(const loop::Stmt& stmt, const te::Program& program, std::vector<Nest>& nests) {
  if (const auto* alloc = loop::as<loop::Alloc>(stmt))
    return add_nests(alloc->body, program, nests);
  if (const auto* sequence = loop::as<loop::Seq>(stmt)) {
    for (const loop::Stmt& each : sequence->statements) add_nests(each, program, nests);
    return;
  }
  Nest nest;
  std::vector<std::string> loops;
  add_blocks(stmt, loops, program, nest);
  nests.push_back(std::move(nest));
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
