#include "passes/loop/place_workspace.h"

#include "core/expr/simplify.h"
#include "core/loop/reindex.h"
#include "core/loop/rewrite.h"
#include "core/loop/symbols.h"
#include "core/loop/walk.h"
#include "core/tensor/tensor.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace loopglass::passes {

using namespace loop;

namespace {

constexpr std::int64_t largest_on_stack = 768 << 10;
constexpr std::int64_t whole_stack = 1 << 20;  // what all such buffers of a kernel may take
constexpr std::int64_t alignment = Tensor::alignment;

// nullopt where it is not constant, or beyond all memory.
std::optional<std::int64_t> elements_of(const Buffer& buffer) {
  std::int64_t product = 1;
  for (const Expr& e : buffer.shape) {
    const auto extent = expr::as_integer(e);
    if (!extent || *extent < 0 || __builtin_mul_overflow(product, *extent, &product))
      return std::nullopt;
  }
  if (product > Tensor::maximum_bytes / static_cast<std::int64_t>(byte_size(buffer.type)))
    return std::nullopt;
  return product;
}

// Of one copy, so that the next begins at a cache line of its own.
std::int64_t line_of(const Buffer& buffer) {
  return alignment / static_cast<std::int64_t>(byte_size(buffer.type));
}
std::int64_t aligned_elements(const Buffer& buffer, std::int64_t elements) {
  const std::int64_t line = line_of(buffer);
  return std::max<std::int64_t>((elements + line - 1) / line, 1) * line;
}
std::int64_t aligned_bytes(const Buffer& buffer, std::int64_t elements) {
  return aligned_elements(buffer, elements) * static_cast<std::int64_t>(byte_size(buffer.type));
}
Expr aligned_elements(const Buffer& buffer) {
  Expr elements(1);
  for (const Expr& extent : buffer.shape) elements = elements * extent;
  const std::int64_t line = line_of(buffer);
  return expr::simplify(floor_div(elements + (line - 1), line) * line);
}

class WorkspacePlacement {
 public:
  WorkspacePlacement(const loop::Func& func, pass::Report& report)
      : symbols_(func.symbols), report_(report) {
    // What lies there in any case comes first, wherever it stands.
    loop::walk(func.body, [&](const Stmt& stmt) {
      const Alloc* alloc = as<Alloc>(stmt);
      if (!alloc || alloc->buffer.scope == loop::Scope::Workspace ||
          alloc->buffer.scope == loop::Scope::Shared)
        return;
      if (const auto elements = elements_of(alloc->buffer))
        on_stack_ += aligned_bytes(alloc->buffer, *elements);
    });
  }

  Stmt run(const Stmt& stmt) {
    if (const For* node = as<For>(stmt); node && node->kind == loop::ForKind::Parallel)
      return parallel(stmt, *node);
    const Alloc* alloc = as<Alloc>(stmt);
    return alloc ? placed(stmt, *alloc) : below(stmt);
  }

 private:
  Stmt below(const Stmt& stmt) {
    return map_children(stmt, [&](const Stmt& child) { return run(child); });
  }

  Stmt parallel(const Stmt& stmt, const For& node) {
    if (parallel_) return below(stmt);
    parallel_ = &node;
    Stmt result = below(stmt);
    parallel_ = nullptr;
    std::reverse(shared_out_.begin(), shared_out_.end());
    for (Buffer& buffer : shared_out_) result = make(Alloc{std::move(buffer), result});
    shared_out_.clear();
    return result;
  }

  Stmt placed(const Stmt& stmt, const Alloc& alloc) {
    if (alloc.buffer.scope == loop::Scope::Shared) return shared_memory(alloc);
    const auto elements = elements_of(alloc.buffer);
    const bool in_workspace = alloc.buffer.scope == loop::Scope::Workspace;
    if (in_workspace && parallel_ && is_of_symbols(alloc.buffer)) return shared_out(stmt, alloc);
    if (!elements || (in_workspace && !parallel_)) return below(stmt);
    if (!in_workspace) return below(stmt);
    const std::int64_t bytes = aligned_bytes(alloc.buffer, *elements);
    if (bytes <= largest_on_stack && on_stack_ + bytes <= whole_stack) {
      on_stack_ += bytes;
      return on_stack(alloc, bytes);
    }
    const auto copies = expr::as_integer(parallel_->extent);
    if (copies && *copies > Tensor::maximum_bytes / bytes) return below(stmt);
    return shared_out(stmt, alloc);
  }

  // Some extent is no number, and all are known before the kernel runs.
  bool is_of_symbols(const Buffer& buffer) const {
    return loop::follows_from(buffer, symbols_) && !loop::follows_from(buffer, {});
  }

