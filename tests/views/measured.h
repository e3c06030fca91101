// What views that measure are tried on: a session with workers, and a small product open in it.
#pragma once

#include "core/measure/worker_pool.h"
#include "tests/views/opened.h"

#include <memory>
#include <string>

namespace loopglass::views {

inline SessionOptions options_with_workers() {
  SessionOptions options;
  options.workers = std::make_shared<measure::WorkerPool>(measure::Program{LOOPGLASSC, {"worker"}});
  return options;
}

// Of a matrix and a constant one; its kernel is shown.
inline void open_product(Document& document, int rows, int terms) {
  const std::string m = std::to_string(rows), k = std::to_string(terms);
  auto text = std::make_shared<const std::string>("input A: float32[" + m + ", " + k +
                                                  "]\nconstant B: float32[" + k + ", " + m +
                                                  "]\nC[i, j] = sum over k of A[i, k] * B[k, j]\n");
  document.open(ModelSource{"product.te",
                            [text]() -> Result<onnx::Source> {
                              onnx::Source source(std::filesystem::path("product.te"));
                              source.bytes = text;
                              return source;
                            },
                            {},
                            "product.te"});
  ASSERT_TRUE(settled(document));
  ASSERT_TRUE(document.kernels().kernel());
}

}  // namespace loopglass::views
