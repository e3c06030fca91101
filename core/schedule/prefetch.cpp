// prefetch(buffer, loop, distance, in): what a later iteration reads is asked for now.
//
// At the beginning of each iteration of the loop, the cache lines that the one `distance` further
// on reads of the buffer. The box of what an iteration reads is that of its indices, relaxed over
// the loops inside (loop/bounds.h). With `in`, a loop inside, they are asked for little by little,
// as that one turns: what memory takes a while to bring is there by then, and it never has much to
// do at once. It is a hint: beyond the last iteration it points where nothing is read, or outside
// of the buffer, which the machine ignores.
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/bounds.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"
#include "core/support/ceil_div.h"
#include "core/support/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t line_bytes = 64;  // of x86 and of most of ARM
// More than the machine keeps under way at once, and each is an instruction.
constexpr std::int64_t most_lines = 64;
constexpr std::int64_t farthest = 1 << 20;
constexpr std::int64_t most_turns = std::int64_t{1} << 40;  // products of them stay numbers

struct Box {
  std::vector<Bounds> bounds;
  std::vector<std::int64_t> widths;
  std::int64_t lines = 0;
};

// How the loops between turn, the one that moves on left out: where hints are given.
struct Turns {
  std::int64_t count = 1;
  Expr number{std::int64_t{0}};  // of the turn at hand
};

class Ahead {
 public:
  Ahead(const Func& func, std::string call, const Buffer& buffer, const For& loop,
        std::int64_t distance, Turns turns)
      : call_(std::move(call)),
        buffer_(buffer),
        loop_(loop),
        distance_(distance),
        turns_(std::move(turns)),
        ranges_(ranges_of(func)),
        names_(func) {}

  Result<std::vector<Stmt>> hints() {
    TRY_VOID(collect());
    std::vector<Stmt> hints;
    for (const Box& box : boxes_) hints.push_back(turns_.count > 1 ? share(box) : hint(box));
    return hints;
  }
  std::int64_t lines() const {
    std::int64_t sum = 0;
    for (const Box& box : boxes_) sum += lines_of(box);
    return sum;
  }

 private:
  Result<void> collect() {
    bool is_read = false, moves = false;
    for (const Access& access : accesses_of(loop_.body)) {
      if (access.buffer != buffer_.name || access.is_store || access.of_own_sum) continue;
      is_read = true;
      const Box box = TRY(box_of(access));
      moves |= std::ranges::any_of(box.bounds, [&](const Bounds& bounds) {
        return expr::uses_variable(bounds.min, loop_.variable);
      });
      add(box);
    }
    if (!is_read)
      return illegal(
          call_, buffer_.name,
          fmt::format("'{}' is not read in the loop '{}'", buffer_.name, loop_.variable));
    if (!moves)
      return illegal(call_, buffer_.name,
                     fmt::format("every iteration of '{}' reads the same of '{}'", loop_.variable,
                                 buffer_.name),
                     "choose a loop around it that moves on");
    if (ceil_div(lines(), turns_.count) > most_lines)
      return illegal(
          call_, loop_.variable,
          fmt::format("an iteration of '{}' reads {} cache lines of '{}'{}; at most {} are "
                      "asked for at once",
                      loop_.variable, lines(), buffer_.name,
                      turns_.count > 1
                          ? fmt::format(", {} for each turn", ceil_div(lines(), turns_.count))
                          : "",
                      most_lines),
          "choose a loop further inside, or name one as 'in', to ask for a few as it turns");
    return {};
  }

  Result<Box> box_of(const Access& access) const {
    Box box;
    for (const Expr& index : access.indices) {
      if (expr::has_load(index))
        return illegal(call_, buffer_.name,
                       fmt::format("where '{}' is read has to be read before: {}", buffer_.name,
                                   to_string(index)));
      auto bounds = of_an_iteration(index, access.inner());
      const auto wide = bounds ? width(*bounds, ranges_) : std::nullopt;
      if (!wide)
        return illegal(call_, buffer_.name,
                       fmt::format("how much of '{}' an iteration of '{}' reads is not known: {}",
                                   buffer_.name, loop_.variable, to_string(index)));
      box.bounds.push_back(*std::move(bounds));
      box.widths.push_back(std::max<std::int64_t>(*wide, 1));
    }
    box.lines = lines_of(box.widths);
    join(box, access);
    return box;
  }

