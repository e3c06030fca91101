// Breakpoints and watchpoints over a recorded history. Nothing has to run: everything is recorded,
// so to "run until" is to look for the next position at which something happened.
//
//   create op=Conv          a Conv is made             remove name~bn        change @conv1
//   any in simplify @conv1  whatever simplify does to conv1 or what became of it
//   fuse op=Relu            a Relu is taken into a group with others (see
//   core/fusion/breakpoints.h)
#pragma once

#include "core/graph/node_filter.h"
#include "core/pass/node_history.h"

namespace loopglass::pass {

enum class BreakEvent : std::uint8_t {
  Create,  // a new node enters the graph
  Remove,  // a node leaves it
  Change,  // a node gets other inputs, attributes or types, or others take its place
  Fuse,    // a node is taken into a kernel with others
  Any,
};
std::string_view name(BreakEvent event);  // "create", ...
std::string_view doc(BreakEvent event);   // one sentence, for menus

struct Breakpoint {
  BreakEvent event = BreakEvent::Any;
  // Exactly one of these: a watchpoint on one node, by name, which follows it through whatever it
  // becomes; or all nodes that a filter picks out (before or after the event).
  std::string node;
  Filter filter;
  std::string pass;     // only in this pass; empty: in any
  bool enabled = true;  // not part of the text

  bool is_watchpoint() const { return !node.empty(); }
  friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};

// EVENT ["in" PASS] ( "@" NAME | FILTER ); a NAME with blanks stands in quotes, and "@#12" is a
// node by its id. TextMalformed with a caret and a hint. Whether there is such a pass is not asked
// here.
Result<Breakpoint> parse_breakpoint(std::string_view text);
std::string to_text(const Breakpoint& breakpoint);
// "when a pass creates operators whose op is Conv"
std::string in_words(const Breakpoint& breakpoint);

// What may be typed at the cursor: events, then passes and fields.
Completions complete_breakpoint(std::string_view text, std::size_t cursor,
                                std::span<const PassInfo> passes);

// What a breakpoint found.
struct Hit {
  std::size_t breakpoint = 0;  // index of the list asked with
  BreakEvent event;            // never Any
  graph::NodeId node;
  std::string name;      // the node's, at that moment
  std::string rule;      // empty where the pass did not say
  std::string sentence;  // "fold-batch-norm removes bn1 (batch-norm-into-conv): ..."
};
struct Stop {
  Position position;                   // just after it happened
  std::optional<std::size_t> rewrite;  // of the step, from 0; none: the pass did not say
  std::vector<Hit> hits;               // at least one
};

enum class Direction : std::uint8_t { Forward, Backward };

// The next position after (before) `from` at which a breakpoint hits; none: to the end of the
// history. `fuse` breakpoints hit after its end: see core/fusion/breakpoints.h.
std::optional<Stop> next_stop(const NodeHistory& nodes, const std::vector<Breakpoint>& breakpoints,
                              Position from, Direction direction = Direction::Forward);
// In order.
std::vector<Stop> all_stops(const NodeHistory& nodes, const std::vector<Breakpoint>& breakpoints);

// The nodes a watchpoint on `name` watches: all that ever had the name, and what became of them.
std::vector<graph::NodeId> watched(const NodeHistory& nodes, const std::string& name);

}  // namespace loopglass::pass
