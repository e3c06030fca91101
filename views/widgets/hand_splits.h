// Panes beside one another that a person parted as they are: no view parts them anew, and how they
// lie can be kept and come back.
#pragma once

#include <QList>

class QSplitter;

namespace loopglass::views {

// From now on what a hand does to the splitter is known.
void watch_split(QSplitter& splitter);
bool is_by_hand(const QSplitter& splitter);
// Counts as by hand.
void part_by_hand(QSplitter& splitter, const QList<int>& sizes);

}  // namespace loopglass::views
