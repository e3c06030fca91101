// Undo and redo of the window where a number box has the keys.
#pragma once

class QSpinBox;

namespace loopglass::views {

// A box takes the keys of undo and redo for its own text, also where there is nothing of it to take
// back: then they are the window's.
void pass_on_undo(QSpinBox* box);

}  // namespace loopglass::views
