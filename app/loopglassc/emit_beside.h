// What stands beside the lines that emit prints: the line of the loop nest that each came from, the
// operators of that, and how much of the kernel's time it takes.
#pragma once

#include "app/loopglassc/emit_stages.h"
#include "core/measure/code_profile.h"

#include <set>

namespace loopglass::app {

// Where the time of one kernel goes.
struct HotCode {
  measure::CodeProfile profile;              // of its assembly's lines
  std::vector<measure::CodeRegion> regions;  // most first
  std::vector<std::int64_t> nest_samples;    // of each line of the lowered nest; [0]: of no line
};
// One instruction of assembly by its first word, wherever it stands.
struct InstructionShare {
  std::string word;
  std::size_t lines = 0;
  std::int64_t samples = 0;
};
// Those in which something was seen, most first.
std::vector<InstructionShare> shares_by_instruction(const Emitted& assembly, const HotCode& hot);

// In a worker, on one thread. What measure::profile_code says.
Result<HotCode> profile_of(Session& session, fusion::GroupId group);

class Beside {
 public:
  // `hot`: null where nobody has looked. All live as long as this.
  Beside(const Emitted& shown, const graph::Graph& graph, const HotCode* hot);

  // Of the nest's line that it came from; of a line that opens a loop, of all in it.
  const std::set<graph::NodeId>& operators_of(std::size_t line) const;
  std::string names_of(std::size_t line) const;  // "conv1 + relu1"; empty: none
  // Of the kernel's time; nullopt: nobody has looked.
  std::optional<double> share_of(std::size_t line) const;
  // The same by the operators' names, most first; "" is what belongs to none.
  std::vector<std::pair<std::string, double>> shares_by_operator() const;

 private:
  const Emitted& shown_;
  const graph::Graph& graph_;
  const HotCode* hot_;
  std::vector<std::set<graph::NodeId>> by_nest_line_;  // [0]: of no line
};

}  // namespace loopglass::app
