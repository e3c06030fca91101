// What is asked of a Func before an instruction is written: whether it can be translated as it
// stands, where each buffer lives, and how a flat index moves with the lane of a vectorised loop.
// Nothing is decided here: what passes/loop have left is translated, or refused. No LLVM here.
#pragma once

#include "core/dependence/in_place.h"
#include "core/loop/func.h"
#include "core/loop/intrinsics.h"
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
  Expr offset = 0;            // Workspace: bytes from the workspace's start; of symbols
  std::int64_t elements = 0;  // -1 when symbolic
  std::vector<Expr> strides;  // in elements, row-major

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
  std::unordered_map<const loop::StmtNode*, loop::IntrinsicCall> intrinsics;  // by the nest's root
  // Buffers of the workspace lie one after another, as they come in the Func. Of its symbols.
  Expr workspace_bytes = 0;

  // `lane_variable` is empty outside vectorised loops.
  Access access(const std::string& buffer, const std::vector<Expr>& indices,
                const std::string& lane_variable) const;
};

// CodegenUnsupported names the loop or buffer that stands in the way, and the loop pass, if there
// is one, that would have moved it out of the way.
Result<Plan> make_plan(const loop::Func& func, std::span<const schedule::InPlace> in_place = {});

}  // namespace loopglass::codegen
