// Networks through the whole Session, against the interpreter.
#pragma once

#include "core/session.h"

#include <gtest/gtest.h>

namespace loopglass {

onnx::Model model_of(graph::Graph graph);

// A session with the default toolchain on this graph.
std::unique_ptr<Session> session_on(graph::Graph graph, SessionOptions options = {});

// Compiles the network and expects the interpreter's results on random inputs, at 1 and 2 threads.
void expect_compiled_equals_interpreted(Session& session, double absolute = 1e-4, double relative = 1e-3);

}  // namespace loopglass
