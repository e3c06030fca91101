#include "core/roofline/traffic.h"

#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/flops.h"
#include "core/loop/walk.h"
#include "core/roofline/address.h"
#include "core/roofline/work.h"
#include "core/te/flops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace loopglass::roofline {

namespace {

using Bytes = std::map<std::string, double>;  // by buffer
using loop::Access;
using loop::For;
using loop::Stmt;

double extent_of(const For& node) {
  return static_cast<double>(expr::as_integer(node.extent).value_or(1));
}

class Counting {
 public:
  Counting(std::vector<loop::Buffer> buffers, double capacity)
      : buffers_(std::move(buffers)), capacity_(capacity) {}

  // Fetched into the cache in one run of the statement.
  Bytes fetched(const Stmt& stmt) {
    if (!stmt) return {};
    if (const auto* node = loop::as<For>(stmt)) {
      if (sum_of(footprint(node->body, buffers_)) <= capacity_) return footprint(stmt, buffers_);
      around_.push_back(node);
      Bytes bytes = fetched(node->body);
      around_.pop_back();
      for (auto& [buffer, count] : bytes) count *= extent_of(*node);
      return bytes;
    }
    if (const auto* node = loop::as<loop::If>(stmt)) {
      const Bytes yes = fetched(node->then_body), no = fetched(node->else_body);
      const std::optional<double> holds = share_of(node->condition);
      if (!holds) return sum_of(yes) >= sum_of(no) ? yes : no;  // the costlier side, as in work.h
      Bytes bytes;
      for (const auto& [buffer, count] : yes) bytes[buffer] += *holds * count;
      for (const auto& [buffer, count] : no) bytes[buffer] += (1 - *holds) * count;
      return bytes;
    }
    Bytes together = footprint(stmt, buffers_);
    if (sum_of(together) <= capacity_) return together;
    Bytes bytes;
    for (const Stmt& child : loop::children(stmt))
      for (const auto& [buffer, count] : fetched(child)) bytes[buffer] += count;
    // A statement that is more than the cache holds, and not a sequence.
    return bytes.empty() ? together : bytes;
  }

 private:
  // Of the iterations of the loops around, the part in which a condition holds; nullopt of one on
  // more than these, or of too many to look at.
  std::optional<double> share_of(const expr::Expr& condition) const {
    constexpr double most_looks = 20'000;
    std::vector<const For*> asked;
    double iterations = 1;
    std::set<std::string> open = expr::variables_of(condition);
    for (const For* node : around_)
      if (open.erase(node->variable) > 0) {
        asked.push_back(node);
        iterations *= extent_of(*node);
      }
    if (!open.empty() || expr::has_load(condition) || iterations > most_looks) return std::nullopt;
    double holds = 0;
    expr::Ranges at;
    const auto look = [&](const auto& next, std::size_t depth) -> void {
      if (depth == asked.size()) {
        holds += !expr::is_false(expr::simplify(condition, at));
        return;
      }
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(extent_of(*asked[depth])); ++i) {
        at[asked[depth]->variable] = {i, i};
        next(next, depth + 1);
      }
    };
    look(look, 0);
    return iterations > 0 ? holds / iterations : 0;
  }

  std::vector<loop::Buffer> buffers_;
  double capacity_;
  std::vector<const For*> around_;  // the statement at hand
};

// In which most operations are done; where there are none, of what is stored last. (A product of
// whole numbers may be scaled, and summed, as floats.)
DataType main_type(const loop::Func& func) {
  std::map<DataType, double> operations;
  for (const Access& access : loop::accesses_of(func.body)) {
    if (!access.is_store) continue;
    double times = 1;
    for (const For* node : access.loops) times *= extent_of(*node);
    const auto* store = std::get_if<loop::Store>(&access.statement->value);
    if (store == nullptr) continue;
    for (const auto& [type, count] : te::operations_by_type(store->value))
      operations[type] += times * static_cast<double>(count);
  }
  const auto most =
      std::ranges::max_element(operations, {}, [](const auto& each) { return each.second; });
  if (most != operations.end() && most->second > 0) return most->first;
  return func.parameters.empty() ? DataType::Float32 : func.parameters.back().type;
}

}  // namespace

bool is_memory(const loop::Buffer& buffer) {
  return buffer.scope != loop::Scope::Register && buffer.scope != loop::Scope::Stack;
}

double sum_of(const std::map<std::string, double>& bytes) {
  double sum = 0;
  for (const auto& [buffer, count] : bytes) sum += count;
  return sum;
}

std::map<std::string, double> footprint(const Stmt& stmt,
                                        const std::vector<loop::Buffer>& buffers) {
  std::map<std::string, Touched> touched;
  for (const Access& access : loop::accesses_of(stmt)) {
    const loop::Buffer* buffer = loop::find_buffer(buffers, access.buffer);
    if (!buffer || !is_memory(*buffer)) continue;
    std::map<std::string, std::int64_t> turning;
    expr::Ranges ranges;
    for (const For* node : access.loops) {
      const std::int64_t extent =
          std::max<std::int64_t>(1, expr::as_integer(node->extent).value_or(1));
      turning[node->variable] = extent;
      ranges[node->variable] = {0, extent - 1};
    }
    touched[access.buffer].add(address_of(access.indices, *buffer, ranges), turning);
  }
  Bytes bytes;
  for (const auto& [name, boxes] : touched)
    bytes[name] = boxes.bytes(*loop::find_buffer(buffers, name));
  return bytes;
}

Traffic traffic_of(const loop::Func& func, const loop::Func& initial,
                   const std::map<std::string, std::int64_t>& symbols, const Machine& machine) {
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  const double whole = sum_of(footprint(func.body, buffers));
  const auto fetched = [&](double capacity) {
    return whole <= capacity ? 0 : sum_of(Counting(buffers, capacity).fetched(func.body));
  };
  Traffic traffic;
  const Work work = work_of(func);
  traffic.l1 = work.loaded_bytes;
  traffic.l2 = fetched(static_cast<double>(machine.l1.bytes));
  traffic.l3 = fetched(static_cast<double>(machine.l2.bytes));
  traffic.memory = fetched(static_cast<double>(machine.l3.bytes));
  traffic.flops = work.flops;
  traffic.useful_flops = static_cast<double>(loop::flops(initial, symbols));
  traffic.type = main_type(func);
  return traffic;
}

}  // namespace loopglass::roofline
