#include "core/roofline/experiment.h"

#include "core/default_schedule/inner_loop.h"
#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"
#include "core/loop/blocks.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/walk.h"
#include "core/roofline/traffic.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace loopglass::roofline {

namespace {

using expr::Expr;
using loop::Bindings;
using loop::Block;
using loop::For;
using loop::Func;
using loop::Stmt;

bool lies_in_memory(const std::vector<loop::Buffer>& buffers, const std::string& name) {
  const loop::Buffer* buffer = loop::find_buffer(buffers, name);
  return buffer && is_memory(*buffer);
}

// Constants lie as the nest reads them, since nobody packs them any more; and one thread runs it,
// for iterations that were independent may now meet in an element.
Func to_be_run(Func func) {
  for (loop::Buffer& parameter : func.parameters) parameter.packing.reset();
  func.annotations =
      loop::annotated(func.annotations, {std::string(loop::time_only_annotation), {}});
  return with_body(func, loop::rewrite(func.body, [](const Stmt& stmt) {
                     const auto* node = loop::as<For>(stmt);
                     return node && node->kind == loop::ForKind::Parallel
                                ? loop::with_annotations(
                                      loop::make(loop::of_kind(*node, loop::ForKind::Serial)),
                                      stmt->annotations)
                                : stmt;
                   }));
}

// The nest with other indices into memory: iterations of `blocks` (all, where it is empty) are
// where `elsewhere` leads instead. A block sees its iterations alone, so that each which moves gets
// a twin that goes elsewhere. Conditions stay those of the true iterations, so that as much is
// computed; an index that such a condition kept within its buffer is moved into it, and one that
// cannot be stays. `stores`: those, too.
class Redirected {
 public:
  Redirected(const Func& func, Bindings elsewhere, std::set<std::string> blocks, bool stores)
      : func_(func),
        buffers_(loop::buffers_of(func)),
        names_(func),
        elsewhere_(std::move(elsewhere)),
        blocks_(std::move(blocks)),
        stores_(stores),
        loops_(loop::ranges_of(func)) {}

  Func operator()() {
    return to_be_run(
        with_body(func_, loop::rewrite(func_.body, [this](const Stmt& stmt) { return of(stmt); })));
  }

 private:
  Stmt of(const Stmt& stmt) {
    const Block* block = loop::as<Block>(stmt);
    if (!block || (!blocks_.empty() && !blocks_.contains(block->name))) return stmt;
    Block copy = *block;
    Bindings twins;
    for (const loop::IterVar& iter : block->iters) {
      const Expr binding = expr::substitute(iter.binding, elsewhere_);
      if (expr::same(binding, iter.binding)) continue;
      loop::IterVar twin = iter;
      twin.name = names_.fresh(iter.name + "_near");
      twin.binding = binding;
      twins[iter.name] = expr::variable(twin.name);
      copy.iters.push_back(std::move(twin));
    }
    if (twins.empty()) return stmt;
    const expr::Ranges ranges = ranges_of(copy);
    copy.body = loop::rewrite(block->body, [&](const Stmt& inner) {
      const auto* store = loop::as<loop::Store>(inner);
      if (!store) return inner;
      loop::Store there = *store;
      there.value = redirected(store->value, twins, ranges);
      if (stores_ && lies_in_memory(buffers_, store->buffer))
        there.indices = moved(store->buffer, store->indices, twins, ranges);
      return loop::with_annotations(loop::make(std::move(there)), inner->annotations);
    });
    return loop::with_annotations(loop::make(with_regions(std::move(copy), buffers_)),
                                  stmt->annotations);
  }

  // What the iterations of the block are in, twins among them.
  expr::Ranges ranges_of(const Block& block) const {
    expr::Ranges ranges;
    for (const loop::IterVar& iter : block.iters)
      if (const auto values = expr::bounds(iter.binding, loops_)) ranges[iter.name] = *values;
    return ranges;
  }

