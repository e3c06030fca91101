// The interpreter: a Func is resolved once (names to slots and storage, expressions to batches of
// lanes) into steps, which then run. What the scalar operators compute stands in
// core/expr/arithmetic.h, how batches keep the meaning of sequential loops in kernel_step.cpp.
#include "core/loop/interpreter.h"

#include "core/expr/rewrite.h"
#include "core/loop/kernel_step.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <cstring>
#include <list>

namespace loopglass::loop {

namespace {

using namespace lanes;

const Batch lone_lane;

class Sequence : public Step {
 public:
  explicit Sequence(std::vector<StepPtr> steps) : steps_(std::move(steps)) {}
  void run(Slots& slots) override {
    for (const StepPtr& step : steps_) step->run(slots);
  }

 private:
  std::vector<StepPtr> steps_;
};

class Loop : public Step {
 public:
  Loop(int slot, ValuesPtr<std::int64_t> extent, StepPtr body, const Cancellation& cancellation)
      : slot_(static_cast<std::size_t>(slot)),
        extent_(std::move(extent)),
        body_(std::move(body)),
        cancellation_(cancellation) {}
  void run(Slots& slots) override {
    const std::int64_t extent = *extent_->of(slots, {1});
    for (std::int64_t value = 0; value < extent && !cancellation_.requested(); ++value) {
      slots[slot_] = value;
      body_->run(slots);
    }
  }

 private:
  std::size_t slot_;
  ValuesPtr<std::int64_t> extent_;
  StepPtr body_;
  Cancellation cancellation_;
};

class Branch : public Step {
 public:
  Branch(ValuesPtr<bool> condition, StepPtr then_step, StepPtr else_step)
      : condition_(std::move(condition)),
        then_(std::move(then_step)),
        else_(std::move(else_step)) {}
  void run(Slots& slots) override {
    if (*condition_->of(slots, {1})) then_->run(slots);
    else if (else_) else_->run(slots);
  }

 private:
  ValuesPtr<bool> condition_;
  StepPtr then_, else_;
};

// A buffer begins with values that show in a result: NaN, -1, or true.
class Allocation : public Step {
 public:
  explicit Allocation(Storage* storage)
      : storage_(storage), memory_(TensorType{storage->type, storage->shape}) {
    storage->data = memory_.data();
  }
  void set_body(StepPtr body) { body_ = std::move(body); }
  void run(Slots& slots) override {
    std::memset(memory_.data(), storage_->type == DataType::Bool ? 1 : 0xff, memory_.bytes());
    body_->run(slots);
  }

 private:
  Storage* storage_;
  Tensor memory_;
  StepPtr body_;
};

class Resolver {
 public:
  Resolver(const Cancellation& cancellation) : cancellation_(cancellation) {}

  Storage* declare(const Buffer& buffer, Environment& environment) {
    Shape shape;
    for (const Expr& extent : buffer.shape) {
      const auto value = expr::as_integer(environment.resolve(extent));
      CHECK(value && *value >= 0,
            fmt::format("buffer '{}' has extent {}", buffer.name, to_string(extent)));
      shape.push_back(*value);
    }
    Storage& storage = storages_.emplace_back(
        Storage{buffer.name, buffer.type, shape, row_major_strides(shape), nullptr});
    CHECK(environment.buffers.emplace(buffer.name, &storage).second,
          fmt::format("two buffers are named '{}'", buffer.name));
    return &storage;
  }

  StepPtr step(const Stmt& stmt, Environment environment) {
    if (StepPtr nest = try_nest(stmt, environment)) return nest;
    return std::visit([&](const auto& s) { return general(s, environment); }, stmt->value);
  }

  std::size_t slot_count() const { return static_cast<std::size_t>(slots_); }

 private:
  int add_slot(const std::string& variable, Environment& environment) {
    environment.slots[variable] = slots_;
    return slots_++;
  }

