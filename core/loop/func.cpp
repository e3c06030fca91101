#include "core/loop/func.h"

#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::loop {

std::string_view name(Scope scope) {
  switch (scope) {
    case Scope::Global: return "global";
    case Scope::Workspace: return "workspace";
    case Scope::Shared: return "shared";
    case Scope::Stack: return "stack";
    case Scope::Register: return "register";
  }
  __builtin_unreachable();
}

std::string_view name(Role role) {
  switch (role) {
    case Role::Input: return "input";
    case Role::Constant: return "constant";
    case Role::Output: return "output";
    case Role::Intermediate: return "intermediate";
  }
  __builtin_unreachable();
}

std::string_view name(ForKind kind) {
  switch (kind) {
    case ForKind::Serial: return "serial";
    case ForKind::Parallel: return "parallel";
    case ForKind::Vectorized: return "vectorized";
    case ForKind::Unrolled: return "unrolled";
    case ForKind::BlockX: return "blockIdx.x";
    case ForKind::BlockY: return "blockIdx.y";
    case ForKind::BlockZ: return "blockIdx.z";
    case ForKind::ThreadX: return "threadIdx.x";
    case ForKind::ThreadY: return "threadIdx.y";
    case ForKind::ThreadZ: return "threadIdx.z";
    case ForKind::VirtualThread: return "vthread";
  }
  __builtin_unreachable();
}

bool is_block_axis(ForKind kind) { return kind >= ForKind::BlockX && kind <= ForKind::BlockZ; }
bool is_thread_axis(ForKind kind) { return kind >= ForKind::ThreadX; }
bool is_launch_axis(ForKind kind) { return kind >= ForKind::BlockX; }

const Annotation* find_annotation(const Annotations& annotations, std::string_view key) {
  const auto found = std::ranges::find(annotations, key, &Annotation::key);
  return found == annotations.end() ? nullptr : &*found;
}

Annotations annotated(Annotations annotations, Annotation added) {
  const auto place = std::ranges::lower_bound(annotations, added.key, {}, &Annotation::key);
  if (place != annotations.end() && place->key == added.key) *place = std::move(added);
  else annotations.insert(place, std::move(added));
  return annotations;
}

Stmt with_annotations(const Stmt& stmt, Annotations annotations) {
  if (!stmt || stmt->annotations == annotations) return stmt;
  return std::make_shared<const StmtNode>(StmtNode{stmt->value, std::move(annotations)});
}

Stmt over(For loop, Stmt body) {
  loop.body = std::move(body);
  return make(std::move(loop));
}

For of_kind(For loop, ForKind kind) {
  loop.kind = kind;
  return loop;
}

Stmt sequence(std::vector<Stmt> statements) {
  std::vector<Stmt> flat;
  for (Stmt& stmt : statements) {
    if (!stmt) continue;
    if (const Seq* inner = as<Seq>(stmt))
      flat.insert(flat.end(), inner->statements.begin(), inner->statements.end());
    else flat.push_back(std::move(stmt));
  }
  return flat.size() == 1 ? flat.front() : make(Seq{std::move(flat)});
}

std::vector<Buffer> buffers_of(const Func& func) {
  std::vector<Buffer> buffers = func.parameters;
  walk(func.body, [&](const Stmt& stmt) {
    if (const Alloc* alloc = as<Alloc>(stmt)) buffers.push_back(alloc->buffer);
  });
  return buffers;
}

const Buffer* find_buffer(const std::vector<Buffer>& buffers, std::string_view name) {
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const Buffer& b) { return b.name == name; });
  return found == buffers.end() ? nullptr : &*found;
}

}  // namespace loopglass::loop
