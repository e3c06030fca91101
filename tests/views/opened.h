// A document with a sample open and all its work done.
#pragma once

#include "passes/pipeline.h"
#include "samples/samples.h"
#include "tests/views/waiting.h"

#include <gtest/gtest.h>

namespace loopglass::views {

inline ModelSource sample_source(const char* name) {
  return {name, [name] { return samples::sample_path(*samples::find_sample(name)); }, {}, name};
}

inline graph::Graph build_sample(const char* name) {
  return samples::find_sample(name)->build(0).value();
}

// Few passes, whose work on a sample is known, whatever else the presets come to hold.
inline const char* const folding_pipeline = "fold-constants, fold-batch-norm, remove-dead-code";

inline SessionOptions options_with(const std::string& pipeline) {
  SessionOptions options;
  options.pipeline = pipeline;
  return options;
}

struct Opened {
  explicit Opened(const char* sample, const std::string& pipeline = {})
      : document(passes::toolchain(), options_with(pipeline)) {
    document.open(sample_source(sample));
    EXPECT_TRUE(settled(document));
    EXPECT_TRUE(document.fusion().plan()) << "the sample " << sample << " does not open";
  }
  // The first node of this operator in the graph at the current step.
  graph::NodePtr node(std::string_view op) const {
    for (const auto& node : document.history().graph()->nodes())
      if (node->op->name == op) return node;
    return nullptr;
  }

  Document document;
};

}  // namespace loopglass::views
