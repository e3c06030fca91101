// A space as a person narrows it while it is searched: knobs that stand where they were put, values
// that are not to be tried. Sketches that know a knob are held to what is said of it; the others
// stay as they are.
#pragma once

#include "core/tune/knob_rule.h"
#include "core/tune/search.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::tune {

class SteeredSpace {
 public:
  // UsageInvalid: there is no such knob or value, or nothing is left; what there is.
  static Result<SteeredSpace> make(const Space& full, const std::vector<KnobRule>& rules);

  const Space& space() const { return space_; }
  // Points of one in the other.
  Point full(const Point& steered) const;
  std::optional<Point> steered(const Point& full) const;  // nullopt: it is not to be tried

 private:
  struct Kept {
    int sketch = 0;                         // of the full space
    std::vector<std::vector<int>> choices;  // of each knob, in their order
  };
  Space space_;
  std::vector<Kept> kept_;  // by sketch
};

// What is known of a full space, to whoever searches the steered one.
class SteeredForesight : public Foresight {
 public:
  SteeredForesight(const SteeredSpace& space, Foresight& full) : space_(space), full_(full) {}
  bool knows() const override { return full_.knows(); }
  std::vector<double> scores(std::span<const Point> points) override;

 private:
  const SteeredSpace& space_;
  Foresight& full_;
};

}  // namespace loopglass::tune
