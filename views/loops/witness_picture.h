// Why a line of script is refused, as a picture: two iterations on the grid of the loops in which
// they differ, and an arrow from the one that runs first to the one that has to come after it.
#pragma once

#include "core/dependence/witness.h"

#include <QWidget>

#include <optional>

namespace loopglass::views {

class WitnessPicture : public QWidget {
  Q_OBJECT

 public:
  explicit WitnessPicture(QWidget* parent = nullptr);

  // Hidden where there is none, or the two have no loop in common.
  void show_witness(std::optional<schedule::Witness> witness);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  // A loop that both are in, and their iterations of it.
  struct Axis {
    std::string loop;
    std::int64_t first, second;
    std::int64_t from() const { return std::max<std::int64_t>(0, std::min(first, second) - 1); }
    std::int64_t count() const;  // of iterations that are drawn
  };
  static std::vector<Axis> axes_of(const schedule::Witness& witness);

  std::optional<schedule::Witness> witness_;
  std::vector<Axis> axes_;  // down and across, or across alone
};

}  // namespace loopglass::views
