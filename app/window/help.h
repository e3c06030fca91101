// The two small windows of the help menu.
#pragma once

namespace loopglass::app {

class MainWindow;

// Every action of the menus that has a key; read from the menus, so it cannot be out of date.
void show_keys(MainWindow& window);
void show_about(MainWindow& window);

}  // namespace loopglass::app
