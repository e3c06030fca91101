// Emission of one LLVM function: the body of a kernel, or the outlined body of a parallel loop.
//
// Inside a vectorised loop an expression is a scalar where it is the same in every lane and a
// vector where it is not. A load that the Func would not perform is never performed on memory:
// under a lane-dependent condition it is masked, under a uniform one its address is replaced by
// that of zeros (or it is branched around), unless the ranges of the loop variables prove it within
// its buffer.
#pragma once

#include "core/codegen/emit.h"
#include "core/codegen/lane_runs.h"
#include "core/expr/simplify.h"

#include <memory>
#include <set>

namespace llvm {
struct Align;
class BasicBlock;
class DIBuilder;
class DIFile;
class DISubprogram;
class Function;
class Instruction;
class IRBuilderBase;
class Type;
class Value;
}  // namespace llvm

namespace loopglass::codegen {

// What the functions of one kernel share.
struct KernelContext {
  llvm::Module& module;
  const Plan& plan;
  const LineMap& lines;
  llvm::DIBuilder& debug;
  llvm::DIFile* file;
  std::string name;
  bool contracts = false;  // products may round with the sums that take them
};

// Adds target attributes, an entry block and a debug scope beginning at `line`.
void begin_function(KernelContext& kernel, llvm::Function& function, int line);

class Emitter {
 public:
  Emitter(KernelContext& kernel, llvm::Function& function);

  void bind_variable(const std::string& name, llvm::Value* value);
  void bind_buffer(const std::string& name, llvm::Value* base);
  // Where a workspace buffer begins; bound as a buffer when it is allocated.
  void bind_workspace(const std::string& name, llvm::Value* base);
  void bind_runtime(llvm::Value* parallel_runtime) { runtime_ = parallel_runtime; }
  void set_range(const std::string& variable, expr::Interval range) { ranges_[variable] = range; }

  // Of variables that are bound, where the function has come to.
  llvm::Value* number(const Expr& e) { return scalar(e); }
  void statement(const loop::Stmt& stmt);
  // for (variable = begin; variable < end; ++variable) body, at the line of `loop`.
  void serial_loop(const loop::For& loop, llvm::Value* begin, llvm::Value* end);
  void finish();

 private:
  using Value = llvm::Value;

  // A vectorised loop: all its iterations are one vector.
  struct Lanes {
    std::string variable;
    int width;
    Value* mask;  // lanes that run; null: all
  };
  // Values known in the current block, by expression (kept, so that its address names nothing
  // else). A scope opens where a condition does.
  struct KnownValue {
    Expr expression;
    Value* value;
  };
  using Known = std::unordered_map<const expr::Node*, KnownValue>;
  class Scope;

  // emitter.cpp
  void emit(const loop::For& loop);
  void emit(const loop::Block& block);
  void emit(const loop::Store& store);
  void emit(const loop::If& branch);
  void emit(const loop::Alloc& alloc);
  void emit(const loop::Seq& seq);
  void emit(const loop::Prefetch& prefetch);
  void emit_vectorized(const loop::For& loop);
  void emit_unrolled(const loop::For& loop, std::int64_t extent);
  void emit_masked(const loop::If& branch, Value* condition);
  int width() const { return lanes_->width; }
  Value*& mask() { return lanes_->mask; }
  Value* stack_slot(const Storage& storage);
  void range_of(const loop::For& loop);
  llvm::BasicBlock* new_block(const std::string& name);
  void set_line(const loop::Stmt& stmt);
  // LLVM is told what is noted on the loop that the branch repeats.
  void note(llvm::Instruction& branch) const;

  // emitter_intrinsics.cpp
  void emit(const loop::IntrinsicCall& call);
  Value* address_in(const loop::Tile& tile, const std::vector<std::int64_t>& indices);
  void emit_product(const loop::IntrinsicCall& call);
  void emit_byte_dot(const loop::IntrinsicCall& call);
  std::vector<llvm::Value*> rows_of(const loop::IntrinsicCall& call);
  void emit_transpose(const loop::IntrinsicCall& call);
  void store_first(Value* vector, int count, Value* place);
  void emit_interleave(const loop::IntrinsicCall& call);

