// The interpreter's expressions, resolved and evaluated many loop iterations ("lanes") at a time.
//
// Looking at a tree node by node costs far more than the arithmetic in it, so the interpreter pays
// that once for a batch of iterations of the innermost loops. A batch is a plain list of lanes,
// each with its own values of the batched loop variables; conditions make the list shorter. An
// index that is affine in the loop variables is split into a base, computed once a batch, and a
// table of differences, computed once in all.
#pragma once

#include "core/expr/arithmetic.h"
#include "core/loop/func.h"

#include <map>
#include <memory>
#include <optional>
#include <span>

namespace loopglass::loop::lanes {

inline constexpr std::int64_t capacity = 512;

// Lanes to be computed: 0 .. count - 1, or only those listed.
struct Lanes {
  int count = 0;
  const int* list = nullptr;

  template <class Function>
  void each(Function&& function) const {
    if (list)
      for (int k = 0; k < count; ++k) function(list[k]);
    else
      for (int k = 0; k < count; ++k) function(k);
  }
  int first() const { return list ? list[0] : 0; }
};

// Current values of loop variables, by slot. A batched variable's slot holds its value in lane 0.
using Slots = std::vector<std::int64_t>;

// What the batched loops' variables add to their slots, lane by lane.
struct Batch {
  int lanes = 1;
  std::map<int, std::vector<std::int64_t>> differences;  // by slot
};

// Where a buffer's elements are while the Func runs.
struct Storage {
  std::string name;
  DataType type;
  Shape shape;
  std::vector<std::int64_t> strides;
  std::byte* data = nullptr;
};

// What names stand for at one place of the Func.
struct Environment {
  std::map<std::string, int> slots;           // loop variables
  std::map<std::string, Expr> substitutions;  // symbols and block iteration variables
  std::map<std::string, const Storage*> buffers;
  std::string place;  // for messages: the block or buffer being computed

  Expr resolve(const Expr& e) const;
};

// constant + sum of coefficient * slot.
struct Affine {
  std::int64_t constant = 0;
  std::map<int, std::int64_t> terms;
};
// nullopt also where the numbers are so great that the form might overflow.
std::optional<Affine> affine(const Expr& resolved, const Environment& environment);

// An affine form over a batch: base(slots) + difference of the lane.
class AffineLanes {
 public:
  AffineLanes(const Affine& form, const Batch& batch);
  std::int64_t base(const Slots& slots) const {
    std::int64_t value = constant_;
    for (const auto& [slot, coefficient] : terms_)
      value += coefficient * slots[static_cast<std::size_t>(slot)];
    return value;
  }
  const std::vector<std::int64_t>& differences() const { return differences_; }
  std::int64_t least() const { return least_; }
  std::int64_t greatest() const { return greatest_; }
  bool contiguous() const { return contiguous_; }  // lane k is base + k

 private:
  std::int64_t constant_;
  std::vector<std::pair<int, std::int64_t>> terms_;
  std::vector<std::int64_t> differences_;
  std::int64_t least_ = 0, greatest_ = 0;
  bool contiguous_ = true;
};

// The values of an expression, one a lane; only those of the lanes asked for are set. The span
// stays valid until the next call.
template <class T>
class Values {
 public:
  virtual ~Values() = default;
  virtual const T* of(const Slots& slots, Lanes lanes) = 0;
  // The value of every lane of the batch, where that is known without computing them.
  virtual std::optional<T> decided(const Slots&) { return std::nullopt; }
};
template <class T>
using ValuesPtr = std::unique_ptr<Values<T>>;

// Element offsets of an access, checked against the buffer's shape.
class Access {
 public:
  Access(const Storage& storage, const std::vector<Expr>& indices, const Environment& environment,
         const Batch& batch, bool is_store);

  // Lane k's element is base + (differences ? differences[k] : k).
  struct Offsets {
    std::int64_t base = 0;
    const std::int64_t* differences = nullptr;
    std::int64_t operator[](int lane) const {
      return base + (differences ? differences[lane] : lane);
    }
  };
  Offsets offsets(const Slots& slots, Lanes lanes);

  const Storage& storage() const { return storage_; }
  // Whether no two lanes meet the same element, as far as that is plain.
  bool distinct() const;

 private:
  struct Dimension {
    std::int64_t extent, stride;
    std::optional<AffineLanes> affine;
    ValuesPtr<std::int64_t> general;  // where the index is not affine
  };
  void check(std::size_t dimension, const std::int64_t* differences, std::int64_t base, Lanes lanes,
             const Slots& slots);
  [[noreturn]] void outside(int lane, const Slots& slots);

  const Storage& storage_;
  std::vector<Dimension> dimensions_;
  std::optional<AffineLanes> total_;  // the affine dimensions together
  bool all_affine_ = true;
  std::unique_ptr<std::int64_t[]> scratch_;
  bool is_store_;
  std::string place_;
};

// `resolved` has been through Environment::resolve and is of type T.
template <class T>
ValuesPtr<T> compile(const Expr& resolved, const Environment& environment, const Batch& batch);

// The lanes where a condition holds; `storage` keeps the list where it is shorter than `lanes`.
Lanes where(Values<bool>& condition, const Slots& slots, Lanes lanes, std::vector<int>& storage);
Lanes where(const bool* condition, Lanes lanes, std::vector<int>& storage);

}  // namespace loopglass::loop::lanes
