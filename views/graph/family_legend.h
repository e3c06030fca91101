// What the colours of the operators mean: a swatch and a name per family that the graph has, the
// most frequent first. Where there is no room for all names, the last have their swatch alone; the
// tool tip names them all.
#pragma once

#include "core/ops/op_def.h"

#include <QWidget>

#include <vector>

namespace loopglass::views {

class FamilyLegend : public QWidget {
 public:
  explicit FamilyLegend(QWidget* parent = nullptr);
  // With their operator counts.
  void set_families(std::vector<std::pair<ops::Family, int>> families);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::size_t names_that_fit() const;
  int width_of(ops::Family family) const;  // its swatch, its name and the room behind it

  std::vector<std::pair<ops::Family, int>> families_;
};

}  // namespace loopglass::views
