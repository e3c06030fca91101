#include "core/fusion/layer_words.h"

#include <fmt/format.h>

namespace loopglass::fusion {

std::string layer_words(const Group& group, const graph::Graph& graph, std::size_t most) {
  const std::string& first = graph.node(group.nodes.front()).name;
  const std::size_t end = first.find_last_of("./");
  const std::string scope = end == std::string::npos ? "" : first.substr(0, end + 1);
  const std::size_t shown = group.nodes.size() > most ? most - 1 : group.nodes.size();
  std::string words = first;
  for (std::size_t i = 1; i < shown; ++i) {
    const std::string& name = graph.node(group.nodes[i]).name;
    const bool shared = name.size() > scope.size() && name.starts_with(scope);
    words += " + " + (shared ? name.substr(scope.size()) : name);
  }
  if (shown < group.nodes.size()) words += fmt::format(" + {} more", group.nodes.size() - shown);
  return words;
}

}  // namespace loopglass::fusion
