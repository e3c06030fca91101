#include "core/tune/features/nest_facts.h"

#include "core/expr/linear.h"
#include "core/expr/operators.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/annotations.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

using expr::Expr;

double Arithmetic::sum() const {
  return 2 * multiply_adds + additions + multiplications + divisions + comparisons + functions +
         others + selects;
}

double StoreFact::runs() const {
  double product = 1;
  for (const LoopFact& loop : loops) product *= loop.extent;
  return product;
}

double AccessFact::touched_elements(std::size_t depth) const {
  double elements = 1;
  for (const Dimension& dimension : dimensions) {
    double reach = 1;
    for (std::size_t l = depth; l < dimension.reach.size(); ++l) reach += dimension.reach[l] - 1;
    elements *= std::clamp(reach, 1.0, std::max(1.0, dimension.extent));
  }
  return elements;
}

double AccessFact::touched_lines(std::size_t depth) const {
  if (dimensions.empty()) return 1;
  double row = 1;
  for (std::size_t l = depth; l < dimensions.back().reach.size(); ++l)
    row += dimensions.back().reach[l] - 1;
  row = std::clamp(row, 1.0, std::max(1.0, dimensions.back().extent));
  const double rows = touched_elements(depth) / row;
  return rows * std::max(1.0, std::ceil(row * element_bytes / line_bytes));
}

namespace {

void count(const Expr& e, Arithmetic& floats, Arithmetic& integers) {
  expr::visit(e, [&](const Expr& node) {
    Arithmetic& of = is_float(node.type()) ? floats : integers;
    if (const auto* unary = node.as<expr::Unary>()) {
      if (expr::work(unary->op) == expr::Work::Function) of.functions += 1;
      else if (expr::work(unary->op) == expr::Work::Division) of.divisions += 1;
      else of.others += 1;
    } else if (const auto* binary = node.as<expr::Binary>()) {
      using enum expr::BinaryOperator;
      switch (binary->op) {
        case Add:
        case Sub: of.additions += 1; break;
        case Mul: of.multiplications += 1; break;
        case Div:
        case Mod:
        case FloorDiv:
        case FloorMod: of.divisions += 1; break;
        case DotPairs:
          of.multiplications += 2;
          of.additions += 1;
          break;
        case DotQuads:
          of.multiplications += 4;
          of.additions += 3;
          break;
        case Pow: of.functions += 1; break;
        case Min:
        case Max:
        case Equal:
        case NotEqual:
        case Less:
        case LessEqual:
        case Greater:
        case GreaterEqual:
          (is_float(binary->left.type()) ? floats : integers).comparisons += 1;
          break;
        case And:
        case Or:
        case BitAnd:
        case BitOr:
        case BitXor:
        case ShiftLeft:
        case ShiftRight: of.others += 1; break;
      }
    } else if (node.as<expr::Select>()) {
      of.selects += 1;
    } else if (node.as<expr::Cast>()) {
      of.others += 1;
    }
  });
  const double together = std::min(floats.additions, floats.multiplications);
  floats.multiply_adds = together;
  floats.additions -= together;
  floats.multiplications -= together;
}

class Extents {
 public:
  explicit Extents(const std::map<std::string, std::int64_t>& symbols) : symbols_(symbols) {}

  double of(const Expr& e) const {
    if (const auto number = expr::as_integer(e)) return static_cast<double>(*number);
    std::map<std::string, Expr> values;
    for (const std::string& name : expr::variables_of(e)) {
      const auto known = symbols_.find(name);
      values[name] = Expr(known == symbols_.end() ? 1 : known->second);
    }
    const auto number = expr::as_integer(expr::substitute(e, values));
    return number ? std::max<double>(1, static_cast<double>(*number)) : 1;
  }

