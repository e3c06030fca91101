// What code generation decides before it writes an instruction: whether the Func can be compiled at
// all, how each loop is emitted, where each buffer lives, and how a flat index moves with the lane
// of a vectorised loop. No LLVM here.
#pragma once

#include "core/loop/func.h"
#include "core/schedule/in_place.h"
#include "core/support/result.h"

#include <map>
#include <span>
#include <unordered_map>

namespace loopglass::codegen {

using expr::Expr;

enum class Home : std::uint8_t { Parameter, Workspace, Stack };

struct Storage {
  loop::Buffer buffer;
  Home home = Home::Parameter;
  std::size_t parameter = 0;  // Parameter: its position
  bool may_overlap = false;   // Parameter: of an in-place pair, so not promised to be distinct
  std::int64_t offset = 0;    // Workspace: bytes from the workspace's start
  std::int64_t elements = 0;  // of one copy, lanes included; -1 when symbolic
  // Allocated inside a parallel loop: every iteration of `owner` has its own copy.
  std::string owner;
  std::int64_t copy_bytes = 0;
  // Allocated inside a vectorised loop: every lane has its own element, lanes innermost.
  std::string lane_variable;
  int lanes = 1;
  std::vector<Expr> strides;  // in elements, row-major, lanes included

  std::int64_t bytes() const {
    return elements * static_cast<std::int64_t>(byte_size(buffer.type));
  }
};

struct Access {
  const Storage* storage;
  Expr index;  // flat, in elements
  // index = lane_stride * lane + something the same in every lane; nullopt when it is not.
  std::optional<std::int64_t> lane_stride;
};

class Plan {
 public:
  std::map<std::string, Storage> storage;
  std::unordered_map<const loop::For*, loop::ForKind> kinds;
  std::int64_t workspace_bytes = 0;

  // `lane_variable` is empty outside vectorised loops.
  Access access(const std::string& buffer, const std::vector<Expr>& indices,
                const std::string& lane_variable) const;
  bool depends_on_lane(const Expr& e, const std::string& lane_variable) const;
};

// CodegenUnsupported names the loop or buffer that stands in the way. Loop kinds do not change
// meaning, so a parallel loop inside another parallel or a vectorised one, a vectorised loop around
// another, and an unrolled loop that would grow beyond reason are planned as serial loops.
Result<Plan> make_plan(const loop::Func& func, std::span<const schedule::InPlace> in_place = {});

}  // namespace loopglass::codegen
