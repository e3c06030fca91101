#include "passes/loop/compact_buffers.h"

#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/bounds.h"
#include "core/loop/ranges.h"
#include "core/loop/reindex.h"
#include "core/loop/rewrite.h"
#include "core/loop/strides.h"
#include "core/loop/walk.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

namespace {

constexpr std::int64_t largest_stack_buffer = 64 << 10;

struct Window {
  Expr start;  // 0 where the dimension keeps its extent
  Expr extent;
};

// One dimension of everything that touches the buffer, if that is less than all of it.
std::optional<Window> window_of(const std::vector<Access>& accesses, std::size_t dimension,
                                const Expr& extent, const expr::Ranges& outer) {
  std::optional<Bounds> touched;
  for (const Access& access : accesses) {
    expr::Ranges ranges = outer;
    for (const For* node : access.loops) add_range(ranges, node->variable, node->extent);
    const auto bounds = relax(access.indices[dimension], access.inner(), ranges);
    if (!bounds) return std::nullopt;
    touched = touched ? hull(*touched, *bounds, outer) : bounds;
    if (!touched) return std::nullopt;
  }
  if (!touched) return std::nullopt;
  const std::int64_t size = width(*touched, outer).value_or(0);
  const auto whole = expr::as_integer(extent);
  // Of a symbolic extent any part of known size is the smaller one: memory is needed for that
  // alone.
  if (size < 1 || (whole && size >= *whole)) return std::nullopt;
  return Window{touched->min, Expr(size)};
}

class Compaction {
 public:
  explicit Compaction(pass::Report& report) : report_(report) {}

  Stmt run(const Stmt& stmt, expr::Ranges ranges) {
    if (const For* node = as<For>(stmt)) add_range(ranges, node->variable, node->extent);
    Stmt current = stmt;
    if (const Alloc* alloc = as<Alloc>(stmt))
      current = compacted(*alloc, stmt->annotations, ranges);
    return map_children(current, [&](const Stmt& child) { return run(child, ranges); });
  }

 private:
  Stmt compacted(const Alloc& alloc, Annotations noted, const expr::Ranges& outer) {
    std::vector<Access> accesses = accesses_of(alloc.body);
    std::erase_if(accesses,
                  [&](const Access& access) { return access.buffer != alloc.buffer.name; });
    Buffer buffer = alloc.buffer;
    std::vector<Expr> starts(buffer.shape.size(), Expr(0));
    bool smaller = false;
    for (std::size_t d = 0; d < buffer.shape.size(); ++d)
      if (const auto window = window_of(accesses, d, buffer.shape[d], outer)) {
        starts[d] = window->start;
        buffer.shape[d] = window->extent;
        smaller = true;
      }
    const Stmt body = smaller ? moved(alloc.body, buffer, starts, outer) : alloc.body;
    if (const Annotation* stride = find_annotation(noted, stride_annotation))
      pad(buffer, stride->value);
    std::erase_if(noted, [](const Annotation& note) { return note.key == stride_annotation; });
    demote(buffer);
    if (smaller)
      report_.rewrite(
          {"shrink",
           {},
           {},
           fmt::format("{}: {} elements to {}", buffer.name, count(alloc.buffer), count(buffer))});
    return with_annotations(make(Alloc{std::move(buffer), body}), std::move(noted));
  }

  void pad(Buffer& buffer, const std::string& wanted) {
    const auto rule = parse_stride_rule(wanted);
    const auto padded = rule ? with_stride(buffer, *rule) : std::nullopt;
    if (!padded) {
      report_.remark({pass::RemarkKind::Missed,
                      "STRIDE_NOT_POSSIBLE",
                      buffer.name,
                      {},
                      fmt::format("'{}' has no rows that can be made longer as '{}' wants it",
                                  buffer.name, wanted)});
      return;
    }
    report_.rewrite(
        {"pad-rows",
         {},
         {},
         fmt::format("{}: {} elements to {}", buffer.name, count(buffer), count(*padded))});
    buffer = *padded;
  }

  static std::string count(const Buffer& buffer) {
    Expr product(1);
    for (const Expr& extent : buffer.shape) product = product * extent;
    return expr::to_string(expr::simplify(product));
  }

  void demote(Buffer& buffer) {
    if (buffer.scope != loop::Scope::Stack && buffer.scope != loop::Scope::Register) return;
    std::int64_t bytes = static_cast<std::int64_t>(byte_size(buffer.type));
    for (const Expr& extent : buffer.shape) {
      const auto value = expr::as_integer(extent);
      if (!value || __builtin_mul_overflow(bytes, *value, &bytes)) bytes = largest_stack_buffer + 1;
      if (bytes > largest_stack_buffer) break;
    }
    if (bytes <= largest_stack_buffer) return;
    report_.remark({pass::RemarkKind::Missed,
                    "TOO_LARGE_FOR_STACK",
                    buffer.name,
                    {},
                    fmt::format("'{}' is larger than {} KiB and goes to the workspace", buffer.name,
                                largest_stack_buffer >> 10)});
    buffer.scope = loop::Scope::Workspace;
  }

  static Stmt moved(const Stmt& body, const Buffer& buffer, const std::vector<Expr>& starts,
                    const expr::Ranges& ranges) {
    const auto shifted = [&](std::vector<Expr> indices) {
      for (std::size_t d = 0; d < indices.size(); ++d)
        indices[d] = expr::simplify(indices[d] - starts[d], ranges);
      return indices;
    };
    return loop::reindex(body, buffer.name, shifted);
  }

  pass::Report& report_;
};

}  // namespace

Result<loop::Func> compact_buffers(const loop::Func& func, pass::Report& report) {
  return with_body(func, Compaction(report).run(func.body, {}));
}

pass::Words compact_buffers_words() {
  return {
      {pass::Word::Kind::Rule, "shrink", "A buffer keeps only the part that is used at one time."},
      {pass::Word::Kind::Rule, "pad-rows",
       "Rows of a buffer are made longer, as its note storage_align asks."},
      {pass::Word::Kind::Remark, "STRIDE_NOT_POSSIBLE",
       "A buffer has no rows that can be made longer as its note asks."},
      {pass::Word::Kind::Remark, "TOO_LARGE_FOR_STACK",
       "A buffer that was to lie on the stack is too large for it and goes to the workspace."}};
}

}  // namespace loopglass::passes
