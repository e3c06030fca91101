// The loop IR: a function over buffers, as loops and blocks.
//
//   Func  = name, symbols, parameters (buffers), body
//   Stmt  = For(variable, extent, kind, body)        iterates variable over [0, extent)
//         | Block(name, iters, reads, writes, init?, body)
//         | Store(buffer, indices, value)
//         | If(condition, then, else?)
//         | Alloc(buffer, body)                      the buffer lives while body runs
//         | Prefetch(buffer, indices)                asks for memory before it is used
//         | Seq(statements)
//
// A Block separates what is computed from the order it is computed in: its iteration variables
// (spatial or reduction) are bound to expressions of the surrounding loops, and inside the block
// only they appear. `init` runs when all reduction iteration variables are 0 (until the lowering
// pass that makes it explicit). An instance whose `predicate` is false does not run.
//
// Loop variables and buffers have unique names within a Func; block iteration variables are scoped
// to their block. All indices are int64. A Func is a value; statements are immutable and shared.
//
// Loop kinds do not change meaning: Parallel, Vectorized, Unrolled and the axes of a launch promise
// that any order of iterations gives the same result (up to reassociation of reductions), and the
// interpreter runs them in sequence. Lowered Funcs are the same IR without blocks.
#pragma once

#include "core/expr/expr.h"
#include "core/support/origin.h"
#include "core/support/result.h"
#include "core/te/te.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::loop {

using expr::Expr;

// Where a buffer lives. Parameters are Global. Register asks for a buffer small enough to be
// promoted: constant extents, at most a few KiB, and constant indices once unrolled. Shared is the
// memory that the threads of one block of a launch have in common.
enum class Scope : std::uint8_t { Global, Workspace, Shared, Stack, Register };
// Those that a kernel may give a buffer of its own.
inline constexpr std::array own_scopes{Scope::Workspace, Scope::Shared, Scope::Stack,
                                       Scope::Register};
std::string_view name(Scope scope);

enum class Role : std::uint8_t { Input, Constant, Output, Intermediate };
std::string_view name(Role role);

// How a constant parameter was rearranged by transform_layout. New index variables d0, d1, ... give
// the original index by `source` (one expression per original dimension); where an original index
// falls outside the original shape the new element is zero. The executor packs the tensor once.
struct Packing {
  std::vector<std::int64_t> original_shape;
  std::vector<Expr> source;
};

struct Buffer {
  std::string name;
  DataType type = DataType::Float32;
  std::vector<Expr> shape;
  Scope scope = Scope::Global;
  Role role = Role::Intermediate;
  std::optional<Packing> packing;  // constant parameters only
  // Constant parameters only: no element is infinite or no number, so that zero times it is zero.
  bool finite = false;
};

// BlockX to ThreadZ are the axes of a GPU's launch, called as CUDA calls them (blockIdx.x);
// VirtualThread interleaves iterations as if they were threads (TVM's vthread).
enum class ForKind : std::uint8_t {
  Serial,
  Parallel,
  Vectorized,
  Unrolled,
  BlockX,
  BlockY,
  BlockZ,
  ThreadX,
  ThreadY,
  ThreadZ,
  VirtualThread,
};
inline constexpr std::array all_for_kinds{
    ForKind::Serial,  ForKind::Parallel, ForKind::Vectorized,   ForKind::Unrolled,
    ForKind::BlockX,  ForKind::BlockY,   ForKind::BlockZ,       ForKind::ThreadX,
    ForKind::ThreadY, ForKind::ThreadZ,  ForKind::VirtualThread};
std::string_view name(ForKind kind);
bool is_block_axis(ForKind kind);
bool is_thread_axis(ForKind kind);  // virtual threads too
bool is_launch_axis(ForKind kind);  // either

struct Range {
  Expr min, extent;
};
struct Region {
  std::string buffer;
  std::vector<Range> ranges;
};

struct IterVar {
  std::string name;
  Expr extent;
  bool reduction = false;
  Expr binding;  // of the surrounding loops
};

struct StmtNode;
using Stmt = std::shared_ptr<const StmtNode>;

struct For {
  std::string variable;
  Expr extent;
  ForKind kind = ForKind::Serial;
  Stmt body;
};
struct Block {
  std::string name;
  std::vector<IterVar> iters;
  std::vector<Region> reads, writes;
  Expr predicate;  // undefined: always
  Stmt init;       // null: none
  Stmt body;
  std::optional<te::Reducer> reducer;  // for blocks that came from a reduction stage
  Origin origin;                       // graph nodes
};
struct Store {
  std::string buffer;
  std::vector<Expr> indices;
  Expr value;
  Origin origin;  // kept when blocks are lowered away
};
struct If {
  Expr condition;
  Stmt then_body;
  Stmt else_body;  // null: none
};
struct Alloc {
  Buffer buffer;
  Stmt body;
};
struct Seq {
  std::vector<Stmt> statements;
};
// Computes nothing: a hint to the machine that the cache line of an element will be wanted soon.
// Only parameters are worth it, which lie in the caller's memory. No element may have to be loaded
// to know which; one outside of the buffer is nothing.
struct Prefetch {
  std::string buffer;
  std::vector<Expr> indices;
};

// What somebody notes about a statement or a Func for a later pass or for code generation
// (annotations.h). Whoever does not know a key lets it be.
struct Annotation {
  std::string key, value;  // a name; a text, which may be empty
  friend bool operator==(const Annotation&, const Annotation&) = default;
};
using Annotations = std::vector<Annotation>;  // by key, none twice
const Annotation* find_annotation(const Annotations& annotations, std::string_view key);
Annotations annotated(Annotations annotations, Annotation added);  // in the place of its like

struct StmtNode {
  std::variant<For, Block, Store, If, Alloc, Seq, Prefetch> value;
  Annotations annotations = {};
};

template <class T>
Stmt make(T value) {
  return std::make_shared<const StmtNode>(StmtNode{std::move(value), {}});
}
// The same statement with these.
Stmt with_annotations(const Stmt& stmt, Annotations annotations);
// The same loop over another body, and of another kind.
Stmt over(For loop, Stmt body);
For of_kind(For loop, ForKind kind);
template <class T>
const T* as(const Stmt& stmt) {
  return stmt ? std::get_if<T>(&stmt->value) : nullptr;
}
// Flattens nested sequences; a single statement stays itself.
Stmt sequence(std::vector<Stmt> statements);

struct Func {
  std::string name;
  std::vector<std::string> symbols;  // symbolic extents, bound when called
  std::vector<Buffer> parameters;    // inputs and constants first, then outputs
  Stmt body;
  Annotations annotations = {};
};

// All buffers: parameters, then allocations in order of appearance.
std::vector<Buffer> buffers_of(const Func& func);
const Buffer* find_buffer(const std::vector<Buffer>& buffers, std::string_view name);

// Everything that must hold (see above); FuncInvalid names the statement.
Result<void> verify(const Func& func);

}  // namespace loopglass::loop
