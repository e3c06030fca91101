#include "core/dependence/unwritten.h"

#include "core/dependence/access_iterations.h"
#include "core/dependence/dependence.h"
#include "core/dependence/meeting.h"
#include "core/loop/annotations.h"
#include "core/loop/buffers.h"
#include "core/loop/flow.h"
#include "core/loop/names.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule {

namespace {

using expr::Expr;
using loop::Access;
using loop::Buffer;
using loop::For;
using loop::Func;
using loop::Stmt;

// Stores that one read is held against, and all that all reads are: sets that are taken from one
// another fall into ever more pieces, and a file has to open in a second.
constexpr std::size_t most_stores = 64, most_pairs = 512;

// The loops around each allocation.
using LoopsAround = std::map<std::string, std::vector<const For*>>;

void find_allocations(const Stmt& stmt, std::vector<const For*>& loops, LoopsAround& found) {
  if (const auto* node = loop::as<loop::Alloc>(stmt)) found.emplace(node->buffer.name, loops);
  const For* node = loop::as<For>(stmt);
  if (node) loops.push_back(node);
  for (const Stmt& child : loop::children(stmt)) find_allocations(child, loops, found);
  if (node) loops.pop_back();
}

// A buffer whose elements have no value until something is stored to them.
struct Memory {
  const Buffer* buffer;
  std::size_t depth;  // so many outermost loops around its accesses: each iteration has its own
  std::vector<Access> accesses;  // to it, in program order
  std::size_t stores = 0;
};

std::vector<Memory> memories_of(const Func& func, const std::vector<Buffer>& buffers,
                                std::span<const Access> accesses) {
  std::vector<const For*> loops;
  LoopsAround allocations;
  find_allocations(func.body, loops, allocations);
  std::vector<Memory> memories;
  std::map<std::string, std::size_t> places;
  for (const Buffer& buffer : buffers) {
    const auto allocation = allocations.find(buffer.name);
    if (allocation == allocations.end() && buffer.role != loop::Role::Output) continue;
    places.emplace(buffer.name, memories.size());
    memories.push_back(
        {&buffer, allocation == allocations.end() ? 0 : allocation->second.size(), {}});
  }
  for (const Access& access : accesses)
    if (const auto place = places.find(access.buffer); place != places.end()) {
      memories[place->second].accesses.push_back(access);
      memories[place->second].stores += access.is_store;
    }
  return memories;
}

// The reads of which the structure of the nest does not say that they are of what was written: it
// mostly does. By their places among the accesses.
std::vector<std::size_t> doubtful_reads(const Memory& memory, const expr::Ranges& ranges) {
  std::vector<Access> inside = memory.accesses;
  for (Access& access : inside)
    access.loops.erase(access.loops.begin(),
                       access.loops.begin() + static_cast<std::ptrdiff_t>(memory.depth));
  std::vector<std::size_t> reads;
  for (std::size_t place = 0; place < inside.size(); ++place)
    if (!inside[place].is_store && !loop::was_written(inside, place, *memory.buffer, ranges))
      reads.push_back(place);
  return reads;
}

class Dataflow {
 public:
  explicit Dataflow(const Func& func)
      : func_(func), ranges_(loop::ranges_of(func)), read_only_(read_only_parameters(func)) {}

  const expr::Ranges& ranges() const { return ranges_; }

  // The first iteration of the read, by its outermost loops, whose element no store wrote before.
  // `place`: among the memory's accesses; of one that follows them all, their number.
  std::optional<Point> unwritten(const Access& read, const Memory& memory,
                                 std::size_t place) const {
    const IntegerSet reads = iterations_of(func_, read, read_only_);
    if (!reads.is_exact()) return std::nullopt;
    std::vector<IntegerSet> written;
    for (std::size_t s = 0; s < memory.accesses.size(); ++s)
      if (memory.accesses[s].is_store) add_stores_before(read, place, s, memory, written);
    return reads.least_outside(std::move(written), dimensions_of(func_, read));
  }

