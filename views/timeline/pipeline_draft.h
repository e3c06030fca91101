// A pipeline while it is edited: as pass::Pipeline, but passes can be switched off and stay in the
// list. Every edit is a function from the draft, so that it can be tested without a window.
#pragma once

#include "core/pass/pipeline.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::views {

struct PipelineDraft {
  struct Item {
    std::string pass;
    bool enabled = true;
    friend bool operator==(const Item&, const Item&) = default;
  };
  struct Entry {
    std::vector<Item> items;
    bool fixed_point = false;  // else exactly one item
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  // An entry as a whole, or one pass of it.
  struct Place {
    std::size_t entry = 0;
    std::optional<std::size_t> item;
    friend bool operator==(const Place&, const Place&) = default;
  };

  std::vector<Entry> entries;
  friend bool operator==(const PipelineDraft&, const PipelineDraft&) = default;

  static PipelineDraft of(const pass::Pipeline& pipeline);
  // The whole, with what the pipeline lacks of it switched off; nullopt: it is not the whole less
  // some passes.
  static std::optional<PipelineDraft> within(const pass::Pipeline& pipeline,
                                             const pass::Pipeline& whole);
  std::size_t switched_off() const;  // how many passes
  // What is switched off is left out, and so are groups of which nothing is left.
  pass::Pipeline pipeline() const;
  // As --passes takes it: "none" where there is nothing.
  std::string text() const;

  // Each returns where what was edited is now.
  Place add(std::string pass, std::optional<Place> after);
  Place duplicate(Place place);              // the same again, below
  std::optional<Place> remove(Place place);  // what to go on with; none: the draft is empty
  std::optional<Place> move(Place place,
                            int by);  // out of its group at either end; none: no further
  Place group(Place place);           // a single pass becomes a group of one
  Place ungroup(Place place);         // a group becomes its passes
  bool enabled(Place place) const;    // of a group: any of it
  void set_enabled(Place place, bool enabled);
};

}  // namespace loopglass::views
