// The menu bar. Every action has a name, a key where it is used often, and one place: here.
#pragma once

#include <QKeySequence>

namespace loopglass::app {

class MainWindow;

void build_menus(MainWindow& window);
QKeySequence quit_key();

}  // namespace loopglass::app
