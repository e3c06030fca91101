// Loads and stores: one element, a run of elements, every n-th element, elements that lie near one
// another, or any elements.
#include "core/codegen/emitter.h"

#include "core/codegen/operators.h"
#include "core/codegen/target.h"
#include "core/support/check.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace loopglass::codegen {
namespace {

llvm::Align element_alignment(const Access& access) {
  return llvm::Align(byte_size(access.storage->buffer.type));
}

// Every n-th element is read as n whole vectors and shuffled up to this n.
constexpr std::int64_t largest_shuffled_stride = 4;

// Of fewer, elements are asked for one by one.
constexpr int fewest_lanes_a_load = 2;

// What LLVM 19 would cut in two for AVX and AVX2. Of a mask whose upper half is false it makes one
// that is true there: elements are then read that nobody wants, and are not zeros. So such vectors
// are cut here, where masks are of integers.
bool is_cut_by_llvm(llvm::Type* type) {
  constexpr std::uint64_t widest = 256;
  const unsigned bits = type->getScalarSizeInBits();
  return (bits == 32 || bits == 64) && type->getPrimitiveSizeInBits() > widest &&
         host_target().has("avx") && !host_target().has("avx512f");
}

// A part of 256 bits, as floating-point numbers of its size.
struct MaskedPart {
  bool is_wide;  // of 64 bits each
  unsigned first, count;
  llvm::Value *address, *lanes;

  llvm::Value* of(llvm::IRBuilderBase& b, llvm::Value* whole) const {
    llvm::Value* part = b.CreateShuffleVector(whole, llvm::createSequentialMask(first, count, 0));
    llvm::Type* element = is_wide ? b.getDoubleTy() : b.getFloatTy();
    return b.CreateBitCast(part, llvm::FixedVectorType::get(element, count));
  }
};

std::vector<MaskedPart> masked_parts(llvm::IRBuilderBase& b, llvm::Type* type, llvm::Value* address,
                                     llvm::Value* lanes) {
  const unsigned bits = type->getScalarSizeInBits();
  const unsigned all = llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
  const unsigned count = 256 / bits;
  CHECK(all % count == 0, "a vector that is no power of two");
  // The sign bit is what counts; a mask that is made of whole truths LLVM would take for one of
  // bits again.
  auto* integers = llvm::FixedVectorType::get(b.getIntNTy(bits), all);
  llvm::Value* mask =
      b.CreateShl(b.CreateZExt(lanes, integers), llvm::ConstantInt::get(integers, bits - 1));
  std::vector<MaskedPart> parts;
  for (unsigned first = 0; first < all; first += count) {
    parts.push_back({bits == 64, first, count,
                     b.CreateConstGEP1_64(b.getInt8Ty(), address, std::uint64_t{first} * bits / 8),
                     b.CreateShuffleVector(mask, llvm::createSequentialMask(first, count, 0))});
  }
  return parts;
}

}  // namespace

llvm::Value* Emitter::load(const expr::Load& load, DataType type) {
  Access access =
      kernel_.plan.access(load.buffer, load.indices, in_lanes() ? lanes_->variable : "");
  // Bounds are asked for only where something could be skipped.
  bool safe = (!guard_ && !(lanes_ && mask())) || in_bounds(load);
  Value* v;
  if (access.lane_stride == 0) v = load_scalar(access, safe);
  else if (access.lane_stride == 1 || access.lane_stride == -1) v = load_contiguous(access, safe);
  else if (access.lane_stride > 1 && access.lane_stride <= largest_shuffled_stride)
    v = load_strided(access, safe);
  else if (v = load_near(access, safe); !v) v = gather(access, safe);
  if (type == DataType::Bool) v = b_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
  return v;
}

