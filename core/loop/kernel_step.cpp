// Batches keep the meaning of one iteration after another. That is plain in three cases, and in all
// others the batch is a single lane:
// - nothing computed here loads the stored buffer;
// - the store is an update, A[i] = op(A[i], rest), and the rest does not load A: the rest is
//   computed for all lanes, then accumulated in the order of the lanes;
// - A is only loaded at the stored element, and no two lanes of the batch meet the same one.
#include "core/loop/kernel_step.h"

#include "core/expr/rewrite.h"
#include "core/loop/uses.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::loop::lanes {

namespace {

using expr::BinaryOperator;

bool any_loads(const std::vector<Expr>& list, const std::string& buffer) {
  return std::any_of(list.begin(), list.end(), [&](const Expr& e) { return loads(e, buffer); });
}

bool same_indices(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return expr::same(x, y); });
}

struct Update {
  BinaryOperator op;
  Expr rest;
  bool accumulated_left;
};

// The store as A[i] = op(A[i], rest), if it is one.
std::optional<Update> as_update(const Store& store) {
  const auto* binary = store.value.as<expr::Binary>();
  if (!binary || binary->left.type() != store.value.type()) return std::nullopt;
  const auto is_accumulated = [&](const Expr& e) {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == store.buffer && same_indices(load->indices, store.indices);
  };
  if (is_accumulated(binary->left) && !loads(binary->right, store.buffer))
    return Update{binary->op, binary->right, true};
  if (is_accumulated(binary->right) && !loads(binary->left, store.buffer))
    return Update{binary->op, binary->left, false};
  return std::nullopt;
}

enum class Mode : std::uint8_t { Independent, Update, Pointwise, Single };

Mode mode_of(const Leaf& leaf) {
  const Store& store = *leaf.store;
  bool elsewhere =
      any_loads(leaf.conditions, store.buffer) || any_loads(store.indices, store.buffer);
  if (leaf.init) {
    elsewhere |= loads(leaf.init_condition, store.buffer) ||
                 loads(leaf.init->value, store.buffer) || leaf.init->buffer != store.buffer ||
                 !same_indices(leaf.init->indices, store.indices);
  }
  if (elsewhere) return Mode::Single;
  if (!loads(store.value, store.buffer)) return Mode::Independent;
  if (as_update(store)) return Mode::Update;
  bool only_here = !leaf.init;
  expr::visit(store.value, [&](const Expr& node) {
    if (const auto* load = node.as<expr::Load>(); load && load->buffer == store.buffer)
      only_here &= same_indices(load->indices, store.indices);
  });
  return only_here ? Mode::Pointwise : Mode::Single;
}

// Which lanes run the init first. A reduction's condition, that some affine forms are all 0, is
// mostly decided for a whole batch by the forms' bases.
class InitLanes {
 public:
  InitLanes(const Leaf& leaf, const Environment& environment, const Batch& batch)
      : condition_(compile<bool>(leaf.init_condition, environment, batch)) {
    for (const Expr& zero : leaf.init_zeros) {
      const auto form = affine(zero, environment);
      if (!form) {
        zeros_.clear();
        break;
      }
      zeros_.emplace_back(*form, batch);
    }
    at_zero_ = std::make_unique<bool[]>(static_cast<std::size_t>(batch.lanes));
    for (int lane = 0; lane < batch.lanes; ++lane)
      at_zero_[static_cast<std::size_t>(lane)] =
          std::all_of(zeros_.begin(), zeros_.end(), [&](const AffineLanes& zero) {
            return zero.differences()[static_cast<std::size_t>(lane)] == 0;
          });
  }

  // Null: none.
  const bool* of(const Slots& slots, Lanes lanes) {
    bool all_zero = !zeros_.empty();
    for (const AffineLanes& zero : zeros_) {
      const std::int64_t base = zero.base(slots);
      if (base + zero.least() > 0 || base + zero.greatest() < 0) return nullptr;
      all_zero &= base == 0;
    }
    return all_zero ? at_zero_.get() : condition_->of(slots, lanes);
  }

