// The two small windows of the help menu.
#pragma once

namespace loopglass::app {

class MainWindow;

// Every action of the menus that has a key, and the panes' own keys; read from the menus and from
// the tables that panes act by, so it cannot be out of date.
void show_keys(MainWindow& window);
void show_about(MainWindow& window);

}  // namespace loopglass::app