  static void enter(const Block& block, Environment& environment) {
    std::vector<std::pair<std::string, Expr>> bindings;
    for (const IterVar& iter : block.iters)
      bindings.emplace_back(iter.name, environment.resolve(iter.binding));
    for (auto& [name, binding] : bindings) environment.substitutions[name] = std::move(binding);
    environment.place = block.name;
  }

  static std::vector<Expr> reduction_bindings(const Block& block, const Environment& environment) {
    std::vector<Expr> bindings;
    for (const IterVar& iter : block.iters)
      if (iter.reduction) bindings.push_back(environment.resolve(iter.binding));
    return bindings;
  }
  static Expr all_zero(const std::vector<Expr>& values) {
    Expr condition = expr::boolean(true);
    for (const Expr& value : values) condition = condition && expr::equal(value, 0);
    return condition;
  }

  // Follows loops, blocks and conditions down to a single store; false where there is more to it.
  bool descend(const Stmt& stmt, Environment& environment, std::vector<NestLoop>& loops,
               Leaf& leaf) {
    if (const For* loop = as<For>(stmt)) {
      const auto extent = expr::as_integer(environment.resolve(loop->extent));
      if (!extent || !loop->body) return false;
      loops.push_back({add_slot(loop->variable, environment), *extent});
      return descend(loop->body, environment, loops, leaf);
    }
    if (const If* branch = as<If>(stmt)) {
      const Expr condition = environment.resolve(branch->condition);
      // The store below might change what a condition loads.
      if (branch->else_body || expr::has_load(condition)) return false;
      leaf.conditions.push_back(condition);
      return descend(branch->then_body, environment, loops, leaf);
    }
    if (const Block* block = as<Block>(stmt)) {
      enter(*block, environment);
      if (block->predicate.defined()) {
        leaf.conditions.push_back(environment.resolve(block->predicate));
        if (expr::has_load(leaf.conditions.back())) return false;
      }
      if (!block->init) return block->body && descend(block->body, environment, loops, leaf);
      leaf.init = as<Store>(block->init);
      leaf.store = as<Store>(block->body);
      leaf.init_zeros = reduction_bindings(*block, environment);
      leaf.init_condition = all_zero(leaf.init_zeros);
      return stores_to_one_buffer(leaf);
    }
    if (const Seq* seq = as<Seq>(stmt)) return descend_initialised(*seq, environment, leaf);
    leaf.store = as<Store>(stmt);
    return leaf.store != nullptr;
  }

  // if (condition) A[i] = initial; A[i] = value: what a block with an init is lowered to.
  static bool descend_initialised(const Seq& seq, const Environment& environment, Leaf& leaf) {
    if (seq.statements.size() != 2) return false;
    const If* first = as<If>(seq.statements[0]);
    if (!first || first->else_body) return false;
    leaf.init = as<Store>(first->then_body);
    leaf.store = as<Store>(seq.statements[1]);
    leaf.init_condition = environment.resolve(first->condition);
    return stores_to_one_buffer(leaf);
  }

  // What the kernel takes an initial value and its store for.
  static bool stores_to_one_buffer(const Leaf& leaf) {
    return leaf.init && leaf.store && leaf.init->buffer == leaf.store->buffer;
  }

  StepPtr try_nest(const Stmt& stmt, const Environment& outer) {
    Environment environment = outer;
    std::vector<NestLoop> loops;
    Leaf leaf;
    if (!descend(stmt, environment, loops, leaf)) return nullptr;
    if (environment.place.empty()) environment.place = leaf.store->buffer;
    const std::size_t batched = batched_loops(loops, leaf, environment);
    StepPtr step = make_kernel(std::span(loops).last(batched), leaf, environment);
    for (std::size_t k = loops.size() - batched; k-- > 0;)
      step = std::make_unique<Loop>(
          loops[k].slot,
          lanes::compile<std::int64_t>(Expr(loops[k].extent), environment, lone_lane),
          std::move(step), cancellation_);
    return step;
  }

