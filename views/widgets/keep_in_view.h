// A view of rows whose current row stays in view when something beside it takes room, or when the
// view gets its room only after its rows.
#pragma once

class QAbstractItemView;

namespace loopglass::views {

// Unless one has scrolled it out of view. The view has its model already.
void keep_current_in_view(QAbstractItemView* rows);

}  // namespace loopglass::views
