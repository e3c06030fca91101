#include "core/codegen/workspace_size.h"

#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/support/readable_bytes.h"
#include "core/tensor/tensor.h"

#include <fmt/format.h>

namespace loopglass::codegen {
namespace {

std::string name_at(std::size_t place) { return fmt::format("s{}", place); }

}  // namespace

WorkspaceSize::WorkspaceSize(const expr::Expr& bytes, const std::vector<std::string>& symbols) {
  std::map<std::string, expr::Expr> places;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    places.emplace(symbols[i], expr::variable(name_at(i)));
  bytes_ = expr::simplify(expr::substitute(bytes, places));
}

Result<std::int64_t> WorkspaceSize::bytes(std::span<const std::int64_t> extents) const {
  if (const auto number = expr::as_integer(bytes_)) return *number;
  expr::Ranges points;
  for (std::size_t i = 0; i < extents.size(); ++i) points[name_at(i)] = {extents[i], extents[i]};
  // Of points the bounds are the value, and what does not fit into 64 bits has none.
  const auto value = expr::bounds(bytes_, points);
  if (!value || value->min != value->max || value->min < 0 || value->max > Tensor::maximum_bytes)
    return fail(Code::OutOfMemory,
                fmt::format("the scratch memory of a kernel would take more than {}",
                            readable_bytes(Tensor::maximum_bytes)),
                text(), "give smaller extents");
  return value->min;
}

std::string WorkspaceSize::text() const { return expr::to_string(bytes_); }

std::optional<WorkspaceSize> WorkspaceSize::parse(std::string_view text) {
  const auto bytes = expr::parse(text);
  if (!bytes || bytes->type() != DataType::Int64) return std::nullopt;
  WorkspaceSize size;
  size.bytes_ = *bytes;
  return size;
}

}  // namespace loopglass::codegen
