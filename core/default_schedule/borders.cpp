// Terms of a sum that are zeros of a border: in a 3 x 3 convolution of 7 x 7 pixels a fifth of all.
#include "core/default_schedule/rules.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/annotations.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"
#include "core/support/ceil_div.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The block that makes what is read, where it has a border; null: none has.
const Block* border_of(const Func& func, const Block& block) {
  for (const Region& read : block.reads) {
    const auto makers = writers_of(func.body, read.buffer);
    const loop::Store* store = makers.size() == 1 ? only_store(*makers[0]) : nullptr;
    if (store && store->value.as<expr::Select>()) return makers[0];
  }
  return nullptr;
}

// Outside the innermost loop over terms, which is to run without a condition.
const For* loop_to_ask_in(const Path& block) {
  std::vector<const For*> loops = block.loops();
  while (!loops.empty() && loops.back()->kind != ForKind::Serial) loops.pop_back();
  if (loops.size() < 2 || loops[loops.size() - 2]->kind != ForKind::Serial) return nullptr;
  return loops[loops.size() - 2];
}

// The innermost loop of the tile that is written out.
const For* copies_of(const Path& block) {
  for (const For* loop : block.loops() | std::views::reverse)
    if (loop->kind == ForKind::Unrolled) return loop;
  return nullptr;
}

// Whether each part of the condition is decided either outside the tile or, all loops that it
// speaks of being written out, before anything runs; and some are.
bool is_decided_in_tile(const Path& block) {
  std::map<std::string, ForKind> kinds;
  for (const For* loop : block.loops()) kinds[loop->variable] = loop->kind;
  const auto is_written_out = [&](const std::string& name) {
    return kinds[name] == ForKind::Unrolled;
  };
  bool has_decided = false;
  const Expr condition = expr::simplify(loop_predicate(block.block()), ranges_of(block.loops()));
  for (const Expr& part : expr::conjuncts(condition)) {
    const std::set<std::string> variables = expr::variables_of(part);
    if (std::ranges::none_of(variables, is_written_out)) continue;
    if (!std::ranges::all_of(variables, is_written_out)) return false;
    has_decided = true;
  }
  return has_decided;
}

// How many of the terms that a tile adds its condition rules out wherever the tile is: `counts` are
// the iterations of its copies and of the window's columns, by variable.
double share_ruled_out(const Path& block, const std::map<std::string, std::int64_t>& counts) {
  const expr::Ranges ranges = ranges_of(block.loops());
  std::vector<Bindings> terms{{}};
  for (const auto& [variable, count] : counts) {
    std::vector<Bindings> more;
    for (const Bindings& term : terms)
      for (std::int64_t i = 0; i < count; ++i)
        (more.emplace_back(term))[variable] = expr::integer(DataType::Int64, i);
    terms = std::move(more);
  }
  const Expr condition = loop_predicate(block.block());
  const auto ruled_out = std::ranges::count_if(terms, [&](const Bindings& term) {
    return expr::is_false(expr::simplify(expr::substitute(condition, term), ranges));
  });
  return static_cast<double>(ruled_out) / static_cast<double>(terms.size());
}

// Whether something is asked for in the loop: LLVM keeps no element in a register across that.
bool has_hints(const For& loop) {
  bool found = false;
  loop::walk(loop.body,
             [&](const Stmt& stmt) { found = found || as<loop::Prefetch>(stmt) != nullptr; });
  return found;
}

// Whether a tile is turned in registers once it is summed up (turned_tile.h).
bool has_turned_tile(const Func& func) {
  bool found = false;
  loop::walk(func.body, [&](const Stmt& stmt) {
    found = found || find_annotation(stmt->annotations, intrinsic_annotation);
  });
  return found;
}

// A tile that is as wide as the image has the columns' border at its ends: where a window's columns
// are written out as well, what lies in it is not written at all.
bool skip_columns(Draft& draft, const std::string& sum, const std::string& border,
                  const Machine& machine) {
  // As many statements of 16 lanes as are sure to be written out.
  constexpr std::int64_t most_statements = 96, lanes_at_once = 16;
  // Columns written out are fewer registers for sums. With 13 pixels of stride 2 a 39th is saved,
  // and takes 1.3 times as long; with stride 1 two, and takes 0.8 (AVX-512).
  constexpr double worth_writing_out = 1.0 / 24;
  constexpr int bytes_with_broadcasts = 64;  // of vectors: AVX-512
  const Path path = *find_block(draft.func(), sum);
  const For* copies = copies_of(path);
  const std::int64_t count = copies ? expr::as_integer(copies->extent).value_or(0) : 0;
  if (count == 0) return false;
  std::int64_t vectors = 1;
  for (const For* loop : path.loops())
    if (loop->kind == ForKind::Vectorized)
      vectors = ceil_div(expr::as_integer(loop->extent).value_or(1), lanes_at_once);
  const std::string tile = copies->variable;
  for (const Stmt& stmt : path.statements | std::views::reverse) {
    const For* loop = as<For>(stmt);
    if (!loop) continue;
    // Elements that columns share stay in registers. A tile that has none for two columns at once
    // has said so: nor has it for these, unless multiply-adds take elements from memory and there
    // is room for those that are left (7 x 3 vectors; with 14 x 2 it takes 1.9 times as long), or
    // hints keep them out (13 x 2 take 0.94), which is too little for a tile that is turned (1.5).
    const Annotation* unrolled = find_annotation(stmt->annotations, unroll_annotation);
    const bool has_room = machine.vector_bytes >= bytes_with_broadcasts &&
                          ((count + 1) * (vectors + 1) <= machine.vector_registers ||
                           (has_hints(*loop) && !has_turned_tile(draft.func())));
    const bool is_crowded = unrolled && unrolled->value == "1" && !has_room;
    if (is_crowded) continue;
    const std::int64_t extent = expr::as_integer(loop->extent).value_or(0);
    if (loop->kind != ForKind::Serial || extent < 2 || extent > widest_window ||
        extent * count * vectors > most_statements)
      continue;
    const std::string variable = loop->variable;
    Draft attempt = draft;
    if (!attempt.unroll(variable) || !attempt.skip_padding(sum, border, tile) ||
        !is_decided_in_tile(*find_block(attempt.func(), sum)) ||
        share_ruled_out(*find_block(attempt.func(), sum), {{tile, count}, {variable, extent}}) <
            worth_writing_out)
      continue;
    draft = std::move(attempt);
    return true;
  }
  return false;
}

}  // namespace

Result<void> skip_border(Draft& draft, const std::string& sum, const Machine& machine) {
  const Path path = TRY(find_block(draft.func(), sum));
  const Block* border = border_of(draft.func(), path.block());
  const For* loop = loop_to_ask_in(path);
  if (!border || !loop)
    return fail(Code::ScheduleIllegal, "there is no border, or no loop to ask in", sum);
  const std::string border_name = border->name, variable = loop->variable;
  if (skip_columns(draft, sum, border_name, machine)) return {};
  return draft.skip_padding(sum, border_name, variable);
}

}  // namespace loopglass::schedule
