// Affine forms and checked accesses over batches of lanes.
#include "core/loop/lanes.h"

#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cstdlib>

namespace loopglass::loop::lanes {

Expr Environment::resolve(const Expr& e) const { return expr::substitute(e, substitutions); }

namespace {

void add_scaled(Affine& sum, const Affine& other, std::int64_t factor) {
  // Wrapping on the way does no harm: the form stays equal modulo 2^64.
  using expr::BinaryOperator;
  const auto accumulate = [&](std::int64_t& into, std::int64_t value) {
    into = expr::apply<BinaryOperator::Add>(into, expr::apply<BinaryOperator::Mul>(value, factor));
  };
  accumulate(sum.constant, other.constant);
  for (const auto& [slot, coefficient] : other.terms) accumulate(sum.terms[slot], coefficient);
}

// |value| <= limit; the least integer has no absolute value.
bool within(std::int64_t value, std::int64_t limit) { return -limit <= value && value <= limit; }

// Far from overflow for every loop that ends in our lifetime: then extremes say what lies between.
constexpr std::int64_t greatest_coefficient = std::int64_t{1} << 31,
                       greatest_constant = std::int64_t{1} << 40;
bool tame(const Affine& form) {
  return within(form.constant, greatest_constant) &&
         std::all_of(form.terms.begin(), form.terms.end(),
                     [](const auto& term) { return within(term.second, greatest_coefficient); });
}

std::optional<Affine> affine_binary(const expr::Binary& e, const Environment& environment) {
  using enum expr::BinaryOperator;
  if (e.op != Add && e.op != Sub && e.op != Mul) return std::nullopt;
  auto left = affine(e.left, environment);
  auto right = affine(e.right, environment);
  if (!left || !right) return std::nullopt;
  if (e.op == Mul) {
    if (!left->terms.empty()) std::swap(left, right);
    if (!left->terms.empty()) return std::nullopt;
    Affine product;
    add_scaled(product, *right, left->constant);
    return product;
  }
  add_scaled(*left, *right, e.op == Add ? 1 : -1);
  return left;
}

std::optional<Affine> affine_form(const Expr& e, const Environment& environment) {
  if (const auto value = expr::as_integer(e)) return Affine{*value, {}};
  if (const auto* variable = e.as<expr::Variable>()) {
    const auto slot = environment.slots.find(variable->name);
    CHECK(slot != environment.slots.end(),
          fmt::format("variable '{}' has no value in '{}'", variable->name, environment.place));
    return Affine{0, {{slot->second, 1}}};
  }
  if (const auto* negated = e.as<expr::Unary>();
      negated && negated->op == expr::UnaryOperator::Negate) {
    const auto operand = affine(negated->operand, environment);
    if (!operand) return std::nullopt;
    Affine result;
    add_scaled(result, *operand, -1);
    return result;
  }
  if (const auto* binary = e.as<expr::Binary>()) return affine_binary(*binary, environment);
  return std::nullopt;
}

}  // namespace

std::optional<Affine> affine(const Expr& e, const Environment& environment) {
  if (e.type() != DataType::Int64) return std::nullopt;
  auto form = affine_form(e, environment);
  return form && tame(*form) ? form : std::nullopt;
}

AffineLanes::AffineLanes(const Affine& form, const Batch& batch)
    : constant_(form.constant), differences_(static_cast<std::size_t>(batch.lanes), 0) {
  for (const auto& [slot, coefficient] : form.terms) {
    if (coefficient == 0) continue;
    terms_.emplace_back(slot, coefficient);
    if (const auto moving = batch.differences.find(slot); moving != batch.differences.end())
      for (std::size_t lane = 0; lane < differences_.size(); ++lane)
        differences_[lane] += coefficient * moving->second[lane];
  }
  if (differences_.empty()) return;
  const auto [least, greatest] = std::minmax_element(differences_.begin(), differences_.end());
  least_ = *least, greatest_ = *greatest;
  for (std::size_t lane = 0; lane < differences_.size(); ++lane)
    contiguous_ &= differences_[lane] == static_cast<std::int64_t>(lane);
}

Access::Access(const Storage& storage, const std::vector<Expr>& indices,
               const Environment& environment, const Batch& batch, bool is_store)
    : storage_(storage), is_store_(is_store), place_(environment.place) {
  CHECK(indices.size() == storage.shape.size(),
        fmt::format("{} indices into '{}' of rank {} in '{}'", indices.size(), storage.name,
                    storage.shape.size(), environment.place));
  Affine total;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr index = environment.resolve(indices[d]);
    Dimension dimension{storage.shape[d], storage.strides[d], std::nullopt, nullptr};
    if (const auto form = affine(index, environment)) {
      dimension.affine.emplace(*form, batch);
      add_scaled(total, *form, dimension.stride);
    } else {
      dimension.general = compile<std::int64_t>(index, environment, batch);
      all_affine_ = false;
    }
    dimensions_.push_back(std::move(dimension));
  }
  total_.emplace(total, batch);
  if (!all_affine_)
    scratch_ = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(batch.lanes));
}

