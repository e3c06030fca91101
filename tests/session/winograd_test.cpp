// Random 3 x 3 convolutions, compiled with minimal filtering wherever that is possible, compute
// what the interpreter makes of the convolutions: alone, in chains, with what follows them.
#include "core/machine/host.h"
#include "core/ops/registry.h"
#include "core/runtime/executor.h"
#include "tests/session/compiled_network.h"

#include <fmt/format.h>
#include <random>

namespace loopglass {
namespace {

using graph::ValueId;

// To which everything but arithmetic is free.
Toolchain filtering_everything() {
  Machine machine = host_machine();
  machine.peak_gflops = 1e-3;
  return passes::toolchain(machine);
}

class Drawing {
 public:
  explicit Drawing(unsigned seed) : random_(seed) {}

  graph::Graph operator()() && {
    std::int64_t channels = any({3, 8, 16, 20, 32, 48});
    ValueId image = builder_.add_input(
        "x", {DataType::Float32, {any({1, 1, 2}), channels, extent(), extent()}});
    const int layers = static_cast<int>(any({1, 1, 2, 3}));
    for (int layer = 0; layer < layers; ++layer) {
      const std::int64_t filters = any({5, 16, 32, channels});
      // Of a small image, so that a window always fits.
      const std::int64_t top = any({1, 1, 2}), left = any({1, 1, 2}), bottom = any({1, 1, 2}),
                         right = any({1, 1, 2});
      std::vector<ValueId> operands{image, constant({filters, channels, 3, 3})};
      if (any({0, 1}) == 1) operands.push_back(constant({filters}));
      const ValueId sum =
          add("Conv", operands, {{"pads", std::vector<std::int64_t>{top, left, bottom, right}}});
      ValueId result = sum;
      if (any({0, 1}) == 1) result = add("Relu", {result});
      if (builder_.value(image).type == builder_.value(result).type && any({0, 1}) == 1)
        result = add("Add", {result, image});
      if (any({0, 0, 1}) == 1) result = add("Mul", {result, add("Sigmoid", {result})});
      image = result;
      channels = filters;
    }
    builder_.set_outputs({image});
    return *std::move(builder_).finish();
  }

 private:
  std::int64_t any(std::vector<std::int64_t> choices) {
    return choices[random_() % choices.size()];
  }
  std::int64_t extent() { return 1 + static_cast<std::int64_t>(random_() % 13); }
  ValueId constant(const Shape& shape) {
    Tensor numbers = runtime::random_tensor({DataType::Float32, shape}, random_());
    // So that sums stay of the size of their terms.
    for (float& each : numbers.as<float>()) each *= 0.1F;
    return builder_.add_constant("c", std::move(numbers));
  }
  ValueId add(const char* op, std::vector<ValueId> operands, ops::Attributes attributes = {}) {
    const auto node =
        builder_.add_node(op, *ops::find_operator(op), std::move(operands), std::move(attributes));
    if (!node) throw std::invalid_argument(to_string(node.error()));
    return builder_.output(*node);
  }

  graph::GraphBuilder builder_{"random"};
  std::mt19937 random_;
};

TEST(CompiledWinograd, ComputesRandomConvolutions) {
  int filtered = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    SessionOptions options;
    // Tiles of either size, in blocks or in whatever layout is chosen.
    options.pipeline =
        fmt::format("{}, winograd-f{}", seed % 3 == 0 ? "layout-blocked" : "assign-layouts",
                    seed % 2 == 0 ? 2 : 4);
    auto session = session_on(Drawing(seed)(), options, filtering_everything());
    expect_compiled_equals_interpreted(*session, 2e-5, 2e-4);
    for (const graph::NodePtr& node : (*session->graph())->nodes())
      filtered += node->op->name.ends_with("WinogradOutput");
  }
  EXPECT_GT(filtered, 60);
}

}  // namespace
}  // namespace loopglass
