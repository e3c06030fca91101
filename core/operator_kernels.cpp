#include "core/operator_kernels.h"

namespace loopglass {

runtime::CompileNetwork compile_by_operator(const Toolchain& toolchain) {
  return [toolchain](graph::Graph graph) {
    SessionOptions options;
    options.pipeline = "none";
    options.strategy = "none";
    options.compile_threads = 1;
    Session session(toolchain, std::move(options));
    session.open(onnx::Model{std::move(graph), {}, {}, {}, {}, {}, 13, "calibration"},
                 "calibration");
    return session.executor();
  };
}

}  // namespace loopglass
