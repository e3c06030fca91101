// Values that hang on what the network is given, computed where they decide a shape: a duration
// that a speech model foretells, or how many boxes a detector keeps. Shapes are static here, so the
// graph is that of these inputs: those that are known, random ones in the place of the others.
#pragma once

#include "core/onnx/import.h"

#include <set>
#include <unordered_map>

namespace loopglass::onnx {

class DataValues {
 public:
  DataValues(const graph::GraphBuilder& builder, const ImportOptions& options)
      : builder_(builder), options_(options) {}

  // InputNotConstant: nothing computes it during this import, it hangs on an opaque operator or on
  // an input that is one whole number, which nobody guesses, or it takes too long.
  Result<Tensor> value(graph::ValueId id);

  // What was asked for, as far as it was found, in order: its name, and its number if it is one.
  const std::vector<std::string>& found() const { return found_; }
  // Graph inputs that any of it hangs on.
  const std::set<std::string>& inputs() const { return inputs_; }
  // Whether one of these has random numbers: what follows from them need not make sense.
  bool is_guessed() const;

 private:
  struct Needed;
  struct Part;
  Result<Needed> needed_for(graph::ValueId wanted) const;
  Result<Part> part_of(graph::ValueId wanted, const Needed& needed) const;
  Result<void> compute(graph::ValueId wanted);

  const graph::GraphBuilder& builder_;
  const ImportOptions& options_;
  std::unordered_map<graph::ValueId, Tensor> computed_;
  std::vector<std::string> found_;
  std::set<std::string> inputs_;
};

}  // namespace loopglass::onnx
