// Undo and redo of the window where something that has an undo of its own has the keys.
#pragma once

class QLineEdit;
class QSpinBox;
class QsciScintilla;

namespace loopglass::views {

// What is typed into takes the keys of undo and redo for its own text, also where there is nothing
// of it to take back: then they are the window's.
void pass_on_undo(QLineEdit* line);
void pass_on_undo(QSpinBox* box);
void pass_on_undo(QsciScintilla* editor);

}  // namespace loopglass::views
