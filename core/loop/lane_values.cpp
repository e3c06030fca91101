// Scalar expressions compiled to values over batches of lanes: one class a kind of node, with the
// loops over elements instantiated an operator and element type at a time.
#include "core/loop/lane_conditions.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::loop::lanes {

namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;

template <class T>
class Scratch {
 public:
  explicit Scratch(const Batch& batch)
      : values_(std::make_unique<T[]>(static_cast<std::size_t>(batch.lanes))) {}
  T* get() { return values_.get(); }

 private:
  std::unique_ptr<T[]> values_;
};

template <class T>
class ConstantValues : public Values<T> {
 public:
  ConstantValues(T value, const Batch& batch) : values_(batch) {
    std::fill_n(values_.get(), batch.lanes, value);
  }
  const T* of(const Slots&, Lanes) override { return values_.get(); }

 private:
  Scratch<T> values_;
};

class AffineValues : public Values<std::int64_t> {
 public:
  AffineValues(const Affine& form, const Batch& batch) : form_(form, batch), values_(batch) {}
  const std::int64_t* of(const Slots& slots, Lanes lanes) override {
    lanes.each([base = form_.base(slots), from = form_.differences().data(),
                to = values_.get()](int lane) { to[lane] = base + from[lane]; });
    return values_.get();
  }

 private:
  AffineLanes form_;
  Scratch<std::int64_t> values_;
};

template <class T>
class LoadValues : public Values<T> {
 public:
  LoadValues(const Storage& storage, const expr::Load& load, const Environment& environment,
             const Batch& batch)
      : access_(storage, load.indices, environment, batch, false), values_(batch) {
    CHECK(storage.type == data_type_of<T>(),
          fmt::format("a load of '{}' has the wrong type", storage.name));
  }
  const T* of(const Slots& slots, Lanes lanes) override {
    if (lanes.count == 0) return values_.get();
    const Access::Offsets offsets = access_.offsets(slots, lanes);
    const T* data = reinterpret_cast<const T*>(access_.storage().data);
    T* to = values_.get();
    if (!offsets.differences) {
      if (!lanes.list) return data + offsets.base;
      lanes.each([from = data + offsets.base, to](int lane) { to[lane] = from[lane]; });
    } else {
      lanes.each([from = data + offsets.base, at = offsets.differences, to](int lane) {
        to[lane] = from[at[lane]];
      });
    }
    return to;
  }

 private:
  Access access_;
  Scratch<T> values_;
};

template <class From, class To>
using UnaryLoop = void (*)(const From* from, To* to, Lanes lanes);
template <class From, class To>
using BinaryLoop = void (*)(const From* left, const From* right, To* to, Lanes lanes);

template <class From, class To>
class UnaryValues : public Values<To> {
 public:
  UnaryValues(ValuesPtr<From> operand, UnaryLoop<From, To> loop, const Batch& batch)
      : operand_(std::move(operand)), loop_(loop), values_(batch) {}
  const To* of(const Slots& slots, Lanes lanes) override {
    loop_(operand_->of(slots, lanes), values_.get(), lanes);
    return values_.get();
  }

 private:
  ValuesPtr<From> operand_;
  UnaryLoop<From, To> loop_;
  Scratch<To> values_;
};

template <class From, class To>
class BinaryValues : public Values<To> {
 public:
  BinaryValues(ValuesPtr<From> left, ValuesPtr<From> right, BinaryLoop<From, To> loop,
               const Batch& batch)
      : left_(std::move(left)), right_(std::move(right)), loop_(loop), values_(batch) {}
  const To* of(const Slots& slots, Lanes lanes) override {
    const From* left = left_->of(slots, lanes);
    loop_(left, right_->of(slots, lanes), values_.get(), lanes);
    return values_.get();
  }

 private:
  ValuesPtr<From> left_, right_;
  BinaryLoop<From, To> loop_;
  Scratch<To> values_;
};

// Each branch sees only the lanes that take it.
template <class T>
class SelectValues : public Values<T> {
 public:
  SelectValues(ValuesPtr<bool> condition, ValuesPtr<T> when_true, ValuesPtr<T> when_false,
               const Batch& batch)
      : condition_(std::move(condition)),
        when_true_(std::move(when_true)),
        when_false_(std::move(when_false)),
        values_(batch),
        inverse_(batch) {}
  const T* of(const Slots& slots, Lanes lanes) override {
    if (const auto known = condition_->decided(slots))
      return (*known ? when_true_ : when_false_)->of(slots, lanes);
    const bool* condition = condition_->of(slots, lanes);
    const Lanes taken = where(condition, lanes, taken_);
    if (taken.count == lanes.count) return when_true_->of(slots, lanes);
    if (taken.count == 0) return when_false_->of(slots, lanes);
    lanes.each([&, to = inverse_.get()](int lane) { to[lane] = !condition[lane]; });
    const Lanes others = where(inverse_.get(), lanes, others_);
    T* to = values_.get();
    const T* when_true = when_true_->of(slots, taken);
    taken.each([&](int lane) { to[lane] = when_true[lane]; });
    const T* when_false = when_false_->of(slots, others);
    others.each([&](int lane) { to[lane] = when_false[lane]; });
    return to;
  }

 private:
  ValuesPtr<bool> condition_;
  ValuesPtr<T> when_true_, when_false_;
  Scratch<T> values_;
  Scratch<bool> inverse_;
  std::vector<int> taken_, others_;
};

