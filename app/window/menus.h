// The menu bar. Every action has a name, a key where it is used often, and one place: here.
#pragma once

#include <QKeySequence>

namespace loopglass::app {

class MainWindow;

// Menus of this name have models, which the locator finds by themselves.
inline constexpr const char* models_menu = "models";

void build_menus(MainWindow& window);
QKeySequence quit_key();

}  // namespace loopglass::app
