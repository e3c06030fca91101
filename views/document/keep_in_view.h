// A view of rows whose current row stays in view when something beside it takes room.
#pragma once

class QAbstractItemView;

namespace loopglass::views {

// Unless one has scrolled it out of view.
void keep_current_in_view(QAbstractItemView* rows);

}  // namespace loopglass::views
