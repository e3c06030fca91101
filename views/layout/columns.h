// A drawing that is much taller than the view cut into columns, to be read like a page: down the
// first, then down the next. Cuts lie where no box is, and where few edges pass. An edge that goes
// on in the next column runs out at the foot, up between the two, and in at the top; one that goes
// further ends in a stub that names where it leads.
#pragma once

#include "views/layout/layout.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace loopglass::layout {

struct Columns {
  // Where each column begins and where all of them end, in the drawing that was cut: one more than
  // there are columns.
  std::vector<double> cuts;
  std::vector<double> lefts, rights;  // of what is in each column, in that drawing
  std::size_t count() const { return cuts.empty() ? 1 : cuts.size() - 1; }
};

// In which a height of the drawing that was cut is.
std::size_t column_at(const Columns& columns, double y);

// Those in which the whole is largest in a view of this width and height; one column where more
// would not make it a third larger. `boxes` are the sizes of the layout's nodes.
Columns choose_columns(const Layout& layout, const std::vector<Node>& boxes, double width,
                       double height);
// Those of another drawing of much the same: the cuts lie where most of what it has too stands in
// the column that it has there. `wanted` says which, of each of the layout's nodes; nullopt: it is
// not there.
Columns columns_like(const Layout& layout, const std::vector<Node>& boxes,
                     const std::vector<std::optional<std::size_t>>& wanted);

// The drawing, or a part of it that stands where the whole stands, in these columns.
Layout in_columns(Layout layout, const Columns& columns);

}  // namespace loopglass::layout
