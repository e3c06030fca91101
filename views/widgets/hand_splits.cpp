#include "views/widgets/hand_splits.h"

#include <QSplitter>

namespace loopglass::views {
namespace {

constexpr const char* parted_property = "partedByHand";

}  // namespace

void watch_split(QSplitter& splitter) {
  QObject::connect(&splitter, &QSplitter::splitterMoved, &splitter,
                   [&splitter] { splitter.setProperty(parted_property, true); });
}

bool is_by_hand(const QSplitter& splitter) { return splitter.property(parted_property).toBool(); }

void part_by_hand(QSplitter& splitter, const QList<int>& sizes) {
  splitter.setSizes(sizes);
  splitter.setProperty(parted_property, true);
}

}  // namespace loopglass::views
