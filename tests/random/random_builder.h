// What generators of random graphs share: numbers that are drawn, and a graph that grows by
// operators that are tried. What an operator refuses, or makes too large, is tried again,
// differently.
#pragma once

#include "core/graph/graph.h"

#include <random>

namespace loopglass::test {

class RandomBuilder {
 protected:
  RandomBuilder(std::uint32_t seed, std::string name, std::int64_t most_elements)
      : random_(seed), builder_(std::move(name)), most_elements_(most_elements) {}
  virtual ~RandomBuilder() = default;

  // One step of the graph's growth, the `number`th; false where it was refused.
  virtual bool add_operator(int number) = 0;
  // By so many steps, unless far more are refused.
  void grow(int operators);
  // What nobody reads, and one in `odds` of what somebody does.
  std::vector<graph::ValueId> results(int odds);
  graph::Graph finish(std::vector<graph::ValueId> outputs);

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool one_in(int times) { return between(1, times) == 1; }
  std::string one_of(std::initializer_list<const char*> names) {
    return *(names.begin() + between(0, std::ssize(names) - 1));
  }
  // The latest, so that chains form; one time in `odds` any.
  graph::ValueId value(int odds);
  const Shape& shape(graph::ValueId id) const { return builder_.value(id).type.shape; }

  // Of integers from -limit to limit.
  graph::ValueId constant(const TensorType& type, std::int64_t limit);
  // Its results are values to go on with, unless it is refused or a result is too large.
  bool add(const std::string& op, std::vector<graph::ValueId> inputs,
           ops::Attributes attributes = {}, std::size_t results = 1);

  std::mt19937 random_;
  graph::GraphBuilder builder_;
  std::vector<graph::ValueId> values_;

 private:
  std::int64_t most_elements_;  // of a tensor
};

}  // namespace loopglass::test