  // Where a loop that was fused goes on from row to row, it walks through the last dimensions as
  // through one: less than whole rows, as which the box of each dimension has them.
  void join(Box& box, const Access& access) const {
    Expr joined = access.indices.back();
    std::int64_t length = 1;
    for (std::size_t d = access.indices.size() - 1; d-- > 0;) {
      const auto extent = expr::as_integer(buffer_.shape[d + 1]);
      if (!extent || __builtin_mul_overflow(length, *extent, &length)) return;
      joined = expr::simplify(access.indices[d] * Expr(length) + joined, ranges_);
      auto bounds = of_an_iteration(joined, access.inner());
      const auto wide = bounds ? width(*bounds, ranges_) : std::nullopt;
      if (!wide) return;
      Box together = box;
      for (std::size_t own = d; own < access.indices.size(); ++own) {
        together.bounds[own] = {Expr(std::int64_t{0}), Expr(std::int64_t{0})};
        together.widths[own] = 1;
      }
      together.bounds.back() = *std::move(bounds);
      together.widths.back() = std::max<std::int64_t>(*wide, 1);
      together.lines = lines_of(together.widths);
      if (lines_of(together) < lines_of(box)) box = std::move(together);
    }
  }

  // Bounds over the loops inside may speak of others inside, where one's extent is another's
  // variable: those are relaxed in their turn.
  std::optional<Bounds> of_an_iteration(const Expr& index, const Bindings& inner) const {
    const auto is_settled = [&](const Expr& e) {
      return std::ranges::none_of(
          inner, [&](const auto& loop) { return expr::uses_variable(e, loop.first); });
    };
    auto bounds = relax(index, inner, ranges_);
    for (std::size_t left = inner.size(); bounds && left > 0; --left) {
      if (is_settled(bounds->min) && is_settled(bounds->max)) return bounds;
      const auto low = relax(bounds->min, inner, ranges_),
                 high = relax(bounds->max, inner, ranges_);
      if (!low || !high) return {};
      bounds = Bounds{low->min, high->max};
    }
    return bounds && is_settled(bounds->min) && is_settled(bounds->max) ? bounds : std::nullopt;
  }

  std::int64_t elements_in_line() const {
    return line_bytes / static_cast<std::int64_t>(byte_size(buffer_.type));
  }
  // Rows apart from each other, each along the last dimension.
  std::int64_t lines_of(const std::vector<std::int64_t>& widths) const {
    std::int64_t lines = 1;
    for (std::size_t d = 0; d < widths.size(); ++d)
      if (__builtin_mul_overflow(
              lines, d + 1 == widths.size() ? ceil_div(widths[d], elements_in_line()) : widths[d],
              &lines))
        return std::numeric_limits<std::int64_t>::max() / 2;
    return lines;
  }

  // Little by little a run is walked as one, whatever rows it has.
  std::int64_t lines_of(const Box& box) const {
    if (turns_.count == 1 || !is_one_run(box)) return box.lines;
    std::int64_t elements = 1;
    for (const std::int64_t width : box.widths)
      if (__builtin_mul_overflow(elements, width, &elements)) return box.lines;
    return ceil_div(elements, elements_in_line());
  }

  // Together with one that it lies beside, where that takes no more lines.
  void add(const Box& box) {
    for (Box& known : boxes_) {
      Box both;
      for (std::size_t d = 0; d < box.bounds.size(); ++d) {
        auto around = hull(known.bounds[d], box.bounds[d], ranges_);
        const auto wide = around ? width(*around, ranges_) : std::nullopt;
        if (!wide) break;
        both.bounds.push_back(*std::move(around));
        both.widths.push_back(*wide);
      }
      if (both.bounds.size() < box.bounds.size()) continue;
      both.lines = lines_of(both.widths);
      if (both.lines > known.lines + box.lines) continue;
      known = std::move(both);
      return;
    }
    boxes_.push_back(box);
  }