  // emitter_parallel.cpp
  void emit_parallel(const loop::For& loop);
  struct Captures;
  Captures captures_of(const loop::For& loop);
  llvm::Function* outline(const loop::For& loop, const Captures& captures);
  llvm::Function* make_trampoline(llvm::Function* body, llvm::Type* closure_type,
                                  const Captures& captures);

  // emitter_expressions.cpp
  Value* value(const Expr& e);   // scalar or vector
  Value* scalar(const Expr& e);  // at lane 0 of a vectorised loop
  Value* vector(Value* v);       // splat over the lanes unless it is a vector
  Value* compute(const Expr& e);
  Value* constant(DataType type, const expr::IntConstant& c);
  Value* binary(const expr::Binary& binary);
  Value* narrow_division(const expr::Binary& binary);
  Value* sum_with_quads(const expr::Binary& binary);
  void in_as_many_lanes(std::vector<Value*>& operands);
  Value* lane_comparison(const expr::Binary& binary);
  Value* select(const expr::Select& select);
  Value* branched_select(const expr::Select& select, Value* condition);
  Value* under_mask(Value* condition, const Expr& e);
  Value* under_guard(Value* condition, const Expr& e);
  Value* lane_indices(unsigned bits, std::int64_t stride = 1);

  // emitter_memory.cpp
  Value* load(const expr::Load& load, DataType type);
  Value* load_scalar(const Access& access, bool safe);
  Value* load_contiguous(const Access& access, bool safe);
  Value* load_strided(const Access& access, bool safe);
  // Null where lanes are too far from one another.
  Value* load_near(const Access& access, bool safe);
  Value* load_run(const LaneRun& run, const std::vector<std::int64_t>& offsets,
                  const Access& access, Value* lanes);
  Value* masked_load(llvm::Type* type, Value* address, const Access& access, Value* lanes);
  void masked_store(Value* v, Value* address, llvm::Align alignment, Value* lanes);
  Value* gather(const Access& access, bool safe);
  void store_shared(const Access& access, const Expr& e);
  void store_lanes(const Access& access, Value* v);
  Value* to_memory(Value* v, const Access& access);
  Value* address_at_lane_zero(const Access& access, std::int64_t extra = 0);
  Value* lane_addresses(const Access& access);
  Value* reversed(Value* v);
  Value* zeros(std::int64_t bytes);
  bool in_bounds(const expr::Load& load);
  Value* any_lane();
  // The predicate of everything around, for loads of one address; null: always.
  Value* scalar_guard();
  Value* lane_guard();  // per lane

  bool in_lanes() const { return lanes_ && !at_lane_zero_; }

  KernelContext& kernel_;
  llvm::Function& function_;
  std::shared_ptr<llvm::IRBuilderBase> builder_;
  llvm::IRBuilderBase& b_;
  Value* runtime_ = nullptr;
  std::unordered_map<std::string, Value*> variables_, buffers_, workspace_, slots_;
  expr::Ranges ranges_;
  std::optional<Lanes> lanes_;
  bool at_lane_zero_ = false;
  Value* guard_ = nullptr;  // uniform condition that holds only if the expression is wanted
  std::vector<Known> known_;
  const loop::Annotations* noted_ = nullptr;  // on the statement being emitted
};

// Replaces a member for as long as it lives.
template <class T>
class Restore {
 public:
  Restore(T& place, T value) : place_(place), old_(std::move(place)) { place_ = std::move(value); }
  ~Restore() { place_ = std::move(old_); }
  Restore(const Restore&) = delete;

 private:
  T& place_;
  T old_;
};

class Emitter::Scope {
 public:
  explicit Scope(Emitter& emitter) : emitter_(emitter) { emitter_.known_.emplace_back(); }
  ~Scope() { emitter_.known_.pop_back(); }
  Scope(const Scope&) = delete;

 private:
  Emitter& emitter_;
};

}  // namespace loopglass::codegen
