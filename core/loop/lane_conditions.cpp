#include "core/loop/lane_conditions.h"

#include <algorithm>

namespace loopglass::loop::lanes {

namespace {

using expr::BinaryOperator;

class Comparison : public Values<bool> {
 public:
  Comparison(BinaryOperator op, const Affine& left, const Affine& right, const Batch& batch)
      : op_(op),
        left_(left, batch),
        right_(right, batch),
        values_(std::make_unique<bool[]>(static_cast<std::size_t>(batch.lanes))),
        lanes_(batch.lanes) {}

  std::optional<bool> decided(const Slots& slots) override {
    const std::int64_t left = left_.base(slots), right = right_.base(slots);
    const std::int64_t left_min = left + left_.least(), left_max = left + left_.greatest();
    const std::int64_t right_min = right + right_.least(), right_max = right + right_.greatest();
    using enum BinaryOperator;
    const auto either = [](bool always, bool never) {
      return always ? std::optional(true) : never ? std::optional(false) : std::nullopt;
    };
    const bool apart = left_max < right_min || right_max < left_min;
    const bool one = left_min == left_max && right_min == right_max && left_min == right_min;
    switch (op_) {
      case Less: return either(left_max < right_min, left_min >= right_max);
      case LessEqual: return either(left_max <= right_min, left_min > right_max);
      case Greater: return either(left_min > right_max, left_max <= right_min);
      case GreaterEqual: return either(left_min >= right_max, left_max < right_min);
      case Equal: return either(one, apart);
      case NotEqual: return either(apart, one);
      default: return std::nullopt;
    }
  }

  const bool* of(const Slots& slots, Lanes lanes) override {
    bool* to = values_.get();
    if (const auto known = decided(slots)) {
      std::fill_n(to, lanes_, *known);
      return to;
    }
    expr::with_operator(op_, [&](auto constant) {
      constexpr BinaryOperator op = decltype(constant)::value;
      if constexpr (expr::accepts<std::int64_t>(op) && expr::gives_bool(op))
        lanes.each([=, left = left_.base(slots), left_step = left_.differences().data(),
                    right = right_.base(slots),
                    right_step = right_.differences().data()](int lane) {
          to[lane] = expr::apply<op>(left + left_step[lane], right + right_step[lane]);
        });
    });
    return to;
  }

 private:
  BinaryOperator op_;
  AffineLanes left_, right_;
  std::unique_ptr<bool[]> values_;
  int lanes_;
};

// `and`, or `or`: the same with true and false exchanged.
class Junction : public Values<bool> {
 public:
  Junction(bool is_and, ValuesPtr<bool> left, ValuesPtr<bool> right, const Batch& batch)
      : is_and_(is_and),
        left_(std::move(left)),
        right_(std::move(right)),
        values_(std::make_unique<bool[]>(static_cast<std::size_t>(batch.lanes))) {}

  std::optional<bool> decided(const Slots& slots) override {
    const auto left = left_->decided(slots), right = right_->decided(slots);
    if (left == !is_and_ || right == !is_and_) return !is_and_;
    return left && right ? std::optional(is_and_) : std::nullopt;
  }

  const bool* of(const Slots& slots, Lanes lanes) override {
    const auto left = left_->decided(slots), right = right_->decided(slots);
    // A side that is neutral throughout leaves the other.
    if (left == is_and_) return right_->of(slots, lanes);
    if (right == is_and_) return left_->of(slots, lanes);
    bool* to = values_.get();
    const bool* a = left_->of(slots, lanes);
    const bool* b = right_->of(slots, lanes);
    if (is_and_) lanes.each([=](int lane) { to[lane] = a[lane] & b[lane]; });
    else lanes.each([=](int lane) { to[lane] = a[lane] | b[lane]; });
    return to;
  }

 private:
  bool is_and_;
  ValuesPtr<bool> left_, right_;
  std::unique_ptr<bool[]> values_;
};

}  // namespace

ValuesPtr<bool> compile_condition(const expr::Binary& e, const Environment& environment,
                                  const Batch& batch) {
  if (e.op == BinaryOperator::And || e.op == BinaryOperator::Or)
    return std::make_unique<Junction>(e.op == BinaryOperator::And,
                                      compile<bool>(e.left, environment, batch),
                                      compile<bool>(e.right, environment, batch), batch);
  if (e.left.type() != DataType::Int64) return nullptr;
  const auto left = affine(e.left, environment), right = affine(e.right, environment);
  if (!left || !right) return nullptr;
  return std::make_unique<Comparison>(e.op, *left, *right, batch);
}

}  // namespace loopglass::loop::lanes
