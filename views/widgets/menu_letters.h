// Letters by which the entries of a menu are chosen on the keyboard.
#pragma once

class QMenu;

namespace loopglass::views {

// Each entry that has none gets a letter or digit of its name that no other entry has: where a word
// begins, if it can be. Those for which nothing is left stay without.
void give_letters(QMenu& menu);

}  // namespace loopglass::views
