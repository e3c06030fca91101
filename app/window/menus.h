// The menu bar. Every action has a name, a key where it is used often, and one place: here.
#pragma once

namespace loopglass::app {

class MainWindow;

void build_menus(MainWindow& window);

}  // namespace loopglass::app
