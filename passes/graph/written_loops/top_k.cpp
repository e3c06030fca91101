#include "passes/graph/written_loops/top_k.h"

#include "core/expr/expr.h"
#include "core/ops/registry.h"
#include "core/ops/support.h"
#include "core/support/ceil_div.h"
#include "passes/graph/written_loops/nest_text.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopglass::passes::written_loops {

namespace {

constexpr std::int64_t lanes = 16;
// So many neighbours are looked at in vectors before one of them is looked at by itself.
constexpr std::int64_t chunk = 64;
// What is kept of one row may lie on a stack so far.
constexpr std::int64_t most_stack_bytes = 64 * 1024;

// What both ways have: rows, one after another, and what comes before what.
class Rows {
 public:
  Rows(const TensorType& x, const ops::Attributes& attributes)
      : x_(x),
        axis_(ops::axis_of(attributes, x.shape.size())),
        count_(x.shape[axis_]),
        wanted_(attributes.integer("k")),
        is_largest_(attributes.integer("largest") != 0) {}

 protected:
  void open_rows() {
    TensorType chosen = x_;
    chosen.shape[axis_] = wanted_;
    nest_.open("func top_k({}, {}, {}) {{", parameter("x", x_, "input"),
               parameter("values", chosen, "output"),
               parameter("places", {DataType::Int64, chosen.shape}, "output"));
    open_loops(
        nest_, "d", x_.shape, [](std::size_t) { return true; }, axis_);
  }

  // In so many elements of x's type and places, in shape "2, 100" or "100".
  void allocate(std::string_view values, std::string_view places, std::int64_t elements,
                const std::string& shape) {
    const auto bytes = elements * static_cast<std::int64_t>(byte_size(x_.type) + sizeof(int));
    const std::string_view scope = bytes <= most_stack_bytes ? "stack" : "workspace";
    nest_.line("alloc {}: {}[{}] {}", values, name(x_.type), shape, scope);
    nest_.line("alloc {}: int32[{}] {}", places, shape, scope);
  }

  std::vector<std::string> along(const std::string& place) const {
    std::vector<std::string> indices = variables("d", x_.shape.size());
    indices[axis_] = place;
    return indices;
  }

  // Whether one of them stays before the other, which was met later: a NaN is the greatest.
  std::string stays_before(const std::string& one, const std::string& other) const {
    const std::string order = fmt::format("{} {} {}", other, is_largest_ ? "<=" : ">=", one);
    if (!is_float(x_.type)) return order;
    return fmt::format("({} or is_nan({}))", order, is_largest_ ? one : other);
  }

  const TensorType& x_;
  std::size_t axis_;
  std::int64_t count_, wanted_;
  bool is_largest_;
  NestText nest_;
};

// `best` and `place` hold the elements found so far, in order, and where they were, from slot 1 on;
// slot 0 stays before all, and where a place is none, a slot is free.
class BestSoFar : Rows {
 public:
  using Rows::Rows;

  std::string text() && {
    open_rows();
    clear_slots();
    if (axis_ + 1 == x_.shape.size() && count_ >= 4 * chunk) {
      open_chunk();
      take(fmt::format("c * {} + e", chunk), count_ % chunk != 0);
      nest_.close(3);
    } else {
      nest_.open("for e in {} {{", count_);
      take("e", false);
      nest_.close();
    }
    give();
    nest_.close(x_.shape.size());
    return nest_.text();
  }

 private:
  void clear_slots() {
    const std::int64_t slots = parts_ * lanes + 1;
    const expr::Expr before_all =
        !is_largest_        ? expr::lowest(x_.type)
        : is_float(x_.type) ? expr::constant(x_.type, std::numeric_limits<double>::quiet_NaN())
                            : expr::highest(x_.type);
    allocate("best", "place", slots, fmt::format("{}", slots));
    nest_.open("for slot in {} {{", slots);
    nest_.line("best[slot] = {}", expr::to_string(before_all));
    nest_.line("place[slot] = {}i32", count_);
    nest_.close();
    nest_.line("place[0] = 0i32");
  }

  // The elements of a chunk one by one, if any of them may be better than the last of the best.
  void open_chunk() {
    const std::string neighbour = fmt::format("c * {} + v * {} + looked", chunk, lanes);
    nest_.open("for c in {} {{", ceil_div(count_, chunk));
    nest_.line("alloc better: int32[{}] register", lanes);
    nest_.line("for cleared in {} vectorized {{ better[cleared] = 0i32 }}", lanes);
    nest_.open("for v in {} {{", chunk / lanes);
    nest_.open("for looked in {} vectorized {{", lanes);
    nest_.line("if {} < {} {{ better[looked] = better[looked] + int32({}) }}", neighbour, count_,
               may_be_better(element("x", along(neighbour))));
    nest_.close(2);
    nest_.line("alloc any: int32[1] register");
    nest_.line("any[0] = 0i32");
    nest_.line("for counted in {} {{ any[0] = any[0] + better[counted] }}", lanes);
    nest_.open("if c * {} < {} or any[0] > 0i32 {{", chunk, wanted_);
    nest_.open("for e in {} {{", chunk);
  }

  void take(const std::string& position, bool may_be_beyond) {
    if (may_be_beyond) nest_.open("if {} < {} {{", position, count_);
    nest_.line("alloc candidate: {}[1] register", name(x_.type));
    nest_.line("candidate[0] = {}", element("x", along(position)));
    nest_.open("if {} < {} or {} {{", position, wanted_, may_be_better("candidate[0]"));
    insert(position);
    nest_.close(may_be_beyond ? 2 : 1);
  }

