#include "core/fusion/layer_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::fusion {

std::string layer_words(const Group& group, const graph::Graph& graph, std::size_t most) {
  const std::string& first = graph.node(group.nodes.front()).name;
  const auto scope_of = [](const std::string& name) { return name.find_last_of("./") + 1; };
  // Up to the last separator before which both are the same.
  const auto shared = [&](const std::string& name) {
    const auto end = std::ranges::mismatch(first, name).in2;
    return scope_of(name.substr(0, static_cast<std::size_t>(end - name.begin())));
  };
  const std::size_t shown = group.nodes.size() > most ? most - 1 : group.nodes.size();
  std::string words = first;
  for (std::size_t i = 1; i < shown; ++i) {
    const std::string& name = graph.node(group.nodes[i]).name;
    const std::size_t scope = shared(name);
    words += " + ";
    if (scope > 0 && scope < scope_of(first)) words += "…";
    words += name.substr(scope);
  }
  if (shown < group.nodes.size()) words += fmt::format(" + {} more", group.nodes.size() - shown);
  return words;
}

}  // namespace loopglass::fusion