 private:
  // Those in earlier iterations of each loop that both stand in, and those that stand before.
  void add_stores_before(const Access& read, std::size_t place, std::size_t s, const Memory& memory,
                         std::vector<IntegerSet>& written) const {
    const Access& store = memory.accesses[s];
    const auto add = [&](const Relations& relations) {
      if (may_meet(read, store, *memory.buffer, relations, ranges_))
        written.push_back(meetings(read, store, relations, ranges_));
    };
    Relations relations;
    for (std::size_t k = 0;
         k < read.loops.size() && k < store.loops.size() && read.loops[k] == store.loops[k]; ++k) {
      relations[read.loops[k]->variable] = Relation::Earlier;
      if (k >= memory.depth) add(relations);
      relations[read.loops[k]->variable] = Relation::Same;
    }
    if (s < place) add(relations);
  }

  const Func& func_;
  expr::Ranges ranges_;
  std::set<std::string> read_only_;
};

std::string element(const Access& read, const Point& point) {
  std::vector<std::int64_t> indices;
  for (const Expr& index : read.indices) indices.push_back(value_at(index, point));
  return fmt::format("{}[{}]", read.buffer, fmt::join(indices, ", "));
}

Result<void> check_reads(const Func& func, const Dataflow& flow, const Memory& memory,
                         std::span<const std::size_t> reads, const loop::SourceLines& lines) {
  for (const std::size_t place : reads) {
    const Access& read = memory.accesses[place];
    if (const auto point = flow.unwritten(read, memory, place))
      return fail(Code::FuncInvalid,
                  fmt::format("{}{}: nothing has written {} before", described(read, flow.ranges()),
                              words(func, read, *point), element(read, *point)),
                  fmt::format("{}buffer '{}'", lines.before(read.statement), read.buffer),
                  fmt::format("store to it first; a sum begins with an init. Where only the time "
                              "is looked at, @{} stands in front of func",
                              loop::time_only_annotation));
  }
  return {};
}

// As if all of it were read at the end.
Result<void> check_output(const Func& func, const Dataflow& flow, const Memory& memory,
                          const loop::SourceLines& lines) {
  loop::Names names(func);
  Access whole;
  whole.buffer = memory.buffer->name;
  std::vector<For> loops;
  for (const Expr& extent : memory.buffer->shape) {
    loops.push_back({});
    loops.back().variable = names.fresh("d");
    loops.back().extent = extent;
    whole.indices.push_back(expr::variable(loops.back().variable));
  }
  for (const For& node : loops) whole.loops.push_back(&node);
  const auto point = flow.unwritten(whole, memory, memory.accesses.size());
  if (!point) return {};
  Access symbols_only;
  return fail(
      Code::FuncInvalid,
      fmt::format("nothing writes {}{}", element(whole, *point), words(func, symbols_only, *point)),
      fmt::format("{}output '{}'", lines.before_buffer(whole.buffer), whole.buffer),
      fmt::format("every element of an output is written, unless @{} stands in front of "
                  "func: only its time is looked at",
                  loop::time_only_annotation));
}

}  // namespace

Result<void> check_written(const Func& func, std::span<const Access> accesses,
                           const loop::SourceLines& lines) {
  if (loop::find_annotation(func.annotations, loop::time_only_annotation)) return {};
  const Dataflow flow(func);
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  std::size_t pairs = 0;
  for (const Memory& memory : memories_of(func, buffers, accesses)) {
    const std::vector<std::size_t> reads = doubtful_reads(memory, flow.ranges());
    const bool is_output = memory.buffer->role == loop::Role::Output;
    const std::size_t asked = memory.stores * (reads.size() + (is_output ? 1 : 0));
    if (memory.stores > most_stores || pairs + asked > most_pairs) continue;
    pairs += asked;
    TRY_VOID(check_reads(func, flow, memory, reads, lines));
    if (is_output) TRY_VOID(check_output(func, flow, memory, lines));
  }
  return {};
}

}  // namespace loopglass::schedule