Access::Offsets Access::offsets(const Slots& slots, Lanes lanes) {
  const std::int64_t base = total_->base(slots);
  if (!all_affine_)
    lanes.each([&, from = total_->differences().data()](int lane) {
      scratch_[static_cast<std::size_t>(lane)] = from[lane];
    });
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    Dimension& dimension = dimensions_[d];
    if (dimension.affine) {
      // All lanes at once where the extremes are inside.
      const std::int64_t start = dimension.affine->base(slots);
      if (start + dimension.affine->least() < 0 ||
          start + dimension.affine->greatest() >= dimension.extent)
        check(d, dimension.affine->differences().data(), start, lanes, slots);
    } else {
      const std::int64_t* values = dimension.general->of(slots, lanes);
      check(d, values, 0, lanes, slots);
      lanes.each([&, stride = dimension.stride, to = scratch_.get()](int lane) {
        to[lane] += stride * values[lane];
      });
    }
  }
  if (!all_affine_) return {base, scratch_.get()};
  return {base, total_->contiguous() ? nullptr : total_->differences().data()};
}

void Access::check(std::size_t d, const std::int64_t* differences, std::int64_t base, Lanes lanes,
                   const Slots& slots) {
  const auto extent = static_cast<std::uint64_t>(dimensions_[d].extent);
  lanes.each([&](int lane) {
    if (static_cast<std::uint64_t>(base + differences[lane]) >= extent) [[unlikely]]
      outside(lane, slots);
  });
}

void Access::outside(int lane, const Slots& slots) {
  std::vector<std::int64_t> indices;
  for (Dimension& dimension : dimensions_)
    indices.push_back(dimension.affine
                          ? dimension.affine->base(slots) +
                                dimension.affine->differences()[static_cast<std::size_t>(lane)]
                          : dimension.general->of(slots, {1, &lane})[lane]);
  throw InternalError(fmt::format(
      "{} {}[{}], outside its shape [{}], in '{}'", is_store_ ? "a store to" : "a load of",
      storage_.name, fmt::join(indices, ", "), fmt::join(storage_.shape, ", "), place_));
}

bool Access::distinct() const {
  if (!all_affine_) return false;
  std::vector<std::int64_t> differences = total_->differences();
  std::sort(differences.begin(), differences.end());
  return std::adjacent_find(differences.begin(), differences.end()) == differences.end();
}

Lanes where(Values<bool>& condition, const Slots& slots, Lanes lanes, std::vector<int>& storage) {
  if (const auto known = condition.decided(slots)) return *known ? lanes : Lanes{0};
  return where(condition.of(slots, lanes), lanes, storage);
}

Lanes where(const bool* condition, Lanes lanes, std::vector<int>& storage) {
  int holding = 0;
  lanes.each([&](int lane) { holding += condition[lane]; });
  if (holding == lanes.count) return lanes;
  storage.resize(static_cast<std::size_t>(lanes.count));
  int count = 0;
  lanes.each([&](int lane) {
    storage[static_cast<std::size_t>(count)] = lane;
    count += condition[lane];
  });
  return {count, storage.data()};
}

}  // namespace loopglass::loop::lanes
