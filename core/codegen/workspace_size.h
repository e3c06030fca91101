// What a kernel's scratch memory takes.
#pragma once

#include "core/expr/expr.h"
#include "core/support/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::codegen {

// A number of bytes, or what follows from the extents that the symbols of the kernel stand for. By
// their order and not by their names: kernels that differ in names have the same code.
class WorkspaceSize {
 public:
  WorkspaceSize(std::int64_t bytes = 0) : bytes_(bytes) {}
  // An int64 expression of `symbols` and nothing else.
  WorkspaceSize(const expr::Expr& bytes, const std::vector<std::string>& symbols);

  // Of one run, with these extents in the order of the symbols. OutOfMemory where that is more than
  // a buffer may ever take, or cannot be computed.
  Result<std::int64_t> bytes(std::span<const std::int64_t> extents) const;

  // "1536", "s0 * 64 + 128"; read back.
  std::string text() const;
  static std::optional<WorkspaceSize> parse(std::string_view text);

  friend bool operator==(const WorkspaceSize& a, const WorkspaceSize& b) {
    return expr::same(a.bytes_, b.bytes_);
  }

 private:
  expr::Expr bytes_;
};

}  // namespace loopglass::codegen
