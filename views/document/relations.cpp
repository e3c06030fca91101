#include "views/document/relations.h"

#include <algorithm>

namespace loopglass::views {

namespace {

// "}" and "} else {" carry the origin of everything they close, but do no work.
bool is_brace(const loop::Line& line) {
  const std::size_t first = line.text.find_first_not_of(' ');
  return first == std::string::npos || line.text[first] == '}';
}

}  // namespace

std::set<int> lines_of_origin(const loop::Listing& listing, const std::set<graph::NodeId>& nodes) {
  std::set<int> found;
  // Statements that enclose the current line, and whether all work in them is ours so far.
  struct Open {
    int line, last;
    bool any = false, all = true;
  };
  std::vector<Open> open;
  const auto close = [&] {
    const Open closed = open.back();
    open.pop_back();
    if (closed.any && closed.all) found.insert({closed.line, closed.last});
    if (open.empty()) return;
    open.back().any |= closed.any;
    open.back().all &= closed.all;
  };
  const int count = static_cast<int>(listing.lines.size());
  for (int number = 1; number <= count; ++number) {
    const loop::Line& line = listing.lines[static_cast<std::size_t>(number - 1)];
    while (!open.empty() && open.back().last < number) close();
    if (line.last > number) {
      open.push_back({number, line.last});
      continue;
    }
    if (is_brace(line) || line.origin.sources.empty()) continue;
    const auto& sources = line.origin.sources;
    const bool ours = std::any_of(sources.begin(), sources.end(), [&](std::uint32_t s) {
      return nodes.contains(graph::NodeId{s});
    });
    if (ours) found.insert(number);
    if (open.empty()) continue;
    open.back().any |= ours;
    open.back().all &= ours;
  }
  while (!open.empty()) close();
  return found;
}

std::set<int> lines_of_statement(const loop::Listing& listing, int line) {
  std::set<int> found;
  if (line < 1 || line > static_cast<int>(listing.lines.size())) return found;
  const int last = std::max(line, listing.lines[static_cast<std::size_t>(line - 1)].last);
  for (int number = line; number <= last; ++number) found.insert(number);
  return found;
}

int line_of_entity(const loop::Listing& listing, const std::string& entity) {
  if (entity.empty()) return 0;
  for (std::size_t i = 0; i < listing.lines.size(); ++i)
    if (listing.lines[i].entity == entity) return static_cast<int>(i) + 1;
  return 0;
}

std::vector<int> lines_from(const std::vector<codegen::SourceLine>& lines,
                            const std::set<int>& loop_lines) {
  std::vector<int> found;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].loop_line != 0 && loop_lines.contains(lines[i].loop_line))
      found.push_back(static_cast<int>(i) + 1);
  return found;
}

std::set<graph::NodeId> nodes_of(const Origin& origin) {
  std::set<graph::NodeId> nodes;
  for (const std::uint32_t source : origin.sources) nodes.insert(graph::NodeId{source});
  return nodes;
}

}  // namespace loopglass::views
