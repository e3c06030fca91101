#include "app/window/kept_splits.h"

#include "views/widgets/hand_splits.h"

#include <QSettings>
#include <QSplitter>

namespace loopglass::app {

KeptSplits::KeptSplits(const Panes& panes, const QSettings& settings, QObject* parent)
    : QObject(parent) {
  for (const Pane& pane : panes.all()) {
    const auto splitters = pane.dock->findChildren<QSplitter*>();
    for (qsizetype k = 0; k < splitters.size(); ++k) {
      QSplitter* splitter = splitters[k];
      const QString key = QString("splits/%1/%2 of %3")
                              .arg(pane.dock->objectName())
                              .arg(k + 1)
                              .arg(splitters.size());
      splits_.push_back({splitter, key});
      views::watch_split(*splitter);
      connect(splitter, &QSplitter::splitterMoved, this, &KeptSplits::moved);
      QList<int> sizes;
      for (const QVariant& size : settings.value(key).toList()) sizes << size.toInt();
      if (sizes.size() != splitter->count()) continue;
      views::part_by_hand(*splitter, sizes);
    }
  }
}

void KeptSplits::save(QSettings* settings) const {
  for (const Split& split : splits_) {
    if (!views::is_by_hand(*split.splitter)) continue;
    // One that has not been laid out, or has no room for all, says nothing, and what is kept stays.
    QVariantList sizes;
    bool all_seen = split.splitter->isVisible();
    for (const int size : split.splitter->sizes()) {
      sizes << size;
      all_seen = all_seen && size > 0;
    }
    if (all_seen) settings->setValue(split.key, sizes);
  }
}

}  // namespace loopglass::app