// One element for all lanes, written if any of them runs.
void Emitter::store_shared(const Access& access, const Expr& e) {
  Value* condition = any_lane();
  llvm::BasicBlock* after = nullptr;
  if (condition) {
    llvm::BasicBlock* body = new_block("store");
    after = new_block("stored");
    b_.CreateCondBr(condition, body, after);
    b_.SetInsertPoint(body);
  }
  Value* v = value(e);
  CHECK(!v->getType()->isVectorTy(), "lanes meet in one element");
  b_.CreateAlignedStore(to_memory(v, access), address_at_lane_zero(access),
                        element_alignment(access));
  if (!after) return;
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

void Emitter::store_lanes(const Access& access, Value* v) {
  v = to_memory(vector(v), access);
  Value* lanes = mask();
  llvm::Align alignment = element_alignment(access);
  if (access.lane_stride != 1 && access.lane_stride != -1) {
    b_.CreateMaskedScatter(v, lane_addresses(access), alignment, lanes);
    return;
  }
  bool backwards = access.lane_stride == -1;
  Value* address = address_at_lane_zero(access, backwards ? 1 - width() : 0);
  if (backwards) {
    v = reversed(v);
    if (lanes) lanes = reversed(lanes);
  }
  if (lanes) masked_store(v, address, alignment, lanes);
  else b_.CreateAlignedStore(v, address, alignment);
}

llvm::Value* Emitter::to_memory(Value* v, const Access& access) {
  if (access.storage->buffer.type != DataType::Bool) return v;
  return b_.CreateZExt(v, shaped_like(b_.getInt8Ty(), v->getType()));
}

llvm::Value* Emitter::load_scalar(const Access& access, bool safe) {
  Value* address = address_at_lane_zero(access);
  if (Value* guard = safe ? nullptr : scalar_guard())
    address = b_.CreateSelect(guard, address, zeros(8));
  llvm::Type* type = memory_type(b_.getContext(), access.storage->buffer.type);
  return b_.CreateAlignedLoad(type, address, element_alignment(access),
                              access.storage->buffer.name);
}

llvm::Value* Emitter::load_contiguous(const Access& access, bool safe) {
  bool backwards = access.lane_stride == -1;
  DataType element = access.storage->buffer.type;
  llvm::Type* type = llvm::FixedVectorType::get(memory_type(b_.getContext(), element),
                                                static_cast<unsigned>(width()));
  Value* address = address_at_lane_zero(access, backwards ? 1 - width() : 0);
  if (!safe && guard_)
    address = b_.CreateSelect(guard_, address,
                              zeros(width() * static_cast<std::int64_t>(byte_size(element))));
  Value* lanes = safe ? nullptr : mask();
  Value* v;
  if (lanes) {
    if (backwards) lanes = reversed(lanes);
    v = masked_load(type, address, access, lanes);
  } else {
    v = b_.CreateAlignedLoad(type, address, element_alignment(access), access.storage->buffer.name);
  }
  return backwards ? reversed(v) : v;
}

// Whole vectors that together cover exactly the elements from the first lane's to the last lane's
// (the last vector overlaps the one before it), then a shuffle. Under a mask only the elements
// wanted are touched.
llvm::Value* Emitter::load_strided(const Access& access, bool safe) {
  int count = width();
  int stride = static_cast<int>(*access.lane_stride);
  llvm::Type* element = memory_type(b_.getContext(), access.storage->buffer.type);
  llvm::Type* type = llvm::FixedVectorType::get(element, count);
  Value* lanes = safe ? nullptr : lane_guard();
  Value* result = nullptr;
  for (int piece = 0; piece < stride; ++piece) {
    bool last = piece + 1 == stride;
    int start = last ? stride * (count - 1) + 1 - count : piece * count;
    // The lane at each place of this piece (`count`: none), and the place of each lane. Lanes that
    // are elsewhere keep what they have.
    std::vector<int> lane_at(static_cast<std::size_t>(count), count),
        taken(static_cast<std::size_t>(count));
    for (int lane = 0; lane < count; ++lane) {
      int place = lane * stride - start;
      bool here = place >= 0 && place < count && !(last && lane * stride < piece * count);
      taken[static_cast<std::size_t>(lane)] = here ? count + place : lane;
      if (here) lane_at[static_cast<std::size_t>(place)] = lane;
    }
    Value* address = address_at_lane_zero(access, start);
    Value* part;
    if (lanes) {
      Value* wanted =
          b_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), lane_at);
      part = masked_load(type, address, access, wanted);
    } else {
      part = b_.CreateAlignedLoad(type, address, element_alignment(access),
                                  access.storage->buffer.name);
    }
    result = b_.CreateShuffleVector(result ? result : llvm::PoisonValue::get(type), part, taken);
  }
  return result;
}

