#include "core/tune/layouts.h"

#include "core/expr/condition.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/regions.h"
#include "core/script/replayer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

using expr::Expr;

std::string_view name(Layout layout) {
  switch (layout) {
    case Layout::None: return "nl";
    case Layout::AtRunTime: return "lr";
    case Layout::AtCompileTime: return "lc";
    case Layout::Adaptive: return "al";
  }
  return "unknown";
}

std::string_view doc(Layout layout) {
  switch (layout) {
    case Layout::None: return "programs are judged with constants as they are";
    case Layout::AtRunTime: return "judged with the time that it takes to lay constants out";
    case Layout::AtCompileTime: return "judged on constants that have been laid out for them";
    case Layout::Adaptive: return "nl, lr and lc one after another, in the proportion 5 : 5 : 6";
  }
  return "";
}

std::optional<Layout> layout_named(std::string_view text) {
  for (const Layout layout : all_layouts)
    if (name(layout) == text) return layout;
  return std::nullopt;
}

Layout layout_at(Layout strategy, double share) {
  if (strategy != Layout::Adaptive) return strategy;
  return share < 5.0 / 16    ? Layout::None
         : share < 10.0 / 16 ? Layout::AtRunTime
                             : Layout::AtCompileTime;
}

namespace {

// A loop's part of a dimension: the index goes `step` further each time, `extent` times.
struct Part {
  std::size_t loop, dimension;
  std::int64_t step, extent;
};

// How the loops walk through the dimensions; nullopt where it is not by plain steps. Loops
// outermost first.
std::optional<std::vector<Part>> parts_of(const loop::Access& access) {
  std::vector<Part> parts;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    const expr::Linear form = expr::linear(access.indices[d]);
    for (const auto& [atom, coefficient] : form.terms) {
      const auto* variable = atom.as<expr::Variable>();
      const auto loop = std::ranges::find_if(access.loops, [&](const loop::For* node) {
        return variable && node->variable == variable->name;
      });
      if (loop == access.loops.end() || coefficient <= 0) return std::nullopt;
      const auto extent = expr::as_integer((*loop)->extent);
      if (!extent) return std::nullopt;
      if (*extent > 1)
        parts.push_back(
            {static_cast<std::size_t>(loop - access.loops.begin()), d, coefficient, *extent});
    }
  }
  std::ranges::stable_sort(parts, {}, &Part::loop);
  return parts;
}

// The two-way cut of each dimension that follows the loops best: a map has one cut a dimension
// (schedule/layout_map.h), so the parts inside the innermost turning loops are one.
std::optional<std::string> map_of(const loop::Access& access, const std::vector<Part>& parts) {
  const std::size_t rank = access.indices.size();
  std::vector<std::int64_t> cut(rank, 0);
  // The innermost part of each dimension: what it spans is what lies together.
  for (std::size_t d = 0; d < rank; ++d) {
    std::vector<const Part*> own;
    for (const Part& part : parts)
      if (part.dimension == d) own.push_back(&part);
    if (own.size() < 2) continue;
    const auto smallest = std::ranges::min_element(own, {}, [](const Part* p) { return p->step; });
    if ((*smallest)->step != 1) return std::nullopt;
    cut[d] = (*smallest)->extent;
  }
  // In the order of the loops: a cut dimension's outer part where its outermost loop is.
  std::vector<std::string> order;
  std::vector<bool> outer_done(rank, false), inner_done(rank, false);
  const auto put = [&](std::size_t d, bool inner) {
    if (cut[d] == 0) {
      if (!outer_done[d]) order.push_back(fmt::format("d{}", d));
      outer_done[d] = inner_done[d] = true;
    } else if (inner && !inner_done[d]) {
      order.push_back(fmt::format("d{}%{}", d, cut[d]));
      inner_done[d] = true;
    } else if (!inner && !outer_done[d]) {
      order.push_back(fmt::format("d{}/{}", d, cut[d]));
      outer_done[d] = true;
    }
  };
  // Dimensions that no loop moves come first.
  for (std::size_t d = 0; d < rank; ++d)
    if (std::ranges::none_of(parts, [&](const Part& p) { return p.dimension == d; })) put(d, false);
  for (const Part& part : parts) put(part.dimension, part.step == 1 && cut[part.dimension] > 0);
  for (std::size_t d = 0; d < rank; ++d) {
    put(d, false);
    put(d, true);
  }
  std::vector<std::string> names;
  for (std::size_t d = 0; d < rank; ++d) names.push_back(fmt::format("d{}", d));
  if (order == names) return std::nullopt;
  return fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(order, " "));
}

}  // namespace

schedule::Scheduled laid_out(const schedule::Scheduled& scheduled) {
  schedule::Scheduled result = scheduled;
  for (const loop::Buffer& parameter : scheduled.func.parameters) {
    if (parameter.role != loop::Role::Constant || parameter.packing || parameter.shape.size() < 2)
      continue;
    const loop::Access* read = nullptr;
    const auto accesses = loop::accesses_of(result.func.body);
    for (const loop::Access& access : accesses)
      if (access.buffer == parameter.name && !access.is_store &&
          (!read || access.loops.size() > read->loops.size()))
        read = &access;
    const auto parts = read ? parts_of(*read) : std::nullopt;
    const auto map = parts ? map_of(*read, *parts) : std::nullopt;
    if (!map) continue;
    const schedule::Instruction line{{}, "transform_layout", {parameter.name, *map}};
    schedule::Replayer replayer(result.func);
    if (!replayer.run(line)) continue;
    result.trace.instructions.push_back(line);
    result.func = replayer.func();
  }
  return result;
}

std::vector<loop::Func> layout_kernels(const loop::Func& func) {
  std::vector<loop::Func> kernels;
  for (const loop::Buffer& parameter : func.parameters) {
    if (!parameter.packing) continue;
    const loop::Packing& packing = *parameter.packing;
    loop::Buffer from = parameter, to = parameter;
    from.role = loop::Role::Input;
    from.packing.reset();
    from.shape.clear();
    for (const std::int64_t extent : packing.original_shape) from.shape.emplace_back(extent);
    to.name = parameter.name + "_laid_out";
    to.role = loop::Role::Output;
    to.packing.reset();
    loop::Block block{to.name, {}, {}, {}, {}, nullptr, nullptr, {}, {}};
    std::vector<Expr> at;
    for (std::size_t d = 0; d < to.shape.size(); ++d) {
      const std::string iter = fmt::format("d{}", d);
      block.iters.push_back({iter, to.shape[d], false, expr::variable("l" + iter)});
      at.push_back(expr::variable(iter));
    }
    Expr inside;
    for (std::size_t d = 0; d < packing.source.size(); ++d)
      inside = expr::conjunction(inside, packing.source[d] < Expr(packing.original_shape[d]));
    const Expr element = expr::load(from.type, from.name, packing.source);
    const Expr value =
        inside.defined() ? expr::select(inside, element, expr::constant(from.type, 0)) : element;
    block.body = loop::make(loop::Store{to.name, at, value, {}});
    const std::vector<loop::Buffer> buffers{from, to};
    loop::Stmt body = loop::make(loop::with_regions(std::move(block), buffers));
    for (std::size_t d = to.shape.size(); d-- > 0;)
      body =
          loop::make(loop::For{fmt::format("ld{}", d), to.shape[d], loop::ForKind::Serial, body});
    kernels.push_back({"lay_out_" + parameter.name, func.symbols, buffers, body});
  }
  return kernels;
}

}  // namespace loopglass::tune
