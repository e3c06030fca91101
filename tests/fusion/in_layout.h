// Networks after passes, and in layouts that are forced on them.
#pragma once

#include "passes/graph/layout/assignment.h"
#include "passes/graph/layout/rewrite.h"
#include "passes/pipeline.h"

#include <map>
#include <stdexcept>

namespace loopglass::test {

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::logic_error(to_string(result.error()));
  return *std::move(result);
}

inline graph::Graph after(const graph::Graph& graph, const std::string& pipeline) {
  const auto table = passes::graph_passes(reference_machine());
  const auto presets = passes::presets();
  std::vector<pass::PassInfo> infos;
  for (const pass::GraphPass& each : table) infos.push_back(each.info);
  const auto history =
      value_of(pass::run(std::make_shared<const graph::Graph>(graph), table,
                         value_of(pass::parse_pipeline(pipeline, infos, presets))));
  return history.last();
}

// Every operator that can, in this layout.
inline graph::Graph in_layout(const graph::Graph& graph, passes::layout::Choice choice) {
  pass::Report report;
  return value_of(passes::layout::apply(
      graph, passes::layout::assign(graph, {choice}, reference_machine()), report));
}

inline std::map<std::string, graph::Graph> in_layouts(const graph::Graph& graph) {
  std::map<std::string, graph::Graph> networks{{"NCHW", graph}};
  for (const passes::layout::Choice choice : passes::layout::all_choices)
    if (choice != passes::layout::Choice::Nchw)
      networks.emplace(passes::layout::layout_of(choice).text(), in_layout(graph, choice));
  return networks;
}

}  // namespace loopglass::test