// The runs of elements that lanes are of, each as one vector or two that overlap, then shuffles:
// what enlarges an image reads each element several times, and what puts channels beside one
// another reads from several of them. Under a mask only the elements wanted are touched.
llvm::Value* Emitter::load_near(const Access& access, bool safe) {
  const auto offsets =
      access.lane_stride ? std::nullopt : lane_offsets(access, lanes_->variable, width());
  if (!offsets) return nullptr;
  const std::vector<LaneRun> runs = lane_runs(*offsets, width());
  int loads = 0;
  for (const LaneRun& run : runs) loads += run.loads();
  if (loads * fewest_lanes_a_load > width()) return nullptr;
  Value* lanes = safe ? nullptr : lane_guard();
  Value* result = nullptr;
  for (const LaneRun& run : runs) {
    Value* const part = load_run(run, *offsets, access, lanes);
    if (result == nullptr) {
      result = part;
      continue;
    }
    std::vector<int> taken;
    for (int lane = 0; lane < width(); ++lane)
      taken.push_back(run.holds((*offsets)[static_cast<std::size_t>(lane)]) ? width() + lane
                                                                            : lane);
    result = b_.CreateShuffleVector(result, part, taken);
  }
  return result;
}

// The lanes that are not of the run hold nothing that means anything.
llvm::Value* Emitter::load_run(const LaneRun& run, const std::vector<std::int64_t>& offsets,
                               const Access& access, Value* lanes) {
  const auto count = static_cast<int>(run.vector_length());
  llvm::Type* type = llvm::FixedVectorType::get(
      memory_type(b_.getContext(), access.storage->buffer.type), static_cast<unsigned>(count));
  // Elements from `start` of the run on.
  const auto part = [&](std::int64_t start) -> Value* {
    Value* address = address_at_lane_zero(access, run.first + start);
    if (!lanes)
      return b_.CreateAlignedLoad(type, address, element_alignment(access),
                                  access.storage->buffer.name);
    // Of each place the lanes that want it, one after another.
    std::vector<std::vector<int>> wanting(static_cast<std::size_t>(count));
    for (int lane = 0; lane < width(); ++lane) {
      const std::int64_t place = offsets[static_cast<std::size_t>(lane)] - run.first - start;
      if (place >= 0 && place < count) wanting[static_cast<std::size_t>(place)].push_back(lane);
    }
    Value* wanted = nullptr;
    const std::size_t most = std::ranges::max(wanting, {}, &std::vector<int>::size).size();
    for (std::size_t i = 0; i < most; ++i) {
      std::vector<int> lane_at;
      for (const std::vector<int>& each : wanting)
        lane_at.push_back(i < each.size() ? each[i] : width());
      Value* some =
          b_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), lane_at);
      wanted = wanted ? b_.CreateOr(wanted, some) : some;
    }
    return masked_load(type, address, access, wanted);
  };
  std::vector<int> taken;
  for (const std::int64_t offset : offsets) {
    const auto place = static_cast<int>(offset - run.first);
    if (!run.holds(offset)) taken.push_back(-1);
    else taken.push_back(place < count ? place : place - static_cast<int>(run.length) + 2 * count);
  }
  Value* const head = part(0);
  Value* const tail = run.loads() == 1 ? llvm::PoisonValue::get(type) : part(run.length - count);
  return b_.CreateShuffleVector(head, tail, taken);
}

// Lanes that are not wanted are zeros.
llvm::Value* Emitter::masked_load(llvm::Type* type, Value* address, const Access& access,
                                  Value* lanes) {
  if (!is_cut_by_llvm(type))
    return b_.CreateMaskedLoad(type, address, element_alignment(access), lanes,
                               llvm::Constant::getNullValue(type), access.storage->buffer.name);
  std::vector<Value*> parts;
  for (const MaskedPart& part : masked_parts(b_, type, address, lanes))
    parts.push_back(b_.CreateIntrinsic(part.is_wide ? llvm::Intrinsic::x86_avx_maskload_pd_256
                                                    : llvm::Intrinsic::x86_avx_maskload_ps_256,
                                       {}, {part.address, part.lanes}));
  return b_.CreateBitCast(llvm::concatenateVectors(b_, parts), type, access.storage->buffer.name);
}

