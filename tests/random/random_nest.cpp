#include "tests/random/random_nest.h"

#include "core/expr/simplify.h"

#include <fmt/core.h>

#include <algorithm>
#include <random>

namespace loopglass::test {

namespace {

using expr::Expr;
using loop::Block;
using loop::Buffer;
using loop::For;
using loop::Stmt;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  loop::Func make() {
    const DataType types[] = {DataType::Float32, DataType::Float32, DataType::Float64,
                              DataType::Int32};
    type_ = types[below(4)];
    func_.name = "nest";
    declare("X", {5, 6}, loop::Role::Input);
    declare("V", {6}, loop::Role::Input);
    declare("W", {4, 6}, loop::Role::Constant);
    declare("Y", {below(3) + 4, below(3) + 4}, loop::Role::Output);
    declare("Z", {below(4) + 5}, loop::Role::Output);
    std::vector<Stmt> body;
    int produced = below(4);
    for (int k = 0; k < produced; ++k) body.push_back(produce());
    if (one_in(4)) {
      body.push_back(add_to_sum());
      ++produced;
    }
    for (int k = below(3) + 1; k > 0; --k) body.push_back(nest(2));
    std::shuffle(body.begin() + produced, body.end(), random_);
    if (one_in(6)) body.insert(body.begin() + below(static_cast<int>(body.size()) + 1), border());
    if (one_in(8)) body.push_back(byte_dot());
    if (one_in(8)) body.push_back(windows());
    if (one_in(4)) body.push_back(filtered());
    Stmt all = loop::sequence(std::move(body));
    for (const std::vector<Buffer>* list : {&buffers_, &private_})
      for (const Buffer& buffer : *list)
        if (buffer.role == loop::Role::Intermediate) all = loop::make(loop::Alloc{buffer, all});
    func_.body = all;
    return func_;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  const T& any(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }

  void declare(const std::string& name, const Shape& shape, loop::Role role) {
    Buffer buffer;
    buffer.name = name;
    buffer.type = type_;
    buffer.shape = te::extents(shape);
    buffer.role = role;
    if (role == loop::Role::Intermediate) buffer.scope = loop::Scope::Workspace;
    else func_.parameters.push_back(buffer);
    buffers_.push_back(buffer);
  }

  // Loops.

  std::string open_loop(const Expr& extent) {
    loops_.push_back({fmt::format("l{}", count_++), extent});
    ranges_[loops_.back().first] = {
        0, std::max<std::int64_t>(1, expr::bounds(extent, ranges_)->max) - 1};
    return loops_.back().first;
  }
  Stmt close_loop(Stmt body) {
    const auto [variable, extent] = loops_.back();
    loops_.pop_back();
    return loop::make(For{variable, extent, loop::ForKind::Serial, std::move(body)});
  }

  // A buffer of the nest's own, each element written once: elementwise or as a sum, perhaps of what
  // another such buffer holds there.
  Stmt produce() {
    Shape shape = one_in(2) ? Shape{below(3) + 4} : Shape{below(3) + 3, below(3) + 4};
    const int sums = std::max(0, below(5) - 2);
    const Buffer* source =
        buffers_.back().role == loop::Role::Intermediate && !one_in(3) ? &buffers_.back() : nullptr;
    if (source) shape = te::concrete(source->shape);
    Block block;
    block.name = fmt::format("b{}", count_++);
    std::vector<Expr> at;
    for (const std::int64_t extent : shape) at.push_back(walk(block, extent, false));
    for (int k = 0; k < sums; ++k) walk(block, below(2) + 2, true);
    const std::string name = fmt::format("A{}", count_++);
    finish(block, name, at, sums > 0 ? 1 : 0,
           source ? expr::load(type_, source->name, at) : Expr());
    declare(name, shape, loop::Role::Intermediate);
    Stmt stmt = loop::make(std::move(block));
    while (!loops_.empty()) stmt = close_loop(std::move(stmt));
    return stmt;
  }

  // A buffer that is a sum and what is added to it, with a block each; nobody else sees the sum.
  Stmt add_to_sum() {
    const Shape shape{below(3) + 4};
    const std::string sum = fmt::format("S{}", count_++), result = fmt::format("A{}", count_++);
    std::vector<Stmt> both;
    for (const bool sums : {true, false}) {
      Block block;
      block.name = fmt::format("b{}", count_++);
      const std::vector<Expr> at{walk(block, shape[0], false)};
      if (sums) walk(block, below(2) + 2, true);
      bind(block);
      const Expr own = expr::load(type_, sum, at);
      block.body = loop::make(loop::Store{sums ? sum : result, at, own + value(), {}});
      if (sums) {
        block.reducer = te::Reducer::Sum;
        block.init = loop::make(loop::Store{sum, at, number(0), {}});
      }
      Stmt stmt = loop::make(std::move(block));
      while (!loops_.empty()) stmt = close_loop(std::move(stmt));
      both.push_back(std::move(stmt));
    }
    declare(sum, shape, loop::Role::Intermediate);
    private_.push_back(std::move(buffers_.back()));
    buffers_.pop_back();
    declare(result, shape, loop::Role::Intermediate);
    return loop::sequence(std::move(both));
  }

  // A buffer that holds a part of another, and a number around it.
  Stmt border() {
    const Shape shape{below(3) + 4, below(3) + 4};
    Block block;
    block.name = fmt::format("b{}", count_++);
    std::vector<Expr> at;
    for (const std::int64_t extent : shape) at.push_back(walk(block, extent, false));
    bind(block);
    Expr inside = at[0] >= Expr(below(2)) && at[0] < Expr(below(2) + 3);
    if (one_in(2)) inside = inside && at[1] < Expr(below(3) + 1);
    if (one_in(3)) inside = inside && at[0] + at[1] < Expr(6);
    const std::string name = fmt::format("P{}", count_++);
    block.body = loop::make(
        loop::Store{name,
                    at,
                    expr::select(inside, expr::load(type_, "X", {expr::min(at[0], Expr(4)), 0}),
                                 number(one_in(2) ? 0 : 2)),
                    {}});
    declare(name, shape, loop::Role::Intermediate);
    private_.push_back(std::move(buffers_.back()));
    buffers_.pop_back();
    Stmt stmt = loop::make(std::move(block));
    while (!loops_.empty()) stmt = close_loop(std::move(stmt));
    return stmt;
  }

  // A loop that computes some rows of a buffer of the nest's own and then uses them; the next
  // iteration has some of the same.
  Stmt windows() {
    const int rows = below(2) + 2, step = below(2) + 1, count = below(3) + 2;
    const std::string buffer = fmt::format("R{}", count_++);
    const Shape shape{step * (count - 1) + rows, 3};
    const std::string outer = open_loop(Expr(count));
    const auto nest_of = [&](Block block, std::vector<Expr> at, const std::string& to) {
      bind(block);
      const Expr stored = to == buffer ? value() : expr::load(type_, buffer, at) + value();
      block.body = loop::make(loop::Store{
          to, to == buffer ? at : std::vector{floor_mod(at[0], Expr(5)), at[1]}, stored, {}});
      Stmt stmt = loop::make(std::move(block));
      while (loops_.size() > 1) stmt = close_loop(std::move(stmt));
      return stmt;
    };
    std::vector<Stmt> both;
    for (const bool produces : {true, false}) {
      Block block;
      block.name = fmt::format("b{}", count_++);
      const std::string row = open_loop(Expr(produces ? rows : below(rows) + 1));
      const std::string first = fmt::format("v{}", count_++);
      block.iters.push_back(
          {first, Expr(shape[0]), false, expr::variable(outer) * Expr(step) + expr::variable(row)});
      const Expr column = walk(block, 3, false);
      both.push_back(
          nest_of(std::move(block), {expr::variable(first), column}, produces ? buffer : "R"));
    }
    const std::vector<Buffer> known = buffers_;
    declare("R", {5, 3}, loop::Role::Output);
    declare(buffer, shape, loop::Role::Intermediate);
    private_.push_back(buffers_.back());
    buffers_ = known;
    return close_loop(loop::sequence(std::move(both)));
  }

  // Products of what lies inside a border of zeros and of constants, added up.
  Stmt filtered() {
    const std::int64_t taps = below(2) + 2, size = below(3) + 4, before = below(2);
    const DataType others = std::exchange(type_, DataType::Float32);
    const std::string padded = fmt::format("P{}", count_++);
    declare("S", {size}, loop::Role::Input);
    declare("G", {taps}, loop::Role::Constant);
    func_.parameters.back().finite = !one_in(4);
    declare("H", {size}, loop::Role::Output);
    declare(padded, {size + taps - 1}, loop::Role::Intermediate);
    private_.push_back(buffers_.back());
    buffers_.resize(buffers_.size() - 4);
    const auto load = [](const std::string& name, const Expr& at) {
      return expr::load(DataType::Float32, name, {at});
    };
    std::vector<Stmt> nests;
    const auto add = [&](Block block, const std::string& buffer, const Expr& at,
                         const Expr& value) {
      bind(block);
      block.body = loop::make(loop::Store{buffer, {at}, value, {}});
      Stmt stmt = loop::make(std::move(block));
      while (!loops_.empty()) stmt = close_loop(std::move(stmt));
      nests.push_back(std::move(stmt));
    };
    Block border, start, sum;
    for (Block* block : {&border, &start, &sum}) block->name = fmt::format("b{}", count_++);
    const Expr i = walk(border, size + taps - 1, false);
    add(std::move(border), padded, i,
        expr::select(i >= Expr(before) && i < Expr(before + size),
                     load("S", expr::min(expr::max(i - before, Expr(0)), Expr(size - 1))),
                     number(0)));
    const Expr j = walk(start, size, false);
    add(std::move(start), "H", j, number(0));
    const bool sums_outside = one_in(2);
    Expr k, r;
    if (sums_outside) r = walk(sum, taps, true);
    k = walk(sum, size, false);
    if (!sums_outside) r = walk(sum, taps, true);
    sum.reducer = te::Reducer::Sum;
    const Expr term = load(padded, k + r) * load("G", r);
    add(std::move(sum), "H", k, load("H", k) + term);
    type_ = others;
    return loop::sequence(std::move(nests));
  }

  // What an intrinsic computes, in either order of its loops.
  Stmt byte_dot() {
    const DataType others = std::exchange(type_, DataType::UInt8);
    declare("D", {4}, loop::Role::Input);
    type_ = DataType::Int8;
    declare("E", {16, 4}, loop::Role::Constant);
    type_ = DataType::Int32;
    declare("F", {16}, loop::Role::Output);
    type_ = others;
    buffers_.resize(buffers_.size() - 3);
    Block block;
    block.name = fmt::format("b{}", count_++);
    Expr j, k;
    if (one_in(2)) {
      j = walk(block, 16, false);
      k = walk(block, 4, true);
    } else {
      k = walk(block, 4, true);
      j = walk(block, 16, false);
    }
    const auto byte = [](DataType type, const char* name, std::vector<Expr> at) {
      return expr::cast(DataType::Int32, expr::load(type, name, std::move(at)));
    };
    block.reducer = te::Reducer::Sum;
    block.body = loop::make(
        loop::Store{"F",
                    {j},
                    expr::load(DataType::Int32, "F", {j}) +
                        byte(DataType::UInt8, "D", {k}) * byte(DataType::Int8, "E", {j, k}),
                    {}});
    if (one_in(2))
      block.init = loop::make(loop::Store{"F", {j}, expr::constant(DataType::Int32, 0), {}});
    Stmt stmt = loop::make(std::move(block));
    while (!loops_.empty()) stmt = close_loop(std::move(stmt));
    return stmt;
  }

  // An iteration of the block, and a loop that is just that.
  Expr walk(Block& block, std::int64_t extent, bool reduction) {
    const std::string variable = open_loop(Expr(extent));
    block.iters.push_back(
        {fmt::format("v{}", count_++), Expr(extent), reduction, expr::variable(variable)});
    return expr::variable(block.iters.back().name);
  }

  Stmt nest(int depth) {
    open_loop(loops_.empty() || !one_in(4) ? Expr(below(5) + 1)
                                           : expr::variable(loops_.back().first) + 1);
    std::vector<Stmt> inside;
    for (int k = one_in(3) ? 2 : 1; k > 0; --k)
      inside.push_back(depth > 0 && !one_in(4) ? nest(depth - 1) : statement());
    return close_loop(loop::sequence(std::move(inside)));
  }

  // Blocks.

  Stmt statement() {
    Block block;
    block.name = fmt::format("b{}", count_++);
    for (const auto& [variable, extent] : loops_) {
      if (one_in(8)) continue;  // runs the same again
      loop::IterVar iter{fmt::format("v{}", count_++), extent, one_in(4), expr::variable(variable)};
      if (one_in(10) && expr::as_integer(extent))
        iter.binding = one_in(2) ? extent - 1 - iter.binding : floor_mod(iter.binding + 1, extent);
      block.iters.push_back(std::move(iter));
    }
    if (one_in(12)) std::reverse(block.iters.begin(), block.iters.end());
    const expr::Ranges outside = ranges_;
    bind(block);
    std::vector<const Buffer*> writable;
    for (const Buffer& buffer : buffers_)
      if (buffer.role == loop::Role::Output || buffer.role == loop::Role::Intermediate)
        writable.push_back(&buffer);
    const Buffer to = *any(writable);
    std::vector<Expr> at;
    for (const Expr& extent : to.shape) at.push_back(place(extent));
    if (one_in(5)) block.predicate = condition();
    finish(block, to.name, at, below(5));
    ranges_ = outside;
    return loop::make(std::move(block));
  }

  // Within the block its iterations are what there is.
  void bind(const Block& block) {
    inside_.clear();
    for (const loop::IterVar& iter : block.iters) {
      inside_.push_back(iter.name);
      ranges_[iter.name] = *expr::bounds(iter.binding, ranges_);
    }
  }

  // `kind` 0: a value; 1, 2: a declared reduction, with or without its start; 3: an update that no
  // reducer declares; 4: a value, or a reduction that is none.
  void finish(Block& block, const std::string& to, const std::vector<Expr>& at, int kind,
              const Expr& first = {}) {
    bind(block);
    const bool reduces = std::any_of(block.iters.begin(), block.iters.end(),
                                     [](const loop::IterVar& iter) { return iter.reduction; });
    const Expr own = expr::load(type_, to, at);
    Expr stored = value();
    if (first.defined()) stored = one_in(2) ? first : first - stored;
    if (kind == 3) stored = one_in(2) ? own * number(one_in(2) ? 0.5 : 1) + stored : stored - own;
    if ((kind == 1 || kind == 2) && reduces) {
      const te::Reducer reducers[] = {te::Reducer::Sum, te::Reducer::Sum, te::Reducer::Max,
                                      te::Reducer::Min};
      block.reducer = reducers[below(4)];
      stored = te::combine(*block.reducer, own, stored);
    } else if (kind == 4 && reduces) {
      block.reducer = te::Reducer::Sum;
      stored = own * number(0.5) + stored;
    }
    if (block.reducer && kind != 2)
      block.init = loop::make(loop::Store{to, at, one_in(3) ? value() : number(0), {}});
    block.body = loop::make(loop::Store{to, at, stored, {}});
  }

  // Expressions.

  Expr number(double value) {
    return expr::constant(type_, is_float(type_) ? value : value == 0.5 ? 3 : value);
  }

  Expr variable() { return inside_.empty() ? Expr(below(3)) : expr::variable(any(inside_)); }

  // An index below the extent.
  Expr place(const Expr& extent) {
    Expr at = variable();
    switch (below(12)) {
      case 0: at = at + variable(); break;
      case 1: at = at * Expr(2) + variable(); break;
      case 2: at = floor_div(at, Expr(2)); break;
      case 3: at = floor_mod(at, Expr(below(3) + 1)); break;
      case 4: at = at + Expr(1); break;
      case 5: at = Expr(below(3)); break;
      case 6: at = extent - 1 - at; break;
      case 7: at = expr::max(at, Expr(1)) - 1; break;
      default: break;
    }
    const auto bounds = expr::bounds(at, ranges_);
    if (bounds && bounds->min >= 0 && bounds->max < *expr::as_integer(extent)) return at;
    return one_in(2) ? floor_mod(at, extent) : expr::max(expr::min(at, extent - 1), Expr(0));
  }

  Expr condition() {
    const Expr a = variable(), b = one_in(2) ? variable() : Expr(below(4));
    switch (below(4)) {
      case 0: return expr::not_equal(a, b);
      case 1: return a >= b;
      case 2: return a + variable() < b + 2;
      default: return a < b + 1;
    }
  }

  Expr load() {
    const Buffer& from = any(buffers_);
    std::vector<Expr> at;
    for (const Expr& extent : from.shape) at.push_back(place(extent));
    return expr::load(type_, from.name, at);
  }

  Expr value() {
    Expr result = load();
    for (int k = below(3); k > 0; --k) {
      const Expr other = one_in(4) ? expr::select(condition(), load(), number(1)) : load();
      switch (below(4)) {
        case 0: result = result + other; break;
        case 1: result = result - other; break;
        case 2: result = expr::max(result, other); break;
        default: result = result * number(0.5) + other; break;
      }
    }
    return result;
  }

  std::mt19937 random_;
  DataType type_ = DataType::Float32;
  loop::Func func_;
  std::vector<Buffer> buffers_;
  std::vector<Buffer> private_;  // which the two blocks of one statement have to themselves
  std::vector<std::pair<std::string, Expr>> loops_;
  std::vector<std::string> inside_;  // iterations of the block at hand
  expr::Ranges ranges_;
  int count_ = 0;
};

}  // namespace

loop::Func random_nest(std::uint32_t seed) { return Generator(seed).make(); }

}  // namespace loopglass::test
