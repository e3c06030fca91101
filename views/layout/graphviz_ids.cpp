#include "views/layout/graphviz_ids.h"

#include <graphviz/cgraph.h>

#include <deque>
#include <string>
#include <unordered_map>

namespace loopglass::layout {
namespace {

// Of one graph: names have even numbers and what has no name odd ones, as Graphviz has it.
struct Numbers {
  std::unordered_map<std::string, IDTYPE> of_name;
  std::deque<std::string> names;  // where they stay; the n-th has number 2 * n
  IDTYPE next_nameless = 1;
};

Numbers& numbers_of(void* state) { return *static_cast<Numbers*>(state); }

void* open(Agraph_t*, Agdisc_t*) { return new Numbers; }

long number(void* state, int, char* name, IDTYPE* id, int may_make) {
  Numbers& numbers = numbers_of(state);
  if (name == nullptr) {
    *id = numbers.next_nameless;
    numbers.next_nameless += 2;
    return 1;
  }
  if (const auto known = numbers.of_name.find(name); known != numbers.of_name.end()) {
    *id = known->second;
    return 1;
  }
  if (may_make == 0) return 0;
  numbers.names.emplace_back(name);
  *id = 2 * static_cast<IDTYPE>(numbers.names.size());
  numbers.of_name.emplace(name, *id);
  return 1;
}

long choose(void*, int, IDTYPE) { return 0; }  // nobody else chooses them
void forget(void*, int, IDTYPE) {}

char* name_of(void* state, int, IDTYPE id) {
  Numbers& numbers = numbers_of(state);
  const bool has_name = id > 0 && id % 2 == 0 && id / 2 <= numbers.names.size();
  return has_name ? numbers.names[id / 2 - 1].data() : nullptr;
}

void close(void* state) { delete static_cast<Numbers*>(state); }
void noted(void*, int, void*) {}

}  // namespace

Agdisc_s* disciplines_with_numbers() {
  static Agiddisc_t ids{open, number, choose, forget, name_of, close, noted};
  static Agdisc_t disciplines{&AgMemDisc, &ids, &AgIoDisc};
  return &disciplines;
}

}  // namespace loopglass::layout