  std::vector<Expr> moved(const std::string& name, std::vector<Expr> indices, const Bindings& twins,
                          const expr::Ranges& ranges) const {
    const loop::Buffer& buffer = *loop::find_buffer(buffers_, name);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Expr there = expr::substitute(indices[d], twins);
      if (expr::same(there, indices[d])) continue;
      const auto extent = expr::as_integer(buffer.shape[d]);
      const auto span = expr::bounds(there, ranges);
      if (!extent || !span || span->max - span->min >= *extent) continue;
      const std::int64_t beyond = std::max<std::int64_t>(0, span->max - (*extent - 1));
      indices[d] = there + Expr(span->min < 0 ? -span->min : -beyond);
    }
    return indices;
  }

  // Loads from memory alone. What is the index of another one is left where it is.
  Expr redirected(const Expr& value, const Bindings& twins, const expr::Ranges& ranges) const {
    std::set<std::string> standing;
    expr::visit(value, [&](const Expr& node) {
      if (const auto* load = node.as<expr::Load>())
        for (const Expr& index : load->indices)
          expr::visit(index, [&](const Expr& part) {
            if (part.as<expr::Load>()) standing.insert(expr::to_string(part));
          });
    });
    return expr::rewrite(value, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      if (!load || !lies_in_memory(buffers_, load->buffer) ||
          (!standing.empty() && standing.contains(expr::to_string(node))))
        return {};
      return expr::load(node.type(), load->buffer,
                        moved(load->buffer, load->indices, twins, ranges));
    });
  }

  const Func& func_;
  std::vector<loop::Buffer> buffers_;
  loop::Names names_;
  Bindings elsewhere_;
  std::set<std::string> blocks_;
  bool stores_;
  expr::Ranges loops_;
};

// Where loops lead that go farther than so many bytes: as far as these, then back to the beginning.
class NearLoops {
 public:
  NearLoops(const std::vector<loop::Buffer>& buffers, double capacity)
      : buffers_(buffers), capacity_(capacity) {}

  Bindings operator()(const Stmt& root) {
    visit(root);
    return std::move(elsewhere_);
  }

 private:
  void visit(const Stmt& stmt) {
    if (!stmt) return;
    if (const auto* node = loop::as<For>(stmt)) {
      const double all = sum_of(footprint(stmt, buffers_));
      if (all <= capacity_) return;
      const double once = sum_of(footprint(node->body, buffers_));
      const auto extent = static_cast<double>(expr::as_integer(node->extent).value_or(1));
      // A power of two: the remainder is then one instruction.
      const auto fits = std::bit_floor(
          static_cast<std::uint64_t>(std::max(1.0, once > 0 ? extent * capacity_ / all : 1.0)));
      const bool is_vector = node->kind == loop::ForKind::Vectorized;
      if (!is_vector)
        elsewhere_[node->variable] =
            once > capacity_ || fits <= 1
                ? Expr(0)
                : floor_mod(expr::variable(node->variable), Expr(static_cast<std::int64_t>(fits)));
      if (once > capacity_ || is_vector) visit(node->body);
      return;
    }
    for (const Stmt& child : loop::children(stmt)) visit(child);
  }

  const std::vector<loop::Buffer>& buffers_;
  double capacity_;
  Bindings elsewhere_;
};

std::optional<Func> near_data(const Func& func, const Machine& machine) {
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  const double capacity = static_cast<double>(machine.l1.bytes) / 2;
  Bindings elsewhere = NearLoops(buffers, capacity)(func.body);
  if (elsewhere.empty()) return std::nullopt;
  return Redirected(func, std::move(elsewhere), {}, true)();
}

std::optional<Func> few_loads(const Func& func, const Machine& machine) {
  const auto inner = schedule::inner_loop(func, machine);
  if (!inner || !inner->sums || inner->turning.empty() || inner->loads.empty()) return std::nullopt;
  return Redirected(func, {{inner->turning, Expr(0)}}, {inner->block}, false)();
}