  // What does not stay before the candidate moves on by one, the last part first, so that nothing
  // is written before it was read.
  void insert(const std::string& position) {
    const auto before = [&](std::string_view lane) {
      return fmt::format("({} - part) * {} + {}", parts_ - 1, lanes, lane);
    };
    const auto own = [&](std::string_view lane) { return before(lane) + " + 1"; };
    nest_.open("for part in {} {{", parts_);
    nest_.line("alloc value: {}[{}] register", name(x_.type), lanes);
    nest_.line("alloc position: int32[{}] register", lanes);
    nest_.open("for lane in {} vectorized {{", lanes);
    const auto moved_on = [&](std::string_view target, std::string_view kept,
                              std::string_view inserted) {
      nest_.line("{}[lane] = select({}, {}[{}], select({}, {}, {}[{}]))", target,
                 stays(own("lane")), kept, own("lane"), stays(before("lane")), inserted, kept,
                 before("lane"));
    };
    moved_on("value", "best", "candidate[0]");
    moved_on("position", "place", fmt::format("int32({})", position));
    nest_.close();
    nest_.open("for to in {} vectorized {{", lanes);
    nest_.line("best[{}] = value[to]", own("to"));
    nest_.line("place[{}] = position[to]", own("to"));
    nest_.close(2);
  }

  void give() {
    nest_.open("for rank in {} {{", wanted_);
    nest_.line("{} = best[rank + 1]", element("values", along("rank")));
    nest_.line("{} = int64(place[rank + 1])", element("places", along("rank")));
    nest_.close();
  }

  // Where a NaN is in play this lets more through, before which all stay then.
  std::string may_be_better(const std::string& candidate) const {
    return fmt::format("not ({} {} best[{}])", candidate, is_largest_ ? "<=" : ">=", wanted_);
  }

  std::string stays(const std::string& slot) const {
    return fmt::format("place[{}] < {}i32 and {}", slot, count_,
                       stays_before(fmt::format("best[{}]", slot), "candidate[0]"));
  }

  const std::int64_t parts_ = ceil_div(wanted_, lanes);
};

// All elements in order, by merging neighbours of 1, 2, 4, ... from one half of `value` and `place`
// into the other; the element behind the last is only looked at.
class Sorted : Rows {
 public:
  using Rows::Rows;

  std::string text() && {
    const int levels = std::bit_width(static_cast<std::uint64_t>(count_ - 1));
    open_rows();
    allocate("value", "place", 2 * (count_ + 1), fmt::format("2, {}", count_ + 1));
    nest_.open("for e in {} {{", count_);
    nest_.line("value[0, e] = {}", element("x", along("e")));
    nest_.line("place[0, e] = int32(e)");
    nest_.close();
    nest_.line("value[0, {}] = {}", count_, element("x", along("0")));
    nest_.line("value[1, {}] = {}", count_, element("x", along("0")));
    for (const std::string_view cursor : {"a", "a_end", "b", "b_end", "take_b"})
      nest_.line("alloc {}: int64[1] stack", cursor);
    nest_.line("alloc length: int64[1] stack");
    nest_.line("length[0] = 1");
    nest_.open("for level in {} {{", levels);
    nest_.line("b_end[0] = 0");
    nest_.open("for t in {} {{", count_);
    nest_.open("if t == b_end[0] {{");
    nest_.line("a[0] = t");
    nest_.line("a_end[0] = min(t + length[0], {})", count_);
    nest_.line("b[0] = a_end[0]");
    nest_.line("b_end[0] = min(t + 2 * length[0], {})", count_);
    nest_.close();
    const std::string from = "level floormod 2", to = "1 - level floormod 2";
    nest_.line(
        "take_b[0] = select(b[0] < b_end[0], select(a[0] < a_end[0] and {}, 0, 1), 0)",
        stays_before(fmt::format("value[{}, a[0]]", from), fmt::format("value[{}, b[0]]", from)));
    for (const std::string_view each : {"value", "place"})
      nest_.line("{}[{}, t] = {}[{}, select(take_b[0] == 1, b[0], a[0])]", each, to, each, from);
    nest_.line("a[0] = a[0] + 1 - take_b[0]");
    nest_.line("b[0] = b[0] + take_b[0]");
    nest_.close();
    nest_.line("length[0] = length[0] * 2");
    nest_.close();
    nest_.open("for rank in {} {{", wanted_);
    nest_.line("{} = value[{}, rank]", element("values", along("rank")), levels % 2);
    nest_.line("{} = int64(place[{}, rank])", element("places", along("rank")), levels % 2);
    nest_.close(1 + x_.shape.size());
    return nest_.text();
  }
};

// Measured in nanoseconds: 16 slots moved on, and an element merged.
constexpr double slots_time = 3.5, merge_time = 3.5;

bool is_sorted_sooner(std::int64_t count, std::int64_t wanted) {
  const auto n = static_cast<double>(count), k = static_cast<double>(wanted);
  return k * (1 + std::log(n / k)) * (k / lanes) * slots_time > n * std::log2(n) * merge_time;
}

}  // namespace

bool is_top_k(const graph::Node& node) {
  static const ops::OpDef* const op = ops::find_operator("TopK");
  return node.op == op;
}

std::int64_t searched_by_top_k(const TensorType& x, const ops::Attributes& attributes) {
  return x.shape[ops::axis_of(attributes, x.shape.size())];
}

std::string top_k(const TensorType& x, const ops::Attributes& attributes) {
  const std::int64_t count = searched_by_top_k(x, attributes);
  return is_sorted_sooner(count, attributes.integer("k")) ? Sorted(x, attributes).text()
                                                          : BestSoFar(x, attributes).text();
}

}  // namespace loopglass::passes::written_loops