 private:
  const std::map<std::string, std::int64_t>& symbols_;
};

// How many values an atom of an index takes while the loop turns, and how far apart: of a fused
// loop the parts are quotients and remainders.
struct Reach {
  double values = 1;
  double step = 0;  // from one iteration to the next; 0: not that one could say
};
Reach reach_of(const Expr& atom, const std::string& variable, double extent) {
  if (!expr::uses_variable(atom, variable)) return {};
  if (atom.as<expr::Variable>()) return {extent, 1};
  if (const auto* binary = atom.as<expr::Binary>()) {
    const auto divisor = expr::as_integer(binary->right);
    if (divisor && *divisor > 0) {
      const auto by = static_cast<double>(*divisor);
      if (binary->op == expr::BinaryOperator::FloorMod) return {std::min(extent, by), 1};
      if (binary->op == expr::BinaryOperator::FloorDiv) return {std::ceil(extent / by), 0};
    }
  }
  return {extent, 0};
}

AccessFact fact_of(const loop::Access& access, const loop::Buffer& buffer,
                   const std::vector<LoopFact>& loops, const Extents& extents) {
  AccessFact fact{access.buffer, !access.is_store, access.is_store,
                  static_cast<double>(byte_size(buffer.type))};
  fact.strides.assign(loops.size(), 0);
  double elements = 1;
  for (std::size_t d = access.indices.size(); d-- > 0;) {
    AccessFact::Dimension dimension{d < buffer.shape.size() ? extents.of(buffer.shape[d]) : 1.0,
                                    std::vector<double>(loops.size(), 1)};
    const expr::Linear form = expr::linear(access.indices[d]);
    for (std::size_t l = 0; l < loops.size(); ++l)
      for (const auto& [atom, coefficient] : form.terms) {
        const Reach reach = reach_of(atom, loops[l].variable, loops[l].extent);
        const double apart = std::abs(static_cast<double>(coefficient));
        dimension.reach[l] += apart * (reach.values - 1);
        fact.strides[l] += static_cast<double>(coefficient) * reach.step * elements;
      }
    elements *= dimension.extent;
    fact.dimensions.insert(fact.dimensions.begin(), std::move(dimension));
  }
  return fact;
}

// Accesses of one buffer by one store are one, which reaches as far as the furthest of them.
void merge(AccessFact fact, std::vector<AccessFact>& facts) {
  const auto known = std::ranges::find(facts, fact.buffer, &AccessFact::buffer);
  if (known == facts.end()) {
    facts.push_back(std::move(fact));
    return;
  }
  known->reads |= fact.reads;
  known->writes |= fact.writes;
  for (std::size_t d = 0; d < std::min(known->dimensions.size(), fact.dimensions.size()); ++d)
    for (std::size_t l = 0; l < known->dimensions[d].reach.size(); ++l)
      known->dimensions[d].reach[l] =
          std::max(known->dimensions[d].reach[l], fact.dimensions[d].reach[l]);
  for (std::size_t l = 0; l < known->strides.size(); ++l)
    if (known->strides[l] == 0) known->strides[l] = fact.strides[l];
}

// Notes of loops, by their variables.
std::map<std::string, int> unroll_counts(const loop::Func& func) {
  std::map<std::string, int> counts;
  loop::walk(func.body, [&](const loop::Stmt& stmt) {
    const auto* node = loop::as<loop::For>(stmt);
    const auto* note =
        node ? loop::find_annotation(stmt->annotations, loop::unroll_annotation) : nullptr;
    if (note) counts[node->variable] = loop::unrolled_copies(note->value).value_or(1);
  });
  return counts;
}

}  // namespace

std::vector<StoreFact> store_facts(const loop::Func& func,
                                   const std::map<std::string, std::int64_t>& symbols) {
  const Extents extents(symbols);
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  const auto copies = unroll_counts(func);
  std::vector<StoreFact> facts;
  std::map<const loop::StmtNode*, std::size_t> places;
  std::vector<loop::Access> accesses = loop::accesses_of(func.body);
  // A store comes behind what it loads: they are gathered by their statement.
  for (const loop::Access& access : accesses) {
    const auto* store =
        access.statement ? std::get_if<loop::Store>(&access.statement->value) : nullptr;
    const loop::Buffer* buffer = loop::find_buffer(buffers, access.buffer);
    if (!store || !buffer) continue;
    const auto [place, is_new] = places.emplace(access.statement, facts.size());
    if (is_new) {
      StoreFact fact;
      if (access.block) fact.block = access.block->name;
      for (const loop::For* node : access.loops) {
        const auto count = copies.find(node->variable);
        // What sets a sum's initial value runs once for all of its terms.
        const bool runs_once = std::ranges::any_of(access.starts, [&](const Expr& start) {
          return expr::uses_variable(start, node->variable);
        });
        fact.loops.push_back({node->variable, runs_once ? 1 : extents.of(node->extent), node->kind,
                              count == copies.end() ? 1 : count->second});
      }
      count(store->value, fact.floats, fact.integers);
      const loop::Buffer* written = loop::find_buffer(buffers, store->buffer);
      const bool own = written && written->role == loop::Role::Intermediate &&
                       written->scope != loop::Scope::Global;
      if (own) {
        fact.allocated_bytes = static_cast<double>(byte_size(written->type));
        for (const Expr& extent : written->shape) fact.allocated_bytes *= extents.of(extent);
      }
      facts.push_back(std::move(fact));
    }
    StoreFact& fact = facts[place->second];
    merge(fact_of(access, *buffer, fact.loops, extents), fact.accesses);
  }
  for (StoreFact& fact : facts)
    std::ranges::stable_sort(fact.accesses, [](const AccessFact& a, const AccessFact& b) {
      return a.writes && !b.writes;
    });
  return facts;
}

}  // namespace loopglass::tune