  Stmt shared_memory(const Alloc& alloc) {
    Alloc own = alloc;
    own.buffer.scope = loop::Scope::Workspace;
    report_.rewrite({"no-shared-memory", {}, {}, own.buffer.name});
    report_.remark({pass::RemarkKind::Note,
                    "NO_SHARED_MEMORY",
                    own.buffer.name,
                    {},
                    fmt::format("'{}' was to lie in the memory that the threads of a GPU's block "
                                "share; here it is workspace",
                                own.buffer.name)});
    const Stmt stmt = make(std::move(own));
    return placed(stmt, *as<Alloc>(stmt));
  }

  Stmt on_stack(const Alloc& alloc, std::int64_t bytes) {
    Buffer buffer = alloc.buffer;
    buffer.scope = loop::Scope::Stack;
    report_.rewrite({"to-stack", {}, {}, buffer.name});
    report_.remark({pass::RemarkKind::Note,
                    "ON_THREAD_STACK",
                    buffer.name,
                    {{"bytes", static_cast<double>(bytes)}},
                    fmt::format("'{}' is needed within one iteration of '{}' and small: its {} "
                                "bytes lie on the stack of the thread",
                                buffer.name, parallel_->variable, bytes)});
    return make(Alloc{std::move(buffer), run(alloc.body)});
  }

  Stmt shared_out(const Stmt& stmt, const Alloc& alloc) {
    const Expr copies = parallel_->extent;
    if (!loop::follows_from(copies, symbols_)) return below(stmt);
    Buffer buffer = alloc.buffer;
    const auto elements = elements_of(buffer);
    // From one copy to the next.
    const Expr distance =
        elements ? Expr(aligned_elements(buffer, *elements)) : aligned_elements(buffer);
    const bool is_flat = buffer.shape.size() == 1;
    const Expr iteration = expr::variable(parallel_->variable);
    const Stmt body = loop::reindex(run(alloc.body), buffer.name, [&](std::vector<Expr> indices) {
      if (is_flat) indices[0] = expr::simplify(iteration * distance + indices[0]);
      else indices.insert(indices.begin(), iteration);
      return indices;
    });
    if (is_flat) buffer.shape = {expr::simplify(copies * distance)};
    else buffer.shape.insert(buffer.shape.begin(), copies);
    report_.rewrite({"one-each", {}, {}, buffer.name});
    tell_copies(buffer, distance * static_cast<std::int64_t>(byte_size(buffer.type)),
                elements ? "too large for a stack" : "of a size that symbols say");
    shared_out_.push_back(std::move(buffer));
    return body;
  }

  void tell_copies(const Buffer& buffer, const Expr& bytes, const std::string& why) {
    const Expr& copies = parallel_->extent;
    std::vector<std::pair<std::string, double>> numbers;
    for (const auto& [name, number] : {std::pair{"bytes", bytes}, std::pair{"copies", copies}})
      if (const auto value = expr::as_integer(number))
        numbers.emplace_back(name, static_cast<double>(*value));
    report_.remark({pass::RemarkKind::Note, "COPY_PER_ITERATION", buffer.name, std::move(numbers),
                    fmt::format("'{}' is needed within one iteration of '{}' and {}: the "
                                "workspace holds {} times its {} bytes",
                                buffer.name, parallel_->variable, why, expr::to_string(copies),
                                expr::to_string(expr::simplify(bytes)))});
  }

  const std::vector<std::string>& symbols_;
  pass::Report& report_;
  const For* parallel_ = nullptr;  // around the statement at hand
  std::vector<Buffer> shared_out_;
  std::int64_t on_stack_ = 0;  // bytes
};

}  // namespace

Result<loop::Func> place_workspace(const loop::Func& func, pass::Report& report) {
  return with_body(func, WorkspacePlacement(func, report).run(func.body));
}

pass::Words place_workspace_words() {
  return {
      {pass::Word::Kind::Rule, "to-stack",
       "A small buffer of one parallel iteration lies on its thread's stack."},
      {pass::Word::Kind::Rule, "one-each",
       "A large buffer of one parallel iteration has a copy in the workspace for each of them."},
      {pass::Word::Kind::Rule, "no-shared-memory",
       "A buffer for the memory that a GPU's threads share lies in the workspace."},
      {pass::Word::Kind::Remark, "ON_THREAD_STACK",
       "A buffer is needed within one iteration of a parallel loop and small: it lies on the "
       "thread's stack."},
      {pass::Word::Kind::Remark, "COPY_PER_ITERATION",
       "A buffer is needed within one iteration of a parallel loop and large: the workspace has a "
       "copy for each iteration."},
      {pass::Word::Kind::Remark, "NO_SHARED_MEMORY",
       "A buffer was to lie in memory that the threads of a GPU's block share; here it is "
       "workspace."}};
}

}  // namespace loopglass::passes
