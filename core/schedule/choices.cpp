#include "core/schedule/choices.h"

#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule::choices {

using namespace loop;

namespace {

using Before = std::span<const Argument>;

std::vector<Argument> names(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

std::vector<Argument> numbers_below(std::size_t end) {
  std::vector<Argument> numbers;
  for (std::size_t k = 0; k < end; ++k) numbers.emplace_back(static_cast<std::int64_t>(k));
  return numbers;
}

std::string first_name(Before before) {
  const std::string* name = before.empty() ? nullptr : std::get_if<std::string>(&before[0]);
  return name ? *name : "";
}

std::vector<std::string> all_loops(const Func& func) {
  std::vector<std::string> loops;
  loop::walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = loop::as<For>(stmt)) loops.push_back(node->variable);
  });
  return loops;
}

std::vector<std::string> loops_around_block(const Func& func, const std::string& block) {
  const auto path = find_block(func, block);
  std::vector<std::string> loops;
  if (path)
    for (const For* node : path->loops()) loops.push_back(node->variable);
  return loops;
}

// The loops that stand in `node` one in another, with nothing beside them.
std::vector<std::string> chain_inside(const For& node) {
  std::vector<std::string> loops;
  for (const For* inner = loop::as<For>(node.body); inner; inner = loop::as<For>(inner->body))
    loops.push_back(inner->variable);
  return loops;
}

template <class Visit>
void each_loop(const Func& func, const Visit& visit) {
  loop::walk(func.body, [&](const Stmt& stmt) {
    if (const For* node = loop::as<For>(stmt)) visit(*node);
  });
}

std::vector<std::string> own_buffers(const Func& func, bool constants_too) {
  std::vector<std::string> buffers;
  for (const Buffer& buffer : loop::buffers_of(func))
    if (buffer.role == loop::Role::Intermediate ||
        (constants_too && buffer.role == loop::Role::Constant))
      buffers.push_back(buffer.name);
  return buffers;
}

}  // namespace

Choices these(std::vector<Argument> arguments) {
  return [arguments = std::move(arguments)](const Func&, Before) { return arguments; };
}

Choices scopes() {
  std::vector<Argument> list;
  for (const loop::Scope scope : loop::own_scopes) list.emplace_back(std::string(name(scope)));
  return these(std::move(list));
}

Choices launch_axes() {
  std::vector<Argument> list;
  for (const loop::ForKind kind : loop::all_for_kinds)
    if (loop::is_launch_axis(kind)) list.emplace_back(std::string(name(kind)));
  return these(std::move(list));
}

Choices factors() {
  return [](const Func& func, Before before) {
    std::vector<Argument> list;
    const auto path = find_loop(func, first_name(before));
    if (!path) return list;
    const auto extent = expr::as_integer(path->loop().extent);
    for (const std::int64_t factor : {2, 4, 8, 16, 32, 64})
      if (!extent || factor < *extent) list.emplace_back(std::vector<std::int64_t>{-1, factor});
    return list;
  };
}

Choices parts() {
  using Numbers = std::vector<std::int64_t>;
  return these({Numbers{1, -1}, Numbers{-1, 1}, Numbers{1, -1, 1}});
}

Choices loops_around() {
  return [](const Func& func, Before before) {
    return names(loops_around_block(func, first_name(before)));
  };
}

Choices loops_elsewhere() {
  return [](const Func& func, Before before) {
    const std::vector<std::string> around = loops_around_block(func, first_name(before));
    std::vector<std::string> loops = all_loops(func);
    std::erase_if(loops, [&](const std::string& variable) {
      return std::find(around.begin(), around.end(), variable) != around.end();
    });
    return names(loops);
  };
}

Choices buffers_read() {
  return [](const Func& func, Before before) {
    std::vector<std::string> buffers;
    if (const auto path = find_block(func, first_name(before)))
      for (const Buffer& buffer : loop::buffers_of(func))
        if (reads(path->block(), buffer.name)) buffers.push_back(buffer.name);
    return names(buffers);
  };
}

Choices axes() {
  return [](const Func& func, Before before) {
    const auto path = find_block(func, first_name(before));
    return numbers_below(path ? path->block().iters.size() : 0);
  };
}

Choices dimensions_stored() {
  return [](const Func& func, Before before) {
    const auto path = find_block(func, first_name(before));
    const loop::Store* store = path ? only_store(path->block()) : nullptr;
    return numbers_below(store ? store->indices.size() + 1 : 0);
  };
}

Choices loops_directly_inside() {
  return [](const Func& func, Before before) {
    const auto path = find_loop(func, first_name(before));
    return path ? names(chain_inside(path->loop())) : std::vector<Argument>{};
  };
}

Choices loop_directly_behind() {
  return [](const Func& func, Before before) {
    std::vector<std::string> behind;
    loop::walk(func.body, [&](const Stmt& stmt) {
      const loop::Seq* sequence = loop::as<loop::Seq>(stmt);
      for (std::size_t i = 0; sequence && i + 1 < sequence->statements.size(); ++i) {
        const For* node = loop::as<For>(sequence->statements[i]);
        const For* next = loop::as<For>(sequence->statements[i + 1]);
        if (node && next && node->variable == first_name(before)) behind.push_back(next->variable);
      }
    });
    return names(behind);
  };
}

Choices exchanged_pairs() {
  return [](const Func& func, Before) {
    std::vector<Argument> pairs;
    each_loop(func, [&](const For& outer) {
      for (const std::string& inner : chain_inside(outer))
        pairs.emplace_back(std::vector<std::string>{inner, outer.variable});
    });
    return pairs;
  };
}

Choices adjoining_pairs() {
  return [](const Func& func, Before) {
    std::vector<Argument> pairs;
    each_loop(func, [&](const For& outer) {
      if (const For* inner = loop::as<For>(outer.body))
        pairs.emplace_back(std::vector<std::string>{outer.variable, inner->variable});
    });
    return pairs;
  };
}

Choices allocations() {
  return [](const Func& func, Before) { return names(own_buffers(func, false)); };
}

Choices rearrangeable() {
  return [](const Func& func, Before) { return names(own_buffers(func, true)); };
}

Choices layouts() {
  return [](const Func& func, Before before) {
    std::vector<Argument> maps;
    const std::vector<Buffer> buffers = loop::buffers_of(func);
    const Buffer* buffer = loop::find_buffer(buffers, first_name(before));
    const std::size_t rank = buffer ? buffer->shape.size() : 0;
    if (rank > 26) return maps;
    std::vector<std::string> letters;
    for (std::size_t d = 0; d < rank; ++d) letters.emplace_back(1, static_cast<char>('a' + d));
    const auto map_to = [&](const std::vector<std::string>& after) {
      maps.emplace_back(fmt::format("{} -> {}", fmt::join(letters, " "), fmt::join(after, " ")));
    };
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      std::vector<std::string> after = letters;
      std::swap(after[d], after[d + 1]);
      map_to(after);
    }
    for (std::size_t d = 0; d < rank; ++d) {
      std::vector<std::string> after = letters;
      after[d] += "/8";
      after.push_back(letters[d] + "%8");
      map_to(after);
    }
    return maps;
  };
}

}  // namespace loopglass::schedule::choices
