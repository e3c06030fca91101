// A space of schedules: sketches, each with knobs. A point is a sketch and where its knobs stand;
// it stands for one script.
#pragma once

#include "core/script/sampling.h"
#include "core/tune/random.h"
#include "core/tune/task.h"

#include <functional>
#include <optional>
#include <span>

namespace loopglass::tune {

struct Knob {
  std::string name;
  std::vector<std::string> values;  // in words, neighbours alike: what a step up or down means
  std::string doc = {};             // what it decides, in a clause
};

struct Sketch {
  std::string name;   // "SSRSRS, stored at level 2"
  std::string rules;  // how it was derived, or what for
  std::vector<Knob> knobs;
  // The script without anything left to decide, and what it makes of the nest. ScheduleIllegal and
  // its like: why there is none.
  std::function<Result<schedule::Scheduled>(std::span<const int> choices)> script;

  double size() const;  // how many points it has
};

struct Point {
  int sketch = 0;
  std::vector<int> choices;  // of its knobs
  friend bool operator==(const Point&, const Point&) = default;
  friend auto operator<=>(const Point&, const Point&) = default;
};

struct Space {
  std::string name;
  std::vector<Sketch> sketches;
  std::vector<Diagnostic> refused = {};  // why there are no more
  // What whoever made the space would try first, the most promising first; may be none.
  std::vector<Point> promising = {};

  void add(Result<Sketch> sketch);
  double size() const;
  bool empty() const { return sketches.empty(); }
  const Sketch& sketch_of(const Point& point) const {
    return sketches[static_cast<std::size_t>(point.sketch)];
  }
  Result<schedule::Scheduled> script(const Point& point) const {
    return sketch_of(point).script(point.choices);
  }
  // By the place in mixed radix, sketch after sketch, the last knob turning fastest; modulo size.
  Point at(double place) const;
  Point random(Random& random) const;
  // "oc by y_x: tile 4 x 14, order b"
  std::string words(const Point& point) const;
  // The point of which words() says this; nullopt: there is none.
  std::optional<Point> named(std::string_view words) const;
};

// A sketch from a script that samples (script/sampling.h): its knobs are what it decides. What is
// wrong with a line.
Result<Sketch> sketch_of(const loop::Func& nest, const schedule::Trace& trace, std::string name,
                         std::string rules);

// A kind of space, as a person names it.
struct SpaceKind {
  std::string name;
  std::string doc;  // one sentence
  // No sketches: there is nothing to choose in this nest.
  std::function<Result<Space>(const Task&)> make;
};
const std::vector<SpaceKind>& all_space_kinds();
const SpaceKind* find_space_kind(std::string_view name);

// The space that a person has written as a script that samples.
Result<Space> written_space(const Task& task, std::string_view script, std::string name);

}  // namespace loopglass::tune