  // Of what box covers, in the order of memory: where a cache line begins.
  std::vector<Expr> place(const Box& box, Expr line) const {
    std::vector<Expr> begin;
    for (const Bounds& bounds : box.bounds) begin.push_back(expr::substitute(bounds.min, later()));
    if (is_one_run(box)) {
      begin.back() = begin.back() + line * Expr(elements_in_line());
      return begin;
    }
    for (std::size_t d = begin.size(); d-- > 0;) {
      const bool last = d + 1 == begin.size();
      const std::int64_t count = last ? ceil_div(box.widths[d], elements_in_line()) : box.widths[d];
      begin[d] = begin[d] + expr::floor_mod(line, Expr(count)) *
                                Expr(last ? elements_in_line() : std::int64_t{1});
      line = expr::floor_div(line, Expr(count));
    }
    return begin;
  }

  // Whether its elements lie one behind the other: whole rows, of one row of rows.
  bool is_one_run(const Box& box) const {
    std::size_t d = 0;
    while (d < box.widths.size() && box.widths[d] == 1) ++d;
    for (++d; d < box.widths.size(); ++d)
      if (expr::as_integer(buffer_.shape[d]) != box.widths[d]) return false;
    return true;
  }

  Bindings later() const {
    return {{loop_.variable, expr::variable(loop_.variable) + Expr(distance_)}};
  }

  // The part of the box that this turn asks for.
  Stmt share(const Box& box) {
    const std::int64_t lines = lines_of(box), each = ceil_div(lines, turns_.count);
    if (each > 1) {
      const std::string ahead = names_.fresh(loop_.variable + "_p");
      return over({ahead, Expr(each), ForKind::Serial, nullptr},
                  hint_at(place(box, turns_.number * Expr(each) + expr::variable(ahead))));
    }
    const std::int64_t common = std::gcd(lines, turns_.count);
    return hint_at(place(
        box, expr::floor_div(turns_.number * Expr(lines / common), Expr(turns_.count / common))));
  }

  Stmt hint_at(std::vector<Expr> indices) const {
    for (Expr& index : indices) index = expr::simplify(index, ranges_);
    return make(Prefetch{buffer_.name, std::move(indices)});
  }

  Stmt hint(const Box& box) {
    std::vector<Expr> indices;
    std::vector<For> around;
    for (std::size_t d = 0; d < box.bounds.size(); ++d) {
      const bool last = d + 1 == box.bounds.size();
      const std::int64_t step = last ? elements_in_line() : 1;
      const std::int64_t count = ceil_div(box.widths[d], step);
      Expr index = expr::substitute(box.bounds[d].min, later());
      if (count > 1) {
        const std::string ahead = names_.fresh(loop_.variable + "_p");
        around.push_back({ahead, Expr(count), ForKind::Serial, nullptr});
        index = index + expr::variable(ahead) * Expr(step);
      }
      indices.push_back(index);
    }
    Stmt made = hint_at(std::move(indices));
    for (auto loop = around.rbegin(); loop != around.rend(); ++loop) made = over(*loop, made);
    return made;
  }

  std::string call_;
  const Buffer& buffer_;
  const For& loop_;
  const std::int64_t distance_;
  const Turns turns_;
  const expr::Ranges ranges_;
  Names names_;
  std::vector<Box> boxes_;
};

