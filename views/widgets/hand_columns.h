// Columns of a table that a person made as wide as they are: nothing that fits columns to what they
// show touches them any more, and they can be kept and come back.
#pragma once

#include <QVariantList>

class QHeaderView;

namespace loopglass::views {

// From now on what a hand does to the header's columns is known.
void watch_columns(QHeaderView& header);
bool is_by_hand(const QHeaderView& header, int column);

// 0 for all others. What is set counts as by hand.
QVariantList hand_widths(const QHeaderView& header);
void set_hand_widths(QHeaderView& header, const QVariantList& widths);

}  // namespace loopglass::views
