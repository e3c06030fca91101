// Breakpoints as text: read, printed, in plain English, completed.
#include "core/pass/breakpoints.h"

#include "core/support/closest.h"
#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

namespace loopglass::pass {

namespace {

struct EventSpec {
  BreakEvent event;
  std::string_view name, doc;
  std::string_view verb;  // "a pass ... operators whose op is Conv"
};
constexpr EventSpec event_specs[] = {
    {BreakEvent::Create, "create", "a new operator enters the graph", "creates"},
    {BreakEvent::Remove, "remove", "an operator leaves the graph", "removes"},
    {BreakEvent::Change, "change",
     "an operator gets other inputs, attributes or types, or others take its place", "changes"},
    {BreakEvent::Fuse, "fuse", "an operator is taken into a kernel with others", "fuses"},
    {BreakEvent::Any, "any", "anything happens to an operator", "touches"},
};

const EventSpec& spec_of(BreakEvent event) {
  return *std::find_if(std::begin(event_specs), std::end(event_specs),
                       [&](const EventSpec& spec) { return spec.event == event; });
}

bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

std::unexpected<Diagnostic> error(TextCursor cursor, std::size_t at, std::string what,
                                  std::string hint) {
  cursor.rewind(at);
  auto failure = cursor.error(std::move(what));
  failure.error().hint = std::move(hint);
  return failure;
}

Result<BreakEvent> parse_event(TextCursor& cursor) {
  std::vector<std::string> names;
  for (const EventSpec& spec : event_specs) names.emplace_back(spec.name);
  const std::string all = fmt::format("there are: {}", fmt::join(names, ", "));
  const bool is_empty = cursor.at_end();
  const std::size_t begin = cursor.position();
  const auto word = cursor.accept_identifier();
  if (!word)
    return error(cursor, begin,
                 is_empty ? "a breakpoint begins with an event" : "expected an event", all);
  for (const EventSpec& spec : event_specs)
    if (spec.name == lower_case(*word)) return spec.event;
  const std::string meant = did_you_mean(*word, names);
  return error(cursor, begin, fmt::format("there is no event '{}'", *word),
               meant.empty() ? all : meant);
}

std::size_t after_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && !is_blank(text[end])) ++end;
  return text.substr(at, end - at);
}

// After the '@' at `at`: quoted, or all up to a blank.
Result<std::string> parse_node(std::string_view text, std::size_t at) {
  TextCursor cursor(text);
  std::string name(word_at(text, at));
  cursor.rewind(at + name.size());
  if (name.starts_with('"')) {
    cursor.rewind(at);
    name = TRY(cursor.quoted());
  }
  if (name.empty())
    return error(cursor, at, "expected a name after '@'", "the operator to watch, as in @conv1");
  if (const std::size_t end = after_blanks(text, cursor.position()); end < text.size())
    return error(cursor, end, "expected the end",
                 "a watchpoint is about one operator; a name with blanks stands in quotes");
  return name;
}

std::string node_text(const std::string& node) {
  const bool plain = node.front() != '"' && std::none_of(node.begin(), node.end(), is_blank);
  return "@" + (plain ? node : quote(node));
}

}  // namespace

std::string_view name(BreakEvent event) { return spec_of(event).name; }
std::string_view doc(BreakEvent event) { return spec_of(event).doc; }

Result<Breakpoint> parse_breakpoint(std::string_view text) {
  TextCursor cursor(text);
  Breakpoint breakpoint;
  breakpoint.event = TRY(parse_event(cursor));
  std::size_t at = after_blanks(text, cursor.position());
  if (const std::size_t in = at; word_at(text, in) == "in") {
    at = after_blanks(text, in + 2);
    breakpoint.pass = word_at(text, at);
    if (breakpoint.pass.empty()) return error(cursor, at, "expected the name of a pass", "");
    if (breakpoint.event == BreakEvent::Fuse)
      return error(cursor, in, "no graph pass fuses",
                   "fusion comes after the graph passes; leave out the pass");
    at = after_blanks(text, at + breakpoint.pass.size());
  }
  if (at < text.size() && text[at] == '@') breakpoint.node = TRY(parse_node(text, at + 1));
  else breakpoint.filter = TRY(graph::parse_node_filter(text, at));
  return breakpoint;
}

std::string to_text(const Breakpoint& breakpoint) {
  std::string text(name(breakpoint.event));
  if (!breakpoint.pass.empty()) text += " in " + breakpoint.pass;
  const std::string target =
      breakpoint.is_watchpoint() ? node_text(breakpoint.node) : to_text(breakpoint.filter);
  return target.empty() ? text : text + " " + target;
}

std::string in_words(const Breakpoint& breakpoint) {
  const std::string target =
      breakpoint.is_watchpoint()          ? fmt::format("{} or what became of it", breakpoint.node)
      : breakpoint.filter.is_everything() ? "any operator"
                                          : in_words(breakpoint.filter, graph::node_fields());
  const bool is_fusion = breakpoint.event == BreakEvent::Fuse;
  const std::string who = is_fusion                 ? "fusion"
                          : breakpoint.pass.empty() ? "a pass"
                                                    : breakpoint.pass;
  return fmt::format("when {} {} {}", who, spec_of(breakpoint.event).verb, target);
}

Completions complete_breakpoint(std::string_view text, std::size_t cursor,
                                std::span<const PassInfo> passes) {
  cursor = std::min(cursor, text.size());
  std::size_t begin = cursor, end = cursor;
  while (begin > 0 && !is_blank(text[begin - 1])) --begin;
  while (end < text.size() && !is_blank(text[end])) ++end;
  std::vector<std::string_view> words;  // before the one at hand
  for (std::size_t i = 0; i < begin;) {
    const std::size_t start = i;
    while (i < begin && !is_blank(text[i])) ++i;
    if (i > start) words.push_back(text.substr(start, i - start));
    while (i < begin && is_blank(text[i])) ++i;
  }
  const std::string typed = lower_case(text.substr(begin, cursor - begin));
  Completions found{begin, end, {}};
  const auto offer = [&](std::string_view name, std::string_view doc) {
    if (name.starts_with(typed)) found.items.push_back({std::string(name), std::string(doc)});
  };
  if (words.empty()) {
    for (const EventSpec& spec : event_specs) offer(spec.name, spec.doc);
    return found;
  }
  if (words.size() == 2 && words.back() == "in") {
    for (const PassInfo& pass : passes) offer(pass.name, pass.doc);
    return found;
  }
  if (typed.starts_with('@') || words.back().starts_with('@')) return found;
  return complete_filter(text, cursor, graph::node_fields());
}

}  // namespace loopglass::pass
