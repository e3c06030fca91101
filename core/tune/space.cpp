#include "core/tune/space.h"

#include "core/support/check.h"
#include "core/tune/spaces/spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

double Sketch::size() const {
  double size = 1;
  for (const Knob& knob : knobs) size *= static_cast<double>(knob.values.size());
  return size;
}

void Space::add(Result<Sketch> sketch) {
  if (sketch) sketches.push_back(*std::move(sketch));
  else refused.push_back(std::move(sketch).error());
}

double Space::size() const {
  double size = 0;
  for (const Sketch& sketch : sketches) size += sketch.size();
  return size;
}

Point Space::at(double place) const {
  CHECK(!empty(), "a space without sketches");
  place = std::fmod(place, size());
  Point point;
  while (place >= sketches[static_cast<std::size_t>(point.sketch)].size() &&
         point.sketch + 1 < std::ssize(sketches))
    place -= sketches[static_cast<std::size_t>(point.sketch++)].size();
  const std::vector<Knob>& knobs = sketch_of(point).knobs;
  point.choices.resize(knobs.size());
  for (std::size_t k = knobs.size(); k-- > 0;) {
    const auto radix = static_cast<double>(knobs[k].values.size());
    point.choices[k] = static_cast<int>(std::fmod(place, radix));
    place = std::floor(place / radix);
  }
  return point;
}

Point Space::random(Random& random) const {
  CHECK(!empty(), "a space without sketches");
  // Sketches alike, however many points they have: a small one would never be seen.
  Point point{static_cast<int>(random.below(sketches.size())), {}};
  for (const Knob& knob : sketch_of(point).knobs)
    point.choices.push_back(static_cast<int>(random.below(knob.values.size())));
  return point;
}

std::string Space::words(const Point& point) const {
  const Sketch& sketch = sketch_of(point);
  std::string text = sketch.name;
  for (std::size_t k = 0; k < sketch.knobs.size(); ++k)
    text += fmt::format("{}{} {}", k == 0 ? ": " : ", ", sketch.knobs[k].name,
                        sketch.knobs[k].values[static_cast<std::size_t>(point.choices[k])]);
  return text;
}

namespace {

// Where the knobs of a sketch stand by the words behind its name.
std::optional<std::vector<int>> choices_in(const Sketch& sketch, std::string_view rest) {
  std::vector<int> choices;
  for (std::size_t k = 0; k < sketch.knobs.size(); ++k) {
    const std::string before = fmt::format("{}{} ", k == 0 ? ": " : ", ", sketch.knobs[k].name);
    if (!rest.starts_with(before)) return std::nullopt;
    rest.remove_prefix(before.size());
    const std::string behind =
        k + 1 < sketch.knobs.size() ? fmt::format(", {} ", sketch.knobs[k + 1].name) : "";
    const std::size_t end = behind.empty() ? rest.size() : std::min(rest.find(behind), rest.size());
    const auto& values = sketch.knobs[k].values;
    const auto value = std::ranges::find(values, rest.substr(0, end));
    if (value == values.end()) return std::nullopt;
    choices.push_back(static_cast<int>(value - values.begin()));
    rest.remove_prefix(end);
  }
  return rest.empty() ? std::optional(choices) : std::nullopt;
}

}  // namespace

std::optional<Point> Space::named(std::string_view words) const {
  for (std::size_t s = 0; s < sketches.size(); ++s) {
    if (!words.starts_with(sketches[s].name)) continue;
    if (auto choices = choices_in(sketches[s], words.substr(sketches[s].name.size())))
      return Point{static_cast<int>(s), *std::move(choices)};
  }
  return std::nullopt;
}

Result<Sketch> sketch_of(const loop::Func& nest, const schedule::Trace& trace, std::string name,
                         std::string rules) {
  const auto decisions = TRY(schedule::decisions_of(nest, trace));
  Sketch sketch{std::move(name), std::move(rules), {}, {}};
  for (const schedule::Decision& decision : decisions) {
    const std::string& sampling = trace.instructions[decision.instruction].primitive;
    const schedule::Sampling* kind = schedule::find_sampling(sampling);
    Knob knob{decision.name, {}, kind ? kind->doc : std::string()};
    for (const auto& candidate : decision.candidates)
      knob.values.push_back(schedule::to_script(candidate));
    sketch.knobs.push_back(std::move(knob));
  }
  sketch.script = [nest, trace, decisions](std::span<const int> choices) {
    schedule::Trace chosen = trace;
    for (std::size_t k = 0; k < decisions.size(); ++k) {
      schedule::Instruction& line = chosen.instructions[decisions[k].instruction];
      line = schedule::decided(std::move(line),
                               decisions[k].candidates[static_cast<std::size_t>(choices[k])]);
    }
    return schedule::settled(nest, chosen);
  };
  return sketch;
}

Result<Space> written_space(const Task& task, std::string_view script, std::string name) {
  const schedule::Trace trace = TRY(schedule::parse_script(script));
  Space space{name, {}};
  space.sketches.push_back(TRY(sketch_of(task.nest, trace, std::move(name), "written by hand")));
  return space;
}

const std::vector<SpaceKind>& all_space_kinds() {
  static const std::vector<SpaceKind> table{
      {"construct",
       "what the machine's inequalities leave: tiles that fill its registers, hide its latency and "
       "stay within its loads (Roller)",
       construct_space},
      {"template",
       "scripts with knobs, one for each kind of kernel: tile sizes, order of loops, unrolling "
       "(AutoTVM)",
       template_space},
      {"sketch",
       "derived from the nest by rules: SSRSRS tiling, a consumer or cache in the tile, partial "
       "sums; every decision sampled (Ansor)",
       sketch_space},
  };
  return table;
}

const SpaceKind* find_space_kind(std::string_view name) {
  for (const SpaceKind& kind : all_space_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace loopglass::tune
