// The card of an edge as text.
#include "core/fusion/edge_card.h"
#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>

namespace loopglass::fusion {

namespace {

std::string loop_text(const SketchedLoop& loop) {
  return loop.extent ? fmt::format("{} {}", loop.role, *loop.extent) : loop.role;
}

std::string nest_text(const SketchedNest& nest, std::string_view touching) {
  std::string text = loops_text(nest);
  if (!nest.touches) return text;
  const std::string walks = walks_text(nest);
  return fmt::format("{}  [{}{}{}]", text, touching, walks.empty() ? "" : ": ", walks);
}

std::string nests_text(const EdgeCard& card, const graph::Graph& graph) {
  const CardNests& nests = card.nests;
  if (!nests.missing.empty()) return fmt::format("    loops: {}\n", nests.missing);
  std::string text;
  for (const auto& [node, each, touching] :
       {std::tuple{card.producer, &nests.producer, "writes it"},
        {card.consumer, &nests.consumer, "reads it"}}) {
    const std::string& name = graph.node(node).name;
    if (each->empty())
      text += fmt::format("    loops of {}: none, it hands on its operand\n", name);
    for (const SketchedNest& nest : *each)
      text += fmt::format("    loops of {}{}: {}\n", name,
                          each->size() > 1 ? fmt::format(" (%{})", nest.tensor) : "",
                          nest_text(nest, touching));
  }
  for (const SketchedNest& nest : nests.shared)
    text += fmt::format("    loops of both{}: {}\n",
                        nests.shared.size() > 1 ? fmt::format(" (%{})", nest.tensor) : "",
                        loops_text(nest));
  return text + fmt::format("    {}\n", nests.sentence);
}

std::string_view read_words(std::optional<PatternKind> read) {
  if (!read) return "no element of it";
  switch (*read) {
    case PatternKind::Elementwise: return "it element by element";
    case PatternKind::Broadcast: return "it in order, once or again along axes that it has not";
    case PatternKind::Injective: return "it at other places, or at several";
    case PatternKind::CommReduce: return "each element of it once, and reduces them";
    case PatternKind::OutElementwiseFusable:
      return "it in a reduction and for several results: computed where it is read, it would be "
             "computed again for each";
    case PatternKind::Tuple:
    case PatternKind::Opaque: break;
  }
  return "it in a way that is not known";
}

std::string path_text(const EdgeCard& card, const graph::Graph& graph) {
  const CardPath& path = card.path;
  if (path.stops.empty()) return fmt::format("    path: {}\n", path.missing);
  std::string text = "    path:";
  for (const CardPath::Stop& stop : path.stops)
    text += fmt::format("{} {} ({})", stop.edge ? fmt::format(" -[{}]->", name(*stop.edge)) : "",
                        graph.node(stop.node).name, name(stop.kind));
  if (path.between.size() > path.stops.size())
    text += fmt::format(", and {} more on other ways", path.between.size() - path.stops.size());
  return text + "\n";
}

std::string traffic_text(const EdgeCard& card) {
  if (!card.traffic)
    return "    bytes: of an operator that is not known nobody can say what a kernel of both would "
           "move\n";
  const auto line = [](std::string_view label, const Traffic& moved) {
    return fmt::format(
        "    {}: {} of intermediates written, {} read; workspace {} written, {} read\n", label,
        readable_bytes(moved.written), readable_bytes(moved.read), readable_bytes(moved.kept),
        readable_bytes(moved.read_back));
  };
  return line("apart", card.traffic->apart) + line("together", card.traffic->together);
}

std::string steps_text(const EdgeCard& card, const Plan& told) {
  if (card.steps.events.empty()) return fmt::format("    steps: {}\n", card.steps.missing);
  std::string text;
  for (const std::size_t event : card.steps.events)
    text += fmt::format("    step {}: {}: {}\n", event + 1, name(told.events[event].kind),
                        told.events[event].sentence);
  return text;
}

}  // namespace

std::string again_sentence(const EdgeCard& card, const graph::Graph& graph) {
  const CardNests& nests = card.nests;
  if (!nests.times_read || *nests.times_read < 1.005) return "";
  std::vector<std::string> repeats, windows;
  for (const SketchedNest& nest : nests.consumer) {
    if (!nest.touches) continue;
    for (const SketchedLoop& loop : nest.loops)
      if (loop.walk == Walk::Repeats) repeats.push_back(loop_text(loop));
      else if (loop.walk == Walk::Window && loop.reduction) windows.push_back(loop_text(loop));
  }
  std::string why;
  if (!repeats.empty()) why += fmt::format("for each of {}", fmt::join(repeats, " x "));
  if (!windows.empty())
    why += fmt::format("{}in windows that overlap, {}", why.empty() ? "" : " and ",
                       fmt::join(windows, " x "));
  return fmt::format(
      "Each element is read {:.4g} times{}: as often one nest would compute it, or keep what a "
      "tile "
      "needs of it{}; the whole is {}.",
      *nests.times_read, why.empty() ? "" : " (" + why + ")",
      windows.empty() ? "" : " with a halo around",
      readable_bytes(graph.value(card.value).type.bytes()));
}

std::string loops_text(const SketchedNest& nest) {
  std::vector<std::string> spatial, reduced;
  for (const SketchedLoop& loop : nest.loops)
    (loop.reduction ? reduced : spatial).push_back(loop_text(loop));
  std::string text =
      nest.loops.empty() ? "none, it is one element" : fmt::format("{}", fmt::join(spatial, ", "));
  if (!reduced.empty())
    text += fmt::format("{}reduces {}", spatial.empty() ? "" : "; ", fmt::join(reduced, ", "));
  return text;
}

std::string walks_text(const SketchedNest& nest) {
  constexpr std::array words{std::pair{Walk::Elements, "element by element along"},
                             std::pair{Walk::Window, "by a window along"},
                             std::pair{Walk::Elsewhere, "elsewhere along"},
                             std::pair{Walk::Repeats, "again for each of"}};
  std::vector<std::string> parts;
  for (const auto& [walk, word] : words) {
    std::vector<std::string> roles;
    for (const SketchedLoop& loop : nest.loops)
      if (loop.walk == walk) roles.push_back(loop.role);
    if (!roles.empty()) parts.push_back(fmt::format("{} {}", word, fmt::join(roles, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string read_sentence(std::string_view consumer, std::optional<PatternKind> read) {
  return fmt::format("{} reads {}.", consumer, read_words(read));
}

std::string to_text(const EdgeCard& card, const EdgeCards& cards) {
  const graph::Graph& graph = cards.graph();
  std::string text = nests_text(card, graph);
  if (card.nests.missing.empty())
    for (const std::string& sentence :
         {read_sentence(graph.node(card.consumer).name, card.kinds.read),
          again_sentence(card, graph)})
      if (!sentence.empty()) text += fmt::format("    {}\n", sentence);
  text += fmt::format("    kinds: {} {}, {} {}, edge {}{}\n", graph.node(card.producer).name,
                      name(card.kinds.producer), graph.node(card.consumer).name,
                      name(card.kinds.consumer), name(card.kinds.edge),
                      card.kinds.path ? fmt::format(", path {}", name(*card.kinds.path)) : "");
  return text + path_text(card, graph) + traffic_text(card) + steps_text(card, *cards.told());
}

}  // namespace loopglass::fusion
