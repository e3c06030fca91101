// The tensors of a Program by name, for who asks about each of many.
#pragma once

#include "core/te/te.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace loopglass::te {

// Of a program that outlives it and does not change.
class ProgramIndex {
 public:
  explicit ProgramIndex(const Program& program) : program_(program) {
    for (const Tensor& input : program.inputs) inputs_.emplace(input.name, &input);
    for (const Stage& stage : program.stages) stages_.emplace(stage.output.name, &stage);
    outputs_.insert(program.outputs.begin(), program.outputs.end());
  }

  const Program& program() const { return program_; }
  // Null where there is none.
  const Stage* stage(std::string_view tensor) const { return find(stages_, tensor); }
  const Tensor* input(std::string_view tensor) const { return find(inputs_, tensor); }
  bool is_output(std::string_view tensor) const { return outputs_.contains(tensor); }

 private:
  template <class T>
  using Table = std::unordered_map<std::string_view, const T*>;
  template <class T>
  static const T* find(const Table<T>& table, std::string_view name) {
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
  }

  const Program& program_;
  Table<Stage> stages_;
  Table<Tensor> inputs_;
  std::unordered_set<std::string_view> outputs_;
};

}  // namespace loopglass::te
