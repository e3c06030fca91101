// What Graphviz knows the parts of a graph by. Its own way are the addresses of their names, and
// since it takes clusters in that order, the same graph would be drawn a little differently every
// time. Here they are numbers in the order of making.
#pragma once

#include <graphviz/cgraph.h>

namespace loopglass::layout {

// For agopen(); lives as long as the process.
Agdisc_t* disciplines_with_numbers();

}  // namespace loopglass::layout
