#include "core/tune/steering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace loopglass::tune {

namespace {

const Knob* knob_named(const Sketch& sketch, std::string_view name) {
  const auto found = std::ranges::find(sketch.knobs, name, &Knob::name);
  return found == sketch.knobs.end() ? nullptr : &*found;
}

constexpr std::size_t most_listed = 12;  // values in a hint

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "1x2; 1x4; ..., 40 in all", of those first that begin as what was asked for.
std::string listed(std::vector<std::string> values, const std::string& asked) {
  const std::size_t count = values.size();
  std::ranges::stable_sort(values, std::greater(), [&](const std::string& value) {
    return std::ranges::mismatch(value, asked).in1 - value.begin();
  });
  if (count > most_listed) values.resize(most_listed);
  return fmt::format("{}{}", fmt::join(values, "; "),
                     count > most_listed ? fmt::format("; {} in all", count) : "");
}

// A value that is a text may be named without its quotes, and any with other blanks.
Result<KnobRule> settled(const Space& space, KnobRule rule) {
  std::set<std::string> knobs;
  std::vector<std::string> values;
  for (const Sketch& sketch : space.sketches) {
    for (const Knob& knob : sketch.knobs) knobs.insert(knob.name);
    if (const Knob* knob = knob_named(sketch, rule.knob))
      for (const std::string& value : knob->values)
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  if (values.empty())
    return fail(
        Code::UsageInvalid, fmt::format("the space '{}' has no knob '{}'", space.name, rule.knob),
        to_text(rule),
        knobs.empty() ? "it has none" : fmt::format("its knobs: {}", fmt::join(knobs, ", ")));
  const std::string asked = without_blanks(rule.value);
  const auto value = std::ranges::find_if(values, [&](const std::string& value) {
    const std::string known = without_blanks(value);
    return known == asked || known == '"' + asked + '"';
  });
  if (value == values.end())
    return fail(
        Code::UsageInvalid, fmt::format("the knob '{}' has no value '{}'", rule.knob, rule.value),
        to_text(rule), fmt::format("its values: {}", listed(std::move(values), rule.value)));
  rule.value = *value;
  return rule;
}

std::vector<int> allowed(const Knob& knob, const std::vector<KnobRule>& rules) {
  const auto says = [&](KnobRule::Kind kind, const std::string* value) {
    return std::ranges::any_of(rules, [&](const KnobRule& rule) {
      return rule.kind == kind && rule.knob == knob.name && (!value || rule.value == *value);
    });
  };
  const bool is_pinned = says(KnobRule::Kind::Pin, nullptr);
  std::vector<int> choices;
  for (int c = 0; c < std::ssize(knob.values); ++c) {
    const std::string& value = knob.values[static_cast<std::size_t>(c)];
    if ((!is_pinned || says(KnobRule::Kind::Pin, &value)) && !says(KnobRule::Kind::Forbid, &value))
      choices.push_back(c);
  }
  return choices;
}

}  // namespace

Result<SteeredSpace> SteeredSpace::make(const Space& full, const std::vector<KnobRule>& wanted) {
  std::vector<KnobRule> rules;
  for (const KnobRule& rule : wanted) rules.push_back(TRY(settled(full, rule)));
  SteeredSpace steered;
  steered.space_.name = full.name;
  for (int s = 0; s < std::ssize(full.sketches); ++s) {
    const Sketch& sketch = full.sketches[static_cast<std::size_t>(s)];
    Kept kept{s, {}};
    Sketch narrowed{sketch.name, sketch.rules, {}, {}};
    for (const Knob& knob : sketch.knobs) {
      Knob left{knob.name, {}, knob.doc};
      kept.choices.push_back(allowed(knob, rules));
      for (const int choice : kept.choices.back())
        left.values.push_back(knob.values[static_cast<std::size_t>(choice)]);
      narrowed.knobs.push_back(std::move(left));
    }
    if (std::ranges::any_of(kept.choices, &std::vector<int>::empty)) continue;
    narrowed.script = [script = sketch.script,
                       choices = kept.choices](std::span<const int> narrow) {
      std::vector<int> wide;
      for (std::size_t k = 0; k < choices.size(); ++k)
        wide.push_back(choices[k][static_cast<std::size_t>(narrow[k])]);
      return script(wide);
    };
    steered.kept_.push_back(std::move(kept));
    steered.space_.sketches.push_back(std::move(narrowed));
  }
  if (steered.space_.empty()) {
    std::vector<std::string> words;
    for (const KnobRule& rule : rules)
      words.push_back(to_text(rule) +
                      (rule.kind == KnobRule::Kind::Pin ? " pinned" : " forbidden"));
    return fail(Code::UsageInvalid, "nothing is left of the space that may be tried",
                fmt::format("{}", fmt::join(words, ", ")), "take some of it back");
  }
  for (const Point& point : full.promising)
    if (auto kept = steered.steered(point)) steered.space_.promising.push_back(*std::move(kept));
  return steered;
}

Point SteeredSpace::full(const Point& steered) const {
  const Kept& kept = kept_[static_cast<std::size_t>(steered.sketch)];
  Point point{kept.sketch, {}};
  for (std::size_t k = 0; k < kept.choices.size(); ++k)
    point.choices.push_back(kept.choices[k][static_cast<std::size_t>(steered.choices[k])]);
  return point;
}

std::optional<Point> SteeredSpace::steered(const Point& full) const {
  const auto kept = std::ranges::find(kept_, full.sketch, &Kept::sketch);
  if (kept == kept_.end()) return std::nullopt;
  Point point{static_cast<int>(kept - kept_.begin()), {}};
  for (std::size_t k = 0; k < kept->choices.size(); ++k) {
    const auto choice = std::ranges::find(kept->choices[k], full.choices[k]);
    if (choice == kept->choices[k].end()) return std::nullopt;
    point.choices.push_back(static_cast<int>(choice - kept->choices[k].begin()));
  }
  return point;
}

std::vector<double> SteeredForesight::scores(std::span<const Point> points) {
  std::vector<Point> full;
  for (const Point& point : points) full.push_back(space_.full(point));
  return full_.scores(full);
}

}  // namespace loopglass::tune
