// Expressions.
#include "core/codegen/emitter.h"

#include "core/codegen/dot_products.h"
#include "core/codegen/operators.h"
#include "core/expr/operators.h"
#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace loopglass::codegen {
namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;

// Roughly how many instructions `e` is; stops counting beyond the limit.
void count_cost(const Expr& e, int limit, int& cost) {
  if (cost > limit) return;
  ++cost;
  const auto* unary = e.as<expr::Unary>();
  if (unary && expr::work(unary->op) != expr::Work::Simple) cost += 20;
  expr::each_operand(e, [&](const Expr& operand) { count_cost(operand, limit, cost); });
}

// Evaluating both branches of a select beats a jump up to this size.
constexpr int cheap_branch = 48;

bool is_cheap(const Expr& e) {
  int cost = 0;
  count_cost(e, cheap_branch, cost);
  return cost <= cheap_branch;
}

}  // namespace

llvm::Value* Emitter::value(const Expr& e) {
  for (auto scope = known_.rbegin(); scope != known_.rend(); ++scope) {
    auto found = scope->find(e.get());
    if (found == scope->end()) continue;
    if (!(at_lane_zero_ && found->second.value->getType()->isVectorTy()))
      return found->second.value;
  }
  Value* v = compute(e);
  known_.back().insert_or_assign(e.get(), KnownValue{e, v});
  return v;
}

llvm::Value* Emitter::scalar(const Expr& e) {
  if (!in_lanes()) return value(e);
  Scope scope(*this);
  Restore lane_zero(at_lane_zero_, true);
  Value*& variable = variables_[lanes_->variable];
  Restore first(variable, static_cast<Value*>(b_.getInt64(0)));
  return value(e);
}

llvm::Value* Emitter::vector(Value* v) {
  if (v->getType()->isVectorTy()) return v;
  return b_.CreateVectorSplat(static_cast<unsigned>(width()), v);
}

llvm::Value* Emitter::lane_indices(unsigned bits, std::int64_t stride) {
  std::vector<llvm::Constant*> indices;
  for (int lane = 0; lane < width(); ++lane)
    indices.push_back(llvm::ConstantInt::get(b_.getIntNTy(bits),
                                             static_cast<std::uint64_t>(lane * stride), true));
  return llvm::ConstantVector::get(indices);
}

llvm::Value* Emitter::compute(const Expr& e) {
  struct Visitor {
    Emitter& self;
    const Expr& e;
    Value* operator()(const expr::IntConstant& c) const { return self.constant(e.type(), c); }
    Value* operator()(const expr::FloatConstant& c) const {
      return llvm::ConstantFP::get(register_type(self.b_.getContext(), e.type()), c.value);
    }
    Value* operator()(const expr::Variable& variable) const {
      auto found = self.variables_.find(variable.name);
      CHECK(found != self.variables_.end(), "variable " + variable.name + " is not bound");
      return found->second;
    }
    Value* operator()(const expr::Load& load) const { return self.load(load, e.type()); }
    Value* operator()(const expr::Unary& unary) const {
      return emit_unary(self.b_, unary.op, unary.operand.type(), self.value(unary.operand));
    }
    Value* operator()(const expr::Binary& binary) const { return self.binary(binary); }
    Value* operator()(const expr::Select& select) const { return self.select(select); }
    Value* operator()(const expr::Cast& cast) const {
      return emit_cast(self.b_, cast.operand.type(), e.type(), self.value(cast.operand));
    }
  };
  return std::visit(Visitor{*this, e}, e.node().value);
}

llvm::Value* Emitter::constant(DataType type, const expr::IntConstant& c) {
  return llvm::ConstantInt::get(register_type(b_.getContext(), type),
                                static_cast<std::uint64_t>(c.value), true);
}

llvm::Value* Emitter::binary(const expr::Binary& binary) {
  if (in_lanes() && binary.left.type() == DataType::Int64)
    if (Value* mask = lane_comparison(binary)) return mask;
  if (Value* quotient = narrow_division(binary)) return quotient;
  if (Value* sum = sum_with_quads(binary)) return sum;
  std::vector<Value*> operands{value(binary.left), value(binary.right)};
  in_as_many_lanes(operands);
  return emit_binary(b_, binary.op, binary.left.type(), operands[0], operands[1]);
}

// Index arithmetic divided in lanes, where 32 bits are enough: no processor here divides or
// multiplies the upper halves of 64 bits in vectors. Null for everything else.
llvm::Value* Emitter::narrow_division(const expr::Binary& binary) {
  if (!in_lanes() || binary.left.type() != DataType::Int64 ||
      (binary.op != BinaryOperator::FloorDiv && binary.op != BinaryOperator::FloorMod))
    return nullptr;
  constexpr expr::Interval narrow{std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max()};
  const auto divisor = expr::as_integer(binary.right);
  const auto range = expr::bounds(binary.left, ranges_);
  if (!divisor || *divisor <= 0 || *divisor > narrow.max || !range || range->min < narrow.min ||
      range->max > narrow.max)
    return nullptr;
  Value* const left = value(binary.left);
  if (!left->getType()->isVectorTy()) return nullptr;
  llvm::Type* const type = shaped_like(b_.getInt32Ty(), left->getType());
  Value* const quotient =
      emit_binary(b_, binary.op, DataType::Int32, b_.CreateTrunc(left, type),
                  llvm::ConstantInt::get(type, static_cast<std::uint64_t>(*divisor)));
  return b_.CreateSExt(quotient, left->getType());
}