 private:
  ValuesPtr<bool> condition_;
  std::vector<AffineLanes> zeros_;
  std::unique_ptr<bool[]> at_zero_;  // the answer where all bases are 0
};

template <class T>
using UpdateLoop = void (*)(T* data, Access::Offsets at, Lanes lanes, const T* rest,
                            const bool* init, const T* initial);

// Consecutive lanes that meet the same element accumulate in a register.
template <BinaryOperator op, bool accumulated_left, class T>
void update_loop(T* data, Access::Offsets at, Lanes lanes, const T* rest, const bool* init,
                 const T* initial) {
  T* element = data + at[lanes.first()];
  T value = *element;
  lanes.each([&](int lane) {
    if (T* next = data + at[lane]; next != element) {
      *element = value;
      element = next;
      value = *element;
    }
    if (init && init[lane]) value = initial[lane];
    if constexpr (accumulated_left) value = expr::apply<op>(value, rest[lane]);
    else value = expr::apply<op>(rest[lane], value);
  });
  *element = value;
}

template <class T>
UpdateLoop<T> update_loop_of(const Update& update) {
  return expr::with_operator(update.op, [&](auto constant) -> UpdateLoop<T> {
    constexpr BinaryOperator op = decltype(constant)::value;
    if constexpr (expr::accepts<T>(op) && (!expr::gives_bool(op) || std::is_same_v<T, bool>))
      return update.accumulated_left ? update_loop<op, true, T> : update_loop<op, false, T>;
    else return nullptr;
  });
}

template <class T>
class Kernel : public Step {
 public:
  Kernel(std::span<const NestLoop> loops, const Leaf& leaf, const Environment& environment,
         const Storage& storage, Mode mode, Batch batch, std::int64_t chunk)
      : loops_(loops.begin(), loops.end()),
        lanes_each_(loops.empty() ? 1 : batch.lanes / static_cast<int>(chunk)),
        chunk_(chunk),
        at_(storage, leaf.store->indices, environment, batch, true) {
    for (const Expr& condition : leaf.conditions)
      conditions_.push_back(compile<bool>(condition, environment, batch));
    kept_.resize(leaf.conditions.size());
    if (leaf.init) {
      init_lanes_.emplace(leaf, environment, batch);
      init_at_.emplace(storage, leaf.init->indices, environment, batch, true);
      init_value_ = compile<T>(environment.resolve(leaf.init->value), environment, batch);
    }
    if (mode == Mode::Update) {
      const Update update = *as_update(*leaf.store);
      update_ = update_loop_of<T>(update);
      value_ = compile<T>(environment.resolve(update.rest), environment, batch);
    } else {
      value_ = compile<T>(environment.resolve(leaf.store->value), environment, batch);
    }
  }

  void run(Slots& slots) override {
    for (const NestLoop& loop : loops_) slots[static_cast<std::size_t>(loop.slot)] = 0;
    if (loops_.empty()) return batch(slots, {1});
    const NestLoop& outer = loops_.front();
    for (std::int64_t start = 0; start < outer.extent; start += chunk_) {
      slots[static_cast<std::size_t>(outer.slot)] = start;
      batch(slots, {static_cast<int>(std::min(chunk_, outer.extent - start)) * lanes_each_});
    }
  }

 private:
  void batch(const Slots& slots, Lanes lanes) {
    for (std::size_t k = 0; k < conditions_.size(); ++k) {
      if (lanes.count == 0) return;
      lanes = where(*conditions_[k], slots, lanes, kept_[k]);
    }
    if (lanes.count == 0) return;
    const bool* init = init_lanes_ ? init_lanes_->of(slots, lanes) : nullptr;
    const T* initial = nullptr;
    if (init) {
      const Lanes starting = where(init, lanes, starting_);
      if (starting.count == 0) init = nullptr;
      else initial = initialise(slots, starting);
    }
    const T* value = value_->of(slots, lanes);
    const Access::Offsets at = at_.offsets(slots, lanes);
    T* data = reinterpret_cast<T*>(at_.storage().data);
    if (update_) update_(data, at, lanes, value, init, initial);
    else lanes.each([&](int lane) { data[at[lane]] = value[lane]; });
  }

