// What Graphviz knows the parts of a graph by. Its own way are the addresses of their names, and
// since it takes clusters in that order, the same graph would be drawn a little differently every
// time. Here they are numbers in the order of making.
#pragma once

struct Agdisc_s;  // Graphviz's Agdisc_t

namespace loopglass::layout {

// For agopen(); lives as long as the process.
Agdisc_s* disciplines_with_numbers();

}  // namespace loopglass::layout