void Emitter::masked_store(Value* v, Value* address, llvm::Align alignment, Value* lanes) {
  if (!is_cut_by_llvm(v->getType())) {
    b_.CreateMaskedStore(v, address, alignment, lanes);
    return;
  }
  for (const MaskedPart& part : masked_parts(b_, v->getType(), address, lanes))
    b_.CreateIntrinsic(part.is_wide ? llvm::Intrinsic::x86_avx_maskstore_pd_256
                                    : llvm::Intrinsic::x86_avx_maskstore_ps_256,
                       {}, {part.address, part.lanes, part.of(b_, v)});
}

llvm::Value* Emitter::gather(const Access& access, bool safe) {
  llvm::Type* type = llvm::FixedVectorType::get(
      memory_type(b_.getContext(), access.storage->buffer.type), static_cast<unsigned>(width()));
  Value* lanes = safe ? nullptr : lane_guard();
  return b_.CreateMaskedGather(type, lane_addresses(access), element_alignment(access), lanes,
                               llvm::Constant::getNullValue(type), access.storage->buffer.name);
}

llvm::Value* Emitter::address_at_lane_zero(const Access& access, std::int64_t extra) {
  Value* base = buffers_.at(access.storage->buffer.name);
  Value* index = scalar(access.index + Expr(extra));
  return b_.CreateGEP(memory_type(b_.getContext(), access.storage->buffer.type), base, index);
}

llvm::Value* Emitter::lane_addresses(const Access& access) {
  llvm::Type* element = memory_type(b_.getContext(), access.storage->buffer.type);
  if (access.lane_stride)
    return b_.CreateGEP(element, address_at_lane_zero(access),
                        lane_indices(64, *access.lane_stride));
  return b_.CreateGEP(element, buffers_.at(access.storage->buffer.name),
                      vector(value(access.index)));
}

llvm::Value* Emitter::reversed(Value* v) { return b_.CreateVectorReverse(v); }

// A constant of at least that many zero bytes: what a skipped load reads instead.
llvm::Value* Emitter::zeros(std::int64_t bytes) {
  std::int64_t size = 64;
  while (size < bytes) size *= 2;
  std::string name = "zeros" + std::to_string(size);
  if (llvm::GlobalVariable* known = kernel_.module.getNamedGlobal(name)) return known;
  llvm::Type* type = llvm::ArrayType::get(b_.getInt8Ty(), static_cast<std::uint64_t>(size));
  auto* global =
      new llvm::GlobalVariable(kernel_.module, type, true, llvm::GlobalValue::PrivateLinkage,
                               llvm::Constant::getNullValue(type), name);
  global->setAlignment(llvm::Align(Tensor::alignment));
  return global;
}

bool Emitter::in_bounds(const expr::Load& load) {
  const std::vector<Expr>& shape = kernel_.plan.storage.at(load.buffer).buffer.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::optional<std::int64_t> extent = expr::as_integer(shape[d]);
    std::optional<expr::Interval> range = expr::bounds(load.indices[d], ranges_);
    if (!extent || !range || range->min < 0 || range->max >= *extent) return false;
  }
  return true;
}

// Whether any lane runs; null: all do.
llvm::Value* Emitter::any_lane() { return lanes_ && mask() ? b_.CreateOrReduce(mask()) : nullptr; }

llvm::Value* Emitter::scalar_guard() {
  Value* any = any_lane();
  if (any && guard_) return b_.CreateAnd(any, guard_);
  return any ? any : guard_;
}

llvm::Value* Emitter::lane_guard() {
  if (!guard_) return mask();
  Value* guard = vector(guard_);
  return mask() ? b_.CreateAnd(mask(), guard) : guard;
}

}  // namespace loopglass::codegen
