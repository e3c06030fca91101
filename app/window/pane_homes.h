// Where panes that a workspace does not show come up when somebody asks for one: as a tab behind a
// pane of the same kind.
#pragma once

#include "app/window/panes.h"

namespace loopglass::app {

// Every pane that is not shown gets its place behind one that is, and stays hidden. A pane without
// a place would come up loose, above the tool bar, and be lost from what QMainWindow saves.
void put_away_hidden(QMainWindow& window, const Panes& panes);

}  // namespace loopglass::app
