// The bookmarks of a model in a list, to be renamed, removed and gone to.
#pragma once

namespace loopglass::app {

class MainWindow;

void show_bookmarks(MainWindow& window);

}  // namespace loopglass::app
