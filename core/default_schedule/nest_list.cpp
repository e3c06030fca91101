#include "core/default_schedule/nest_list.h"

#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/walk.h"
#include "core/schedule/move.h"
#include "core/support/check.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Takes off the allocations around everything else, outermost first.
std::vector<Buffer> peel(Stmt& body) {
  std::vector<Buffer> buffers;
  while (const Alloc* alloc = as<Alloc>(body)) {
    buffers.push_back(alloc->buffer);
    body = Stmt(alloc->body);
  }
  return buffers;
}

Stmt allocated(const std::vector<Buffer>& buffers, Stmt body) {
  for (auto buffer = buffers.rbegin(); buffer != buffers.rend(); ++buffer)
    body = make(Alloc{*buffer, std::move(body)});
  return body;
}

// Of loops, blocks and allocations: what primitives make.
std::vector<std::string> names_in(const Stmt& root) {
  std::vector<std::string> names;
  loop::walk(root, [&](const Stmt& stmt) {
    if (const auto* node = as<For>(stmt)) names.push_back(node->variable);
    if (const auto* node = as<Alloc>(stmt)) names.push_back(node->buffer.name);
    if (const auto* node = as<Block>(stmt)) names.push_back(node->name);
  });
  return names;
}

const NestList::Positions nowhere;

}  // namespace

NestList::NestList(loop::Func func) : func_(std::move(func)) {
  names_.insert(func_.symbols.begin(), func_.symbols.end());
  for (std::size_t p = 0; p < func_.parameters.size(); ++p) {
    parameter_.emplace(func_.parameters[p].name, p);
    names_.insert(func_.parameters[p].name);
  }
  Stmt body = func_.body;
  for (Buffer& buffer : peel(body)) {
    allocation_.emplace(buffer.name, allocations_.size());
    names_.insert(buffer.name);
    allocations_.emplace_back(std::move(buffer));
  }
  for (Stmt& stmt : statements_of(body)) nests_.push_back({{std::move(stmt)}, {}, {}, {}});
  for (std::size_t p = 0; p < nests_.size(); ++p) {
    take_apart(nests_[p], p);
    for (std::string& name : names_in(nests_[p].statements.front())) names_.insert(std::move(name));
  }
}

void NestList::take_apart(Nest& nest, std::size_t position) {
  const auto loads = [&](const Expr& e) {
    if (!e.defined()) return;
    expr::visit(e, [&](const Expr& node) {
      if (const auto* load = node.as<expr::Load>()) nest.reads.insert(load->buffer);
    });
  };
  for (const Stmt& root : nest.statements)
    loop::walk(root, [&](const Stmt& stmt) {
      if (const auto* store = as<loop::Store>(stmt)) nest.writes.insert(store->buffer);
      if (const auto* node = as<Block>(stmt)) {
        nest.blocks.push_back(node);
        position_[node->name] = position;
      }
      loop::each_expr(stmt, loads);
    });
  for (const std::string& buffer : nest.reads) readers_[buffer].insert(position);
  for (const std::string& buffer : nest.writes) writers_[buffer].insert(position);
}

void NestList::forget(std::size_t position) {
  Nest& nest = nests_[position];
  for (const std::string& buffer : nest.reads) readers_[buffer].erase(position);
  for (const std::string& buffer : nest.writes) writers_[buffer].erase(position);
  for (const Block* block : nest.blocks) position_.erase(block->name);
  nest = {};
}

std::vector<std::string> NestList::blocks() const {
  std::vector<std::string> names;
  for (const Nest& nest : nests_)
    for (const Block* block : nest.blocks) names.push_back(block->name);
  return names;
}

std::size_t NestList::position_of(const std::string& block) const {
  const auto found = position_.find(block);
  CHECK(found != position_.end(), "there is no block " + block);
  return found->second;
}

const Block& NestList::block(const std::string& name) const {
  for (const Block* block : nests_[position_of(name)].blocks)
    if (block->name == name) return *block;
  CHECK(false, "there is no block " + name);
  __builtin_unreachable();
}

const NestList::Positions& NestList::readers_of(const std::string& buffer) const {
  const auto found = readers_.find(buffer);
  return found == readers_.end() ? nowhere : found->second;
}

const NestList::Positions& NestList::writers_of(const std::string& buffer) const {
  const auto found = writers_.find(buffer);
  return found == writers_.end() ? nowhere : found->second;
}

const Buffer* NestList::parameter(const std::string& buffer) const {
  const auto found = parameter_.find(buffer);
  return found == parameter_.end() ? nullptr : &func_.parameters[found->second];
}

bool NestList::is_in_order() const {
  return std::ranges::all_of(writers_, [&](const auto& entry) {
    const auto& [buffer, writers] = entry;
    const Positions& readers = readers_of(buffer);
    return writers.empty() || readers.empty() || *writers.rbegin() <= *readers.begin();
  });
}

bool NestList::is_inside(const std::string& buffer, const Positions& positions) const {
  const auto within = [&](std::size_t position) { return positions.contains(position); };
  return std::ranges::all_of(readers_of(buffer), within) &&
         std::ranges::all_of(writers_of(buffer), within);
}