template <UnaryOperator op, class From, class To>
void unary_loop(const From* from, To* to, Lanes lanes) {
  lanes.each([=](int lane) { to[lane] = expr::apply<op>(from[lane]); });
}
template <BinaryOperator op, class From, class To>
void binary_loop(const From* left, const From* right, To* to, Lanes lanes) {
  lanes.each([=](int lane) { to[lane] = expr::apply<op>(left[lane], right[lane]); });
}
template <class From, class To>
void cast_loop(const From* from, To* to, Lanes lanes) {
  lanes.each([=](int lane) { to[lane] = expr::convert<To>(from[lane]); });
}

template <class From, class To>
UnaryLoop<From, To> unary_loop_of(UnaryOperator op) {
  return expr::with_operator(op, [](auto constant) -> UnaryLoop<From, To> {
    constexpr UnaryOperator known = decltype(constant)::value;
    if constexpr (expr::accepts<From>(known) &&
                  (expr::gives_bool(known) ? std::is_same_v<To, bool> : std::is_same_v<To, From>))
      return unary_loop<known, From, To>;
    else return nullptr;
  });
}
template <class From, class To>
BinaryLoop<From, To> binary_loop_of(BinaryOperator op) {
  return expr::with_operator(op, [](auto constant) -> BinaryLoop<From, To> {
    constexpr BinaryOperator known = decltype(constant)::value;
    if constexpr (expr::accepts<From>(known) &&
                  (expr::gives_bool(known) ? std::is_same_v<To, bool> : std::is_same_v<To, From>))
      return binary_loop<known, From, To>;
    else return nullptr;
  });
}

template <class T>
struct Compiler {
  const Environment& environment;
  const Batch& batch;

  template <class Operand>
  ValuesPtr<Operand> operand(const Expr& e) const {
    return compile<Operand>(e, environment, batch);
  }

  ValuesPtr<T> operator()(const expr::IntConstant& v) const {
    return std::make_unique<ConstantValues<T>>(static_cast<T>(v.value), batch);
  }
  ValuesPtr<T> operator()(const expr::FloatConstant& v) const {
    return std::make_unique<ConstantValues<T>>(static_cast<T>(v.value), batch);
  }
  ValuesPtr<T> operator()(const expr::Variable& v) const {
    CHECK(false, fmt::format("variable '{}' of type {} in '{}'", v.name, name(data_type_of<T>()),
                             environment.place));
    return nullptr;
  }
  ValuesPtr<T> operator()(const expr::Load& v) const {
    const auto found = environment.buffers.find(v.buffer);
    CHECK(found != environment.buffers.end(),
          fmt::format("no buffer '{}' in '{}'", v.buffer, environment.place));
    return std::make_unique<LoadValues<T>>(*found->second, v, environment, batch);
  }
  ValuesPtr<T> operator()(const expr::Unary& v) const {
    return from_operand(v.operand.type(), [&](auto element) -> ValuesPtr<T> {
      using From = decltype(element);
      return std::make_unique<UnaryValues<From, T>>(operand<From>(v.operand),
                                                    unary_loop_of<From, T>(v.op), batch);
    });
  }
  ValuesPtr<T> operator()(const expr::Binary& v) const {
    if constexpr (std::is_same_v<T, bool>)
      if (auto condition = compile_condition(v, environment, batch)) return condition;
    return from_operand(v.left.type(), [&](auto element) -> ValuesPtr<T> {
      using From = decltype(element);
      return std::make_unique<BinaryValues<From, T>>(operand<From>(v.left), operand<From>(v.right),
                                                     binary_loop_of<From, T>(v.op), batch);
    });
  }
  ValuesPtr<T> operator()(const expr::Select& v) const {
    return std::make_unique<SelectValues<T>>(operand<bool>(v.condition), operand<T>(v.when_true),
                                             operand<T>(v.when_false), batch);
  }
  ValuesPtr<T> operator()(const expr::Cast& v) const {
    return visit_type(v.operand.type(), [&](auto element) -> ValuesPtr<T> {
      using From = decltype(element);
      return std::make_unique<UnaryValues<From, T>>(operand<From>(v.operand), cast_loop<From, T>,
                                                    batch);
    });
  }

  // Operands have the result's type, or any type where the result is a Bool.
  template <class Make>
  ValuesPtr<T> from_operand(DataType type, Make&& make) const {
    if constexpr (std::is_same_v<T, bool>) return visit_type(type, make);
    else return make(T{});
  }
};

}  // namespace

template <class T>
ValuesPtr<T> compile(const Expr& e, const Environment& environment, const Batch& batch) {
  CHECK(e.defined() && e.type() == data_type_of<T>(),
        fmt::format("an expression of the wrong type in '{}'", environment.place));
  if constexpr (std::is_same_v<T, std::int64_t>)
    if (const auto form = affine(e, environment))
      return std::make_unique<AffineValues>(*form, batch);
  return std::visit(Compiler<T>{environment, batch}, e.node().value);
}

#define LOOPGLASS_INSTANTIATE(T) \
  template ValuesPtr<T> compile<T>(const Expr&, const Environment&, const Batch&);
LOOPGLASS_INSTANTIATE(Float16)
LOOPGLASS_INSTANTIATE(float)
LOOPGLASS_INSTANTIATE(double)
LOOPGLASS_INSTANTIATE(std::int8_t)
LOOPGLASS_INSTANTIATE(std::int16_t)
LOOPGLASS_INSTANTIATE(std::int32_t)
LOOPGLASS_INSTANTIATE(std::int64_t)
LOOPGLASS_INSTANTIATE(std::uint8_t)
LOOPGLASS_INSTANTIATE(std::uint16_t)
LOOPGLASS_INSTANTIATE(std::uint32_t)
LOOPGLASS_INSTANTIATE(std::uint64_t)
LOOPGLASS_INSTANTIATE(bool)
#undef LOOPGLASS_INSTANTIATE

}  // namespace loopglass::loop::lanes
