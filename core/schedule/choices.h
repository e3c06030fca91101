// What primitives offer as arguments, before anybody has said anything: the values of a menu, and
// the completions of an editor. Whether a call with them is legal is another question.
#pragma once

#include "core/schedule/primitive.h"

namespace loopglass::schedule::choices {

using Choices = decltype(Parameter::choices);

// Whatever was chosen before.
Choices these(std::vector<Argument> arguments);
// Scopes and axes, by name.
Choices scopes();
Choices launch_axes();
// Powers of two that are less than the extent of the loop chosen first, as factors of a split.
Choices factors();
// The first iteration, the last one, or both by themselves.
Choices parts();
// Of the block chosen first: loops around it, loops around others, what it reads, the numbers of
// its axes and of the dimensions of what it stores to.
Choices loops_around();
Choices loops_elsewhere();
Choices buffers_read();
Choices axes();
Choices dimensions_stored();
// Loops with nothing but loops between them and the loop chosen first, which is around them.
Choices loops_directly_inside();
// The loop that stands directly behind the one chosen first, if there is one.
Choices loop_directly_behind();
// Pairs of loops with nothing but loops between them, inside out or outside in.
Choices exchanged_pairs();
Choices adjoining_pairs();
// Buffers whose memory is the kernel's own; with constants.
Choices allocations();
Choices rearrangeable();
// Two dimensions exchanged, or one cut by 8 and the rest of it put last, of the buffer chosen
// first.
Choices layouts();

}  // namespace loopglass::schedule::choices