// The sum of what is read, each load where it is read: choices stay, which may keep it within its
// buffer. Undefined: nothing is.
Expr read_alone(const Expr& e) {
  const auto sum = [](const Expr& a, const Expr& b, DataType type) {
    if (!a.defined() || !b.defined()) return a.defined() ? a : b;
    return expr::cast(type, a) + expr::cast(type, b);
  };
  if (e.as<expr::Load>()) return e;
  if (const auto* unary = e.as<expr::Unary>()) return read_alone(unary->operand);
  if (const auto* cast = e.as<expr::Cast>()) return read_alone(cast->operand);
  if (const auto* binary = e.as<expr::Binary>())
    return sum(read_alone(binary->left), read_alone(binary->right), e.type());
  if (const auto* choice = e.as<expr::Select>()) {
    const Expr yes = read_alone(choice->when_true), no = read_alone(choice->when_false);
    if (!yes.defined() && !no.defined()) return {};
    const auto value = [&](const Expr& part) {
      return part.defined() ? expr::cast(e.type(), part) : expr::constant(e.type(), 0);
    };
    return expr::select(choice->condition, value(yes), value(no));
  }
  return {};
}

// The store with that; itself where it is that already.
Stmt plain(const Stmt& stmt) {
  const auto* store = loop::as<loop::Store>(stmt);
  if (!store || store->value.type() == DataType::Bool) return stmt;
  Expr value = read_alone(store->value);
  if (!value.defined() || value.type() == DataType::Bool) return stmt;
  value = expr::cast(store->value.type(), value);
  if (expr::same(value, store->value)) return stmt;
  loop::Store read = *store;
  read.value = value;
  return loop::with_annotations(loop::make(std::move(read)), stmt->annotations);
}

std::optional<Func> no_arithmetic(const Func& func) {
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  const Stmt body = loop::rewrite(func.body, [&](const Stmt& stmt) {
    const Block* block = loop::as<Block>(stmt);
    if (!block || loop::has_reduction(*block)) return stmt;
    Block copy = *block;
    copy.body = loop::rewrite(block->body, plain);
    if (copy.body == block->body) return stmt;
    return loop::with_annotations(loop::make(with_regions(std::move(copy), buffers)),
                                  stmt->annotations);
  });
  if (body == func.body) return std::nullopt;
  return to_be_run(with_body(func, body));
}

}  // namespace

std::string_view name(Experiment experiment) {
  switch (experiment) {
    case Experiment::NearData: return "near-data";
    case Experiment::FewLoads: return "few-loads";
    case Experiment::NoArithmetic: return "no-arithmetic";
  }
  return {};
}

std::string_view doc(Experiment experiment) {
  switch (experiment) {
    case Experiment::NearData:
      return "Loops that lead farther than the first cache reaches turn round in it: all data is "
             "near.";
    case Experiment::FewLoads:
      return "The innermost loop that turns reads the same in each turn: sums without loads.";
    case Experiment::NoArithmetic:
      return "What is elementwise adds up what it reads, and stores it: without functions and "
             "divisions.";
  }
  return {};
}

std::optional<Experiment> experiment_named(std::string_view name) {
  const auto found = std::ranges::find(all_experiments, name,
                                       [](Experiment each) { return roofline::name(each); });
  return found == all_experiments.end() ? std::nullopt : std::optional(*found);
}

std::optional<loop::Func> changed_for(Experiment experiment, const loop::Func& scheduled,
                                      const Machine& machine) {
  switch (experiment) {
    case Experiment::NearData: return near_data(scheduled, machine);
    case Experiment::FewLoads: return few_loads(scheduled, machine);
    case Experiment::NoArithmetic: return no_arithmetic(scheduled);
  }
  return std::nullopt;
}

}  // namespace loopglass::roofline
