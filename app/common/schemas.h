// The forms of what --json prints. Each has a JSON Schema (draft 7) of its own, a file of
// app/schemas that is called like it and stands in the program as it was when this was built.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loopglass::app {

// A form is called like the command that prints it, or COMMAND-VIEW.
#define LOOPGLASS_SCHEMAS(SCHEMA)                   \
  SCHEMA(Bench, "bench")                            \
  SCHEMA(BenchAgainst, "bench-against")             \
  SCHEMA(BenchLibrary, "bench-library")             \
  SCHEMA(BenchPerLine, "bench-per-line")            \
  SCHEMA(Bisect, "bisect")                          \
  SCHEMA(BisectLlvm, "bisect-llvm")                 \
  SCHEMA(Calibrate, "calibrate")                    \
  SCHEMA(CalibrateCheck, "calibrate-check")         \
  SCHEMA(Compare, "compare")                        \
  SCHEMA(Conformance, "conformance")                \
  SCHEMA(Diff, "diff")                              \
  SCHEMA(Emit, "emit")                              \
  SCHEMA(EmitDomtree, "emit-domtree")               \
  SCHEMA(EmitGraph, "emit-graph")                   \
  SCHEMA(Error, "error")                            \
  SCHEMA(Explain, "explain")                        \
  SCHEMA(Export, "export")                          \
  SCHEMA(Farm, "farm")                              \
  SCHEMA(Fold, "fold")                              \
  SCHEMA(Fuse, "fuse")                              \
  SCHEMA(FuseCompare, "fuse-compare")               \
  SCHEMA(FuseExplain, "fuse-explain")               \
  SCHEMA(FuseNearMisses, "fuse-near-misses")        \
  SCHEMA(FuseReasons, "fuse-reasons")               \
  SCHEMA(FuseSteps, "fuse-steps")                   \
  SCHEMA(FuseSummary, "fuse-summary")               \
  SCHEMA(History, "history")                        \
  SCHEMA(Legal, "legal")                            \
  SCHEMA(LegalAll, "legal-all")                     \
  SCHEMA(LegalDrops, "legal-drops")                 \
  SCHEMA(Lens, "lens")                              \
  SCHEMA(LensAgainst, "lens-against")               \
  SCHEMA(Locality, "locality")                      \
  SCHEMA(LocalityIterations, "locality-iterations") \
  SCHEMA(Mca, "mca")                                \
  SCHEMA(Memory, "memory")                          \
  SCHEMA(Ops, "ops")                                \
  SCHEMA(Passes, "passes")                          \
  SCHEMA(PassesBreak, "passes-break")               \
  SCHEMA(PassesModel, "passes-model")               \
  SCHEMA(PassesRules, "passes-rules")               \
  SCHEMA(PassesSummary, "passes-summary")           \
  SCHEMA(PassesTrace, "passes-trace")               \
  SCHEMA(Primitives, "primitives")                  \
  SCHEMA(Records, "records")                        \
  SCHEMA(Roofline, "roofline")                      \
  SCHEMA(RooflineExperiment, "roofline-experiment") \
  SCHEMA(Run, "run")                                \
  SCHEMA(Samples, "samples")                        \
  SCHEMA(Schema, "schema")                          \
  SCHEMA(Session, "session")                        \
  SCHEMA(SessionList, "session-list")               \
  SCHEMA(Tune, "tune")                              \
  SCHEMA(TunePrintSpace, "tune-print-space")        \
  SCHEMA(Worker, "worker")

enum class Schema {
#define SCHEMA(id, name) id,
  LOOPGLASS_SCHEMAS(SCHEMA)
#undef SCHEMA
};

const std::vector<Schema>& all_schemas();  // by name
std::string_view name(Schema schema);      // "fuse-summary"
// What stands as `schema` in the output: "loopglass.fuse-summary/1". The number goes up when a
// field goes, is called otherwise or means something else; not when one is added.
std::string identifier(Schema schema);
std::string title(Schema schema);  // one line
// The JSON Schema, complete in itself: what it shares with others (app/schemas/common.json) is in
// it.
std::string text(Schema schema);

}  // namespace loopglass::app
