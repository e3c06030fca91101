// How soon each buffer's lines are used again, as bars, and what misses in each cache.
#pragma once

#include "core/locality/reuse.h"

#include <QTableWidget>

namespace loopglass::views {

class ReuseTable : public QTableWidget {
  Q_OBJECT

 public:
  explicit ReuseTable(QWidget* parent = nullptr);

  // `before`: the same before the step, to be compared with; or null.
  void show_reuse(const locality::Reuse& reuse, const locality::Reuse* before);
};

}  // namespace loopglass::views
