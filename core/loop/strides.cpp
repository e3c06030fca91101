#include "core/loop/strides.h"

#include "core/loop/rewrite.h"

#include <fmt/format.h>

#include <sstream>

namespace loopglass::loop {

std::string to_text(const StrideRule& rule) {
  return fmt::format("{} {} {}", rule.dimension, rule.factor, rule.offset);
}

Func with_stride_rule(const Func& func, const std::string& buffer,
                      const std::optional<StrideRule>& rule) {
  return with_body(
      func, rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
        const Alloc* alloc = as<Alloc>(stmt);
        if (!alloc || alloc->buffer.name != buffer) return stmt;
        Annotations notes = stmt->annotations;
        std::erase_if(notes, [](const Annotation& note) { return note.key == stride_annotation; });
        if (rule)
          notes = annotated(std::move(notes), {std::string(stride_annotation), to_text(*rule)});
        return with_annotations(stmt, std::move(notes));
      }));
}

std::optional<StrideRule> parse_stride_rule(const std::string& text) {
  std::istringstream words(text);
  StrideRule rule;
  std::string rest;
  if (!(words >> rule.dimension >> rule.factor >> rule.offset) || words >> rest) return {};
  const bool holds = rule.factor >= 1 && rule.offset >= 0 && rule.offset < rule.factor;
  return holds ? std::optional(rule) : std::nullopt;
}

std::optional<Buffer> with_stride(Buffer buffer, const StrideRule& rule) {
  if (rule.dimension + 1 >= buffer.shape.size()) return {};
  std::int64_t behind = 1;  // the elements behind each index of the dimension that grows
  for (std::size_t d = rule.dimension + 2; d < buffer.shape.size(); ++d) {
    const auto extent = expr::as_integer(buffer.shape[d]);
    if (!extent || *extent < 1 || __builtin_mul_overflow(behind, *extent, &behind)) return {};
  }
  const auto extent = expr::as_integer(buffer.shape[rule.dimension + 1]);
  if (!extent || *extent < 1) return {};
  // Remainders repeat after `factor` lengths.
  for (std::int64_t more = 0; more < rule.factor; ++more) {
    std::int64_t stride = 0;
    if (__builtin_mul_overflow(*extent + more, behind, &stride)) return {};
    if (stride % rule.factor != rule.offset) continue;
    buffer.shape[rule.dimension + 1] = Expr(*extent + more);
    return buffer;
  }
  return {};
}

}  // namespace loopglass::loop