loop::Func NestList::excerpt(const Positions& positions) const {
  loop::Func part{func_.name, func_.symbols, {}, nullptr};
  std::set<std::size_t> parameters, allocations;
  std::vector<Stmt> statements;
  for (const std::size_t position : positions) {
    const Nest& nest = nests_[position];
    statements.insert(statements.end(), nest.statements.begin(), nest.statements.end());
    for (const auto* buffers : {&nest.reads, &nest.writes})
      for (const std::string& buffer : *buffers) {
        if (const auto p = parameter_.find(buffer); p != parameter_.end())
          parameters.insert(p->second);
        if (const auto a = allocation_.find(buffer); a != allocation_.end())
          allocations.insert(a->second);
      }
  }
  for (const std::size_t p : parameters) part.parameters.push_back(func_.parameters[p]);
  std::vector<Buffer> inside;
  for (const std::size_t a : allocations) {
    Buffer buffer = *allocations_[a];
    if (is_inside(buffer.name, positions)) {
      inside.push_back(std::move(buffer));
      continue;
    }
    const bool written = std::ranges::any_of(
        positions, [&](std::size_t p) { return nests_[p].writes.contains(buffer.name); });
    buffer.role = written ? loop::Role::Output : loop::Role::Input;
    buffer.scope = loop::Scope::Global;
    part.parameters.push_back(std::move(buffer));
  }
  part.body = allocated(inside, loop::sequence(std::move(statements)));
  return part;
}

NestList::Outcome NestList::change(
    const Positions& positions,
    const std::function<std::optional<loop::Func>(const loop::Func&)>& change) {
  const loop::Func part = excerpt(positions);
  std::optional<loop::Func> changed = change(part);
  if (!changed) return Outcome::Refused;
  const std::vector<std::string> before = names_in(part.body), after = names_in(changed->body);
  for (const std::string& name : before) names_.erase(name);
  if (std::ranges::any_of(after, [&](const std::string& name) { return names_.contains(name); })) {
    names_.insert(before.begin(), before.end());
    return Outcome::NameTaken;
  }
  names_.insert(after.begin(), after.end());
  put_back(positions, *std::move(changed));
  return Outcome::Changed;
}

void NestList::put_back(const Positions& positions, loop::Func changed) {
  for (Buffer& parameter : changed.parameters)
    if (const auto own = parameter_.find(parameter.name); own != parameter_.end())
      func_.parameters[own->second] = std::move(parameter);
  // What was allocated inside, and still is, keeps its place; what is new comes last.
  std::set<std::string> before;
  for (const std::size_t position : positions)
    for (const auto* buffers : {&nests_[position].reads, &nests_[position].writes})
      for (const std::string& buffer : *buffers)
        if (allocation_.contains(buffer) && is_inside(buffer, positions)) before.insert(buffer);
  Stmt body = changed.body;
  for (Buffer& buffer : peel(body)) {
    const std::string name = buffer.name;
    if (before.erase(name) > 0) {
      allocations_[allocation_.at(name)] = std::move(buffer);
      continue;
    }
    allocation_[name] = allocations_.size();
    allocations_.emplace_back(std::move(buffer));
  }
  for (const std::string& gone : before) {
    allocations_[allocation_.at(gone)].reset();
    allocation_.erase(gone);
  }
  place(positions, body);
}

// The least of the positions, of the nests whose blocks now stand in the statement, that comes
// after all else that writes what it reads; size() where it has none of their blocks.
std::size_t NestList::place_of(const Stmt& stmt, const Positions& positions) const {
  Positions own;
  std::size_t after = 0;
  loop::walk(stmt, [&](const Stmt& s) {
    if (const auto* node = as<Block>(s); node && position_.contains(node->name))
      own.insert(position_.at(node->name));
    loop::each_expr(s, [&](const Expr& e) {
      if (!e.defined()) return;
      expr::visit(e, [&](const Expr& node) {
        const auto* load = node.as<expr::Load>();
        if (!load) return;
        for (const std::size_t writer : writers_of(load->buffer))
          if (!positions.contains(writer)) after = std::max(after, writer);
      });
    });
  });
  if (own.empty()) return size();
  const auto place = own.lower_bound(after);
  return place == own.end() ? *own.rbegin() : *place;
}

void NestList::place(const Positions& positions, const Stmt& body) {
  std::vector<Stmt> statements = statements_of(body);
  std::vector<std::size_t> places;
  for (const Stmt& stmt : statements) places.push_back(place_of(stmt, positions));
  // What is all new, an initial value say, stands before what it was made for.
  for (std::size_t s = places.size(); s-- > 0;)
    if (places[s] == size())
      places[s] = s + 1 < places.size() ? places[s + 1] : *positions.rbegin();
  CHECK(std::ranges::is_sorted(places), "a schedule keeps the order of nests in " + func_.name);
  for (const std::size_t position : positions) forget(position);
  for (std::size_t s = 0; s < statements.size(); ++s)
    nests_[places[s]].statements.push_back(std::move(statements[s]));
  for (const std::size_t position : positions) take_apart(nests_[position], position);
}

loop::Func NestList::whole() const {
  loop::Func result = func_;
  std::vector<Buffer> buffers;
  for (const std::optional<Buffer>& buffer : allocations_)
    if (buffer) buffers.push_back(*buffer);
  std::vector<Stmt> statements;
  for (const Nest& nest : nests_)
    statements.insert(statements.end(), nest.statements.begin(), nest.statements.end());
  result.body = allocated(buffers, loop::sequence(std::move(statements)));
  return result;
}

}  // namespace loopglass::schedule