// Something and products of bytes that are added to it in one instruction; null: it is no such sum.
llvm::Value* Emitter::sum_with_quads(const expr::Binary& binary) {
  if (binary.op != BinaryOperator::Add) return nullptr;
  for (const auto& [to, of] :
       {std::pair(&binary.left, &binary.right), std::pair(&binary.right, &binary.left)}) {
    const auto* dot = of->as<expr::Binary>();
    if (!dot || dot->op != BinaryOperator::DotQuads) continue;
    std::vector<Value*> operands{value(*to), value(dot->left), value(dot->right)};
    in_as_many_lanes(operands);
    return emit_dot_quads(b_, operands[1], operands[2], operands[0]);
  }
  return nullptr;
}

void Emitter::in_as_many_lanes(std::vector<Value*>& operands) {
  const auto in_lanes = [](const Value* each) { return each->getType()->isVectorTy(); };
  if (std::ranges::none_of(operands, in_lanes)) return;
  for (Value*& operand : operands) operand = vector(operand);
}

// A comparison of index arithmetic that moves by one from lane to lane holds for the lanes below
// (or not below) one bound, which is compared with the lane numbers in 32 bits instead of 64.
llvm::Value* Emitter::lane_comparison(const expr::Binary& binary) {
  using enum BinaryOperator;
  if (binary.op < Equal) return nullptr;
  if (expr::has_load(binary.left) || expr::has_load(binary.right)) return nullptr;
  Expr difference = binary.left - binary.right;
  std::optional<std::int64_t> step = expr::coefficient(difference, lanes_->variable);
  if (step != 1 && step != -1) return nullptr;
  // At `meeting` the two sides are equal.
  Value* at_zero = scalar(difference);
  Value* meeting = step == 1 ? b_.CreateNeg(at_zero) : at_zero;
  Value* count = b_.getInt64(static_cast<std::uint64_t>(width()));
  Value* lanes = lane_indices(32);
  auto splat32 = [&](Value* v) { return vector(b_.CreateTrunc(v, b_.getInt32Ty())); };
  if (binary.op == Equal || binary.op == NotEqual) {
    Value* inside = b_.CreateICmpULT(meeting, count);
    Value* lane =
        splat32(b_.CreateSelect(inside, meeting, b_.getInt64(static_cast<std::uint64_t>(-1))));
    return binary.op == Equal ? b_.CreateICmpEQ(lanes, lane) : b_.CreateICmpNE(lanes, lane);
  }
  // Below: lane < bound, else lane >= bound.
  bool below = (binary.op == Less || binary.op == LessEqual) == (step == 1);
  bool meeting_below = binary.op == LessEqual || binary.op == GreaterEqual ? below : !below;
  Value* bound = meeting_below ? b_.CreateAdd(meeting, b_.getInt64(1)) : meeting;
  bound = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, bound, b_.getInt64(0));
  bound = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, bound, count);
  return below ? b_.CreateICmpULT(lanes, splat32(bound)) : b_.CreateICmpUGE(lanes, splat32(bound));
}

llvm::Value* Emitter::select(const expr::Select& select) {
  // A repeat of an unrolled loop often knows what the loop as a whole does not.
  Value* condition = value(expr::simplify(select.condition, ranges_));
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition))
    return value(known->isOne() ? select.when_true : select.when_false);
  bool per_lane = condition->getType()->isVectorTy();
  if (!per_lane && !(is_cheap(select.when_true) && is_cheap(select.when_false)))
    return branched_select(select, condition);
  Value* otherwise = b_.CreateNot(condition);
  Value* when_true =
      per_lane ? under_mask(condition, select.when_true) : under_guard(condition, select.when_true);
  Value* when_false = per_lane ? under_mask(otherwise, select.when_false)
                               : under_guard(otherwise, select.when_false);
  if (per_lane || when_true->getType()->isVectorTy() || when_false->getType()->isVectorTy()) {
    when_true = vector(when_true);
    when_false = vector(when_false);
  }
  return b_.CreateSelect(condition, when_true, when_false);
}

llvm::Value* Emitter::branched_select(const expr::Select& select, Value* condition) {
  llvm::BasicBlock* then_block = new_block("select.true");
  llvm::BasicBlock* else_block = new_block("select.false");
  llvm::BasicBlock* after = new_block("select.end");
  b_.CreateCondBr(condition, then_block, else_block);
  auto branch = [&](llvm::BasicBlock* block, const Expr& e) {
    b_.SetInsertPoint(block);
    Scope scope(*this);
    return value(e);
  };
  Value* when_true = branch(then_block, select.when_true);
  llvm::BasicBlock* then_end = b_.GetInsertBlock();
  Value* when_false = branch(else_block, select.when_false);
  if (when_true->getType()->isVectorTy()) when_false = vector(when_false);
  llvm::BasicBlock* else_end = b_.GetInsertBlock();
  b_.CreateBr(after);
  b_.SetInsertPoint(then_end);
  if (when_false->getType()->isVectorTy()) when_true = vector(when_true);
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
  llvm::PHINode* result = b_.CreatePHI(when_true->getType(), 2);
  result->addIncoming(when_true, then_end);
  result->addIncoming(when_false, else_end);
  return result;
}

llvm::Value* Emitter::under_mask(Value* condition, const Expr& e) {
  Scope scope(*this);
  Restore restricted(mask(), mask() ? b_.CreateAnd(mask(), condition) : condition);
  return value(e);
}

llvm::Value* Emitter::under_guard(Value* condition, const Expr& e) {
  Scope scope(*this);
  Restore restricted(guard_, guard_ ? b_.CreateAnd(guard_, condition) : condition);
  return value(e);
}

}  // namespace loopglass::codegen
