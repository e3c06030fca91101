#include "core/tune/search.h"

#include "core/tune/searches/searches.h"

namespace loopglass::tune {

const std::vector<SearchKind>& all_search_kinds() {
  static const std::vector<SearchKind> table{
      {"evolutionary", "mutates and crosses what scores best, measures the best of that (Ansor)",
       true, evolutionary_search},
      {"droplet", "a first round at random, then coordinate descent from its best (Droplet)", true,
       droplet_search},
      {"annealing", "chains that walk the model's scores, ever more strictly uphill (AutoTVM)",
       true, annealing_search},
      {"reinforcement",
       "a policy that moves each knob up or down; what it visits is clustered and the middles are "
       "measured (Chameleon)",
       true, reinforcement_search},
      {"genetic", "generations of what was measured, crossed of three (Tensor Comprehensions)",
       false, genetic_search},
      {"random", "any point, each as likely as another of its sketch", false, random_search},
      {"grid", "points at even distances through the whole space", false, grid_search},
  };
  return table;
}

const SearchKind* find_search_kind(std::string_view name) {
  for (const SearchKind& kind : all_search_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace loopglass::tune