  // An update takes the initial values in its own loop. Anything else overwrites them, so there
  // only the value loaded by a lone lane can see them.
  const T* initialise(const Slots& slots, Lanes lanes) {
    const T* initial = init_value_->of(slots, lanes);
    const Access::Offsets at = init_at_->offsets(slots, lanes);
    if (!update_)
      lanes.each([&, data = reinterpret_cast<T*>(init_at_->storage().data)](int lane) {
        data[at[lane]] = initial[lane];
      });
    return initial;
  }

  std::vector<NestLoop> loops_;
  int lanes_each_;      // lanes for one iteration of the outermost loop
  std::int64_t chunk_;  // iterations of the outermost loop at a time
  Access at_;
  std::vector<ValuesPtr<bool>> conditions_;
  std::vector<std::vector<int>> kept_;
  std::optional<InitLanes> init_lanes_;
  std::optional<Access> init_at_;
  ValuesPtr<T> init_value_, value_;
  UpdateLoop<T> update_ = nullptr;
  std::vector<int> starting_;
};

std::int64_t product(std::span<const NestLoop> loops) {
  std::int64_t total = 1;
  for (const NestLoop& loop : loops) total *= loop.extent;
  return total;
}

// Iterations of the outermost loop that fit in one batch.
std::int64_t chunk_of(std::span<const NestLoop> loops) {
  if (loops.empty() || product(loops) == 0) return 1;
  return std::clamp<std::int64_t>(capacity / product(loops.subspan(1)), 1, loops.front().extent);
}

Batch make_batch(std::span<const NestLoop> loops, std::int64_t chunk) {
  Batch batch;
  if (loops.empty()) return batch;
  std::int64_t inner = product(loops.subspan(1));
  const std::int64_t lanes = chunk * inner;
  batch.lanes = static_cast<int>(lanes);
  for (std::size_t k = 0; k < loops.size(); ++k) {
    if (k > 0 && loops[k].extent > 0) inner /= loops[k].extent;
    std::vector<std::int64_t>& values = batch.differences[loops[k].slot];
    const std::int64_t extent = k == 0 ? chunk : loops[k].extent;
    for (std::int64_t lane = 0; lane < lanes; ++lane) values.push_back(lane / inner % extent);
  }
  return batch;
}

const Storage& storage_of(const Store& store, const Environment& environment) {
  const auto found = environment.buffers.find(store.buffer);
  CHECK(found != environment.buffers.end(),
        fmt::format("no buffer '{}' in '{}'", store.buffer, environment.place));
  CHECK(store.value.type() == found->second->type,
        fmt::format("a store of the wrong type to '{}'", store.buffer));
  return *found->second;
}

}  // namespace

std::size_t batched_loops(const std::vector<NestLoop>& loops, const Leaf& leaf,
                          const Environment& environment) {
  if (std::any_of(loops.begin(), loops.end(),
                  [](const NestLoop& loop) { return loop.extent <= 0; }))
    return 0;
  const Mode mode = mode_of(leaf);
  if (mode == Mode::Single) return 0;
  // Whole loops while they fit, and part of the next one.
  std::size_t count = 0;
  std::int64_t lanes = 1;
  while (count < loops.size() && lanes < capacity) lanes *= loops[loops.size() - ++count].extent;
  if (mode != Mode::Pointwise) return count;
  const auto batched = std::span(loops).last(count);
  const Access at(storage_of(*leaf.store, environment), leaf.store->indices, environment,
                  make_batch(batched, chunk_of(batched)), true);
  return at.distinct() ? count : 0;
}

StepPtr make_kernel(std::span<const NestLoop> batched, const Leaf& leaf,
                    const Environment& environment) {
  const std::int64_t chunk = chunk_of(batched);
  const Storage& storage = storage_of(*leaf.store, environment);
  return visit_type(storage.type, [&](auto element) -> StepPtr {
    return std::make_unique<Kernel<decltype(element)>>(
        batched, leaf, environment, storage, mode_of(leaf), make_batch(batched, chunk), chunk);
  });
}

}  // namespace loopglass::loop::lanes