  ValuesPtr<bool> condition(const Expr& e, const Environment& environment) {
    return lanes::compile<bool>(environment.resolve(e), environment, lone_lane);
  }

  StepPtr body(const Stmt& stmt, const Environment& environment) {
    return stmt ? step(stmt, environment) : std::make_unique<Sequence>(std::vector<StepPtr>{});
  }

  StepPtr general(const For& s, Environment& environment) {
    auto extent =
        lanes::compile<std::int64_t>(environment.resolve(s.extent), environment, lone_lane);
    const int slot = add_slot(s.variable, environment);
    return std::make_unique<Loop>(slot, std::move(extent), body(s.body, environment),
                                  cancellation_);
  }

  StepPtr general(const Block& s, Environment& environment) {
    enter(s, environment);
    std::vector<StepPtr> steps;
    if (s.init)
      steps.push_back(std::make_unique<Branch>(
          condition(all_zero(reduction_bindings(s, environment)), environment),
          step(s.init, environment), nullptr));
    steps.push_back(body(s.body, environment));
    StepPtr all = std::make_unique<Sequence>(std::move(steps));
    if (!s.predicate.defined()) return all;
    return std::make_unique<Branch>(condition(s.predicate, environment), std::move(all), nullptr);
  }

  StepPtr general(const Store& s, Environment& environment) {
    if (environment.place.empty()) environment.place = s.buffer;
    return make_kernel({}, Leaf{{}, {}, nullptr, {}, &s}, environment);
  }

  StepPtr general(const If& s, Environment& environment) {
    return std::make_unique<Branch>(condition(s.condition, environment),
                                    body(s.then_body, environment),
                                    s.else_body ? step(s.else_body, environment) : nullptr);
  }

  StepPtr general(const Alloc& s, Environment& environment) {
    Storage* storage = declare(s.buffer, environment);
    // Allocated before the body is resolved, so that every access knows where its elements are.
    auto allocation = std::make_unique<Allocation>(storage);
    allocation->set_body(body(s.body, environment));
    return allocation;
  }

  static StepPtr general(const Prefetch&, Environment&) {
    return std::make_unique<Sequence>(std::vector<StepPtr>());
  }

  StepPtr general(const Seq& s, Environment& environment) {
    std::vector<StepPtr> steps;
    for (const Stmt& stmt : s.statements) steps.push_back(step(stmt, environment));
    return std::make_unique<Sequence>(std::move(steps));
  }

  std::list<Storage> storages_;  // addresses stay
  int slots_ = 0;
  Cancellation cancellation_;
};

}  // namespace

void interpret(const Func& func, std::span<Tensor> arguments,
               const std::map<std::string, std::int64_t>& symbols,
               const Cancellation& cancellation) {
  CHECK(arguments.size() == func.parameters.size(),
        fmt::format("'{}' takes {} buffers, not {}", func.name, func.parameters.size(),
                    arguments.size()));
  Environment environment;
  for (const std::string& symbol : func.symbols) {
    const auto value = symbols.find(symbol);
    CHECK(value != symbols.end(),
          fmt::format("symbol '{}' of '{}' has no value", symbol, func.name));
    environment.substitutions.emplace(symbol, Expr(value->second));
  }
  Resolver resolver(cancellation);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Storage* storage = resolver.declare(func.parameters[k], environment);
    CHECK(arguments[k].defined() &&
              arguments[k].type() == (TensorType{storage->type, storage->shape}),
          fmt::format("argument '{}' of '{}' should be {} and is {}", storage->name, func.name,
                      to_string(TensorType{storage->type, storage->shape}),
                      arguments[k].defined() ? to_string(arguments[k].type()) : "undefined"));
    storage->data = arguments[k].data();
  }
  if (!func.body) return;
  const StepPtr step = resolver.step(func.body, environment);
  Slots slots(resolver.slot_count(), 0);
  step->run(slots);
}

}  // namespace loopglass::loop