// From the loop that moves on down to the one that hints are given in.
Result<Turns> turns_between(const Func& func, const std::string& call, const Path& outer,
                            const std::string& inside) {
  Turns turns;
  if (inside == outer.loop().variable) return turns;
  const Path inner = TRY(find_loop(func, inside));
  if (inner.index_of(outer.target()) < 0)
    return illegal(call, inside,
                   fmt::format("'{}' is not inside '{}'", inside, outer.loop().variable));
  std::vector<const For*> loops = inner.loops();
  loops.erase(loops.begin(), loops.begin() + std::ssize(outer.loops()) + 1);
  loops.push_back(&inner.loop());
  for (const For* loop : loops) {
    const auto extent = expr::as_integer(loop->extent);
    if (loop->kind != ForKind::Serial || !extent)
      return illegal(
          call, loop->variable,
          extent ? fmt::format("the loop '{}' is {}", loop->variable, loop::name(loop->kind))
                 : fmt::format("how often '{}' turns is not known", loop->variable));
    if (__builtin_mul_overflow(turns.count, *extent, &turns.count) || turns.count > most_turns)
      return illegal(call, inside, "the loops turn too often");
    turns.number = turns.number * Expr(*extent) + expr::variable(loop->variable);
  }
  return turns;
}

Result<Applied> apply_prefetch(const Func& func, std::span<const Argument> arguments) {
  const std::string &name = name_at(arguments, 0), &variable = name_at(arguments, 1);
  const std::int64_t distance = integer_at(arguments, 2);
  const std::string& inside = arguments.size() > 3 ? name_at(arguments, 3) : variable;
  const std::string call =
      arguments.size() > 3
          ? fmt::format("prefetch({}, {}, {}, {})", name, variable, distance, inside)
          : fmt::format("prefetch({}, {}, {})", name, variable, distance);
  const std::vector<Buffer> buffers = buffers_of(func);
  const Buffer* buffer = find_buffer(buffers, name);
  if (!buffer)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, name), name);
  if (buffer->role == Role::Intermediate)
    return illegal(
        call, name,
        fmt::format("'{}' is the kernel's own, and in a cache since it was written", name),
        "only parameters come from memory");
  const Path path = TRY(find_loop(func, variable));
  const For& loop = path.loop();
  if (loop.kind != ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {}: there is no later iteration that waits",
                               loop::name(loop.kind)));
  if (distance < 1 || distance > farthest)
    return illegal(
        call, variable,
        fmt::format("the distance is {}, and has to be from 1 to {}", distance, farthest));
  Ahead ahead(func, call, *buffer, loop, distance, TRY(turns_between(func, call, path, inside)));
  std::vector<Stmt> body = TRY(ahead.hints());
  const Path place = TRY(find_loop(func, inside));
  body.push_back(place.loop().body);
  std::string remark = fmt::format("{} of '{}' {} asked for in each iteration of '{}', {} ahead",
                                   counted(static_cast<std::size_t>(ahead.lines()), "cache line"),
                                   name, ahead.lines() == 1 ? "is" : "are", variable,
                                   counted(static_cast<std::size_t>(distance), "iteration"));
  if (inside != variable) remark += fmt::format(", little by little as '{}' turns", inside);
  const Stmt changed =
      with_annotations(over(place.loop(), sequence(std::move(body))), place.target()->annotations);
  return Applied{with_body(func, replace(place, changed)), {}, remark};
}

}  // namespace

Primitive prefetch() {
  return {"prefetch",
          "Asks for what a later iteration of a loop reads of a parameter, a cache line at a time: "
          "for strides that the machine does not foresee by itself, or, little by little in a loop "
          "inside, for what lies in memory and many iterations then read. A hint, so always right; "
          "come last, since a loop with a hint in it is no longer perfectly nested.",
          "for i in 64 { Y[i] = A[9*i] }",
          "for i in 64 { prefetch A[9*i + 36]; Y[i] = A[9*i] }",
          {{"buffer", ParameterKind::Buffer, "a parameter that the loop reads"},
           {"loop", ParameterKind::Loop, "a serial loop"},
           {"distance", ParameterKind::Integer, "how many iterations ahead",
            choices::these({std::int64_t{1}, std::int64_t{4}, std::int64_t{16}})},
           {"in", ParameterKind::Loop, "a loop inside that asks for a few as it turns", {}, true}},
          apply_prefetch};
}

}  // namespace loopglass::schedule
