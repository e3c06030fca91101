#include "core/roofline/traffic.h"

#include "core/default_schedule/inner_loop.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/locality/reuse.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/flops.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <cmath>

namespace loopglass::roofline {

namespace {

using Bytes = std::map<std::string, double>;  // by buffer
using loop::Access;
using loop::For;
using loop::Stmt;

constexpr auto line_bytes = static_cast<double>(locality::line_bytes);

double extent_of(const For& node) {
  return static_cast<double>(expr::as_integer(node.extent).value_or(1));
}

// What of one dimension is touched.
struct Span {
  expr::Interval interval{0, 0};
  double points = 1;  // at most
};

// Indices where the loops inside turn and those outside stand still.
std::vector<Span> box_of(const Access& access) {
  expr::Ranges ranges;
  for (const expr::Expr& index : access.indices)
    for (const std::string& variable : expr::variables_of(index)) ranges[variable] = {0, 0};
  std::map<std::string, double> turning;
  for (const For* node : access.loops) {
    const double extent = std::max(1.0, extent_of(*node));
    turning[node->variable] = extent;
    ranges[node->variable] = {0, static_cast<std::int64_t>(extent) - 1};
  }
  std::vector<Span> box;
  for (const expr::Expr& index : access.indices) {
    Span span;
    span.interval = expr::bounds(index, ranges).value_or(expr::Interval{0, 0});
    for (const std::string& variable : expr::variables_of(index))
      if (const auto loop = turning.find(variable); loop != turning.end())
        span.points *= loop->second;
    box.push_back(span);
  }
  return box;
}

void join(std::vector<Span>& box, const std::vector<Span>& other) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    box[d].interval.min = std::min(box[d].interval.min, other[d].interval.min);
    box[d].interval.max = std::max(box[d].interval.max, other[d].interval.max);
    box[d].points += other[d].points;
  }
}

// Lines of the box, and bytes of these.
double bytes_of(const std::vector<Span>& box, const loop::Buffer& buffer) {
  const auto element = static_cast<double>(byte_size(buffer.type));
  double run = element;  // bytes side by side
  double rows = 1;
  bool is_dense = true;
  for (std::size_t d = box.size(); d-- > 0;) {
    const auto whole =
        static_cast<double>(expr::as_integer(buffer.shape[d]).value_or(box[d].interval.max + 1));
    const double length =
        std::clamp(static_cast<double>(box[d].interval.max - box[d].interval.min + 1), 1.0,
                   std::max(1.0, whole));
    const double points = std::min(length, box[d].points);
    if (is_dense && length * run < line_bytes) run *= length;  // gaps that are not skipped
    else if (is_dense && points * 2 > length) run *= length;
    else rows *= points;
    is_dense = is_dense && length == whole && rows == 1;
  }
  return rows * std::ceil(run / line_bytes) * line_bytes;
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
      Bytes bytes = fetched(node->body);
      for (auto& [buffer, count] : bytes) count *= extent_of(*node);
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
  std::vector<loop::Buffer> buffers_;
  double capacity_;
};

// Loads and stores of the processor: those of the tile of the heaviest sum as machine code makes
// them, of all else one for each access.
double asked_by_processor(const loop::Func& func, const Machine& machine) {
  const auto inner = schedule::inner_loop(func, machine);
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  double bytes = 0;
  for (const Access& access : loop::accesses_of(func.body)) {
    const loop::Buffer* buffer = loop::find_buffer(buffers, access.buffer);
    if (!buffer || !is_memory(*buffer) || (!access.block_body && access.block)) continue;
    if (inner && access.block && access.block->name == inner->block && access.starts.empty())
      continue;
    double times = 1;
    for (const For* node : access.loops) times *= extent_of(*node);
    bytes += times * static_cast<double>(byte_size(buffer->type));
  }
  if (!inner) return bytes;
  const auto path = loop::find_block(func, inner->block);
  if (!path) return bytes;
  const loop::Store* store = loop::only_store(path->block());
  const loop::Buffer* target = loop::find_buffer(buffers, store->buffer);
  const int lanes = std::max(1, machine.lanes(static_cast<int>(byte_size(target->type))));
  double instances = 1;
  for (const For* node : path->loops()) instances *= extent_of(*node);
  const double turns = instances / static_cast<double>(inner->multiply_adds * lanes);
  double loads = 0;  // bytes of a turn
  for (const schedule::TileOperand& operand : inner->loads) {
    const loop::Buffer* read = loop::find_buffer(buffers, operand.buffer);
    const bool is_scalar = operand.scalars > 0 || !operand.along_lanes;
    loads += static_cast<double>(operand.vectors + operand.scalars) *
             (is_scalar ? static_cast<double>(byte_size(read->type)) : machine.vector_bytes.value);
  }
  // Sums that are not kept in registers go to memory and back.
  if (is_memory(*target) && !inner->sums)
    loads += 2 * static_cast<double>(inner->independent_sums) * machine.vector_bytes;
  return bytes + turns * loads;
}

// Of the sum with most terms, else of what is stored last.
DataType main_type(const loop::Func& func) {
  DataType type = func.parameters.empty() ? DataType::Float32 : func.parameters.back().type;
  double most = 0;
  const std::vector<loop::Buffer> buffers = loop::buffers_of(func);
  for (const Access& access : loop::accesses_of(func.body)) {
    if (!access.is_store) continue;
    double times = 1;
    for (const For* node : access.loops) times *= extent_of(*node);
    if (times <= most) continue;
    most = times;
    type = loop::find_buffer(buffers, access.buffer)->type;
  }
  return type;
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
  std::map<std::string, std::vector<Span>> boxes;
  for (const Access& access : loop::accesses_of(stmt)) {
    const loop::Buffer* buffer = loop::find_buffer(buffers, access.buffer);
    if (!buffer || !is_memory(*buffer)) continue;
    const std::vector<Span> box = box_of(access);
    const auto [known, is_new] = boxes.try_emplace(access.buffer, box);
    if (!is_new) join(known->second, box);
  }
  Bytes bytes;
  for (const auto& [name, box] : boxes)
    bytes[name] = bytes_of(box, *loop::find_buffer(buffers, name));
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
  traffic.l1 = asked_by_processor(func, machine);
  traffic.l2 = fetched(static_cast<double>(machine.l1.bytes));
  traffic.l3 = fetched(static_cast<double>(machine.l2.bytes));
  traffic.memory = fetched(static_cast<double>(machine.l3.bytes));
  traffic.flops = static_cast<double>(loop::flops(func));
  traffic.useful_flops = static_cast<double>(loop::flops(initial, symbols));
  traffic.type = main_type(func);
  return traffic;
}

}  // namespace loopglass::roofline
