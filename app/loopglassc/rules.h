// What `passes --rules` shows: the table of algebraic rewrite rules.
#pragma once

#include "app/loopglassc/command.h"

namespace loopglass::app {

// By class: name, before, after, and on what condition.
void print_rules(bool json);

}  // namespace loopglass::app
