// What `fuse` shows of a model's plan besides its groups: verdicts, nearest misses, steps, and
// other plans beside it.
#pragma once

#include "app/loopglassc/declare.h"
#include "app/loopglassc/gate.h"
#include "core/debug/what_if.h"

namespace loopglass::app {

struct FuseOptions {
  ModelOptions model;
  bool summary = false, explain = false, steps = false, reasons = false, measure = false,
       json = false;
  std::optional<std::string> edge, filter, sort;
  std::optional<std::size_t> near_misses;
  std::vector<std::string> compare;
  int threads = 1, rounds = debug::WhatIfOptions{}.rounds;
  std::uint64_t seed = 1;
  Gate gate;  // of the groups and the summary
};

// Every code that a verdict can have; needs no model.
Result<Exit> list_reasons(const FuseOptions& options);
// The groups.
Result<Exit> show_plan(const FuseOptions& options, Session& session);
// In a few lines.
Result<Exit> show_summary(const FuseOptions& options, Session& session);
Result<Exit> explain_plan(const FuseOptions& options, Session& session);
Result<Exit> show_near_misses(const FuseOptions& options, Session& session);
Result<Exit> show_steps(const FuseOptions& options, Session& session);
// The plan as asked for beside the strategy's own.
Result<Exit> show_what_if(const FuseOptions& options, Session& session);
Result<Exit> compare_strategies(const FuseOptions& options, Session& session);

// Adds arena_bytes, which only a gate or a baseline that has it asks for: the memory of kernels has
// to be planned for it.
Result<void> add_arena(nlohmann::ordered_json& json, const Gate& gate,
                       const nlohmann::ordered_json& baseline, Session& session);

std::vector<std::string> names_of(const std::vector<graph::NodeId>& nodes,
                                  const graph::Graph& graph);

}  // namespace loopglass::app
