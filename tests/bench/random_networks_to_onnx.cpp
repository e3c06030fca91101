// Random networks as ONNX models, with inputs and what they give, for another runtime to be
// compared with (random_onnxruntime.mjs): DIRECTORY/SEED.onnx, the tensors in SEED.bin one after
// the other, and a line a network in networks.json.
//
//   random_networks_to_onnx DIRECTORY [COUNT [FIRST_SEED]]
#include "core/loop/interpret_graph.h"
#include "core/onnx/export.h"
#include "tests/random/random_inputs.h"
#include "tests/random/random_network.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>

namespace loopglass {
namespace {

// The second where the first has no form of an operator: images of three spatial axes, sampled.
constexpr int opset = 17, later_opset = 20;

nlohmann::json described(const graph::Value& value, const Tensor& tensor, std::ofstream& bytes) {
  const auto offset = static_cast<std::int64_t>(bytes.tellp());
  bytes.write(reinterpret_cast<const char*>(tensor.data()),
              static_cast<std::streamsize>(tensor.bytes()));
  return {{"name", value.name},
          {"type", name(tensor.data_type())},
          {"shape", tensor.shape()},
          {"offset", offset}};
}

double magnitude(const Tensor& tensor) {
  double largest = 0;
  for (std::int64_t i = 0; is_float(tensor.data_type()) && i < tensor.elements(); ++i)
    if (const double element = std::fabs(tensor.double_at(i)); std::isfinite(element))
      largest = std::max(largest, element);
  return largest;
}

// Nothing where ONNX has no form of the network.
Result<nlohmann::json> written(std::uint32_t seed, const std::filesystem::path& directory) {
  const graph::Graph graph =
      test::random_network(seed, {.operators = 2 + static_cast<int>(seed % 10),
                                  .type = DataType::Float32,
                                  .jumps = seed % 4 == 3});
  const std::string name = std::to_string(seed);
  if (!onnx::write(graph, directory / (name + ".onnx"), opset))
    TRY_VOID(onnx::write(graph, directory / (name + ".onnx"), later_opset));
  const std::vector<Tensor> inputs = test::random_inputs(graph, seed);
  const auto values = TRY(loop::interpret_values(graph, inputs));
  std::ofstream bytes(directory / (name + ".bin"), std::ios::binary);
  nlohmann::json network{{"seed", seed}, {"magnitude", 1.0}};
  for (const auto& [id, tensor] : values)
    network["magnitude"] = std::max(network["magnitude"].get<double>(), magnitude(tensor));
  for (const graph::ValueId input : graph.inputs())
    network["inputs"].push_back(described(graph.value(input), values.at(input), bytes));
  for (const graph::ValueId output : graph.outputs())
    network["outputs"].push_back(described(graph.value(output), values.at(output), bytes));
  return network;
}

int run(const std::filesystem::path& directory, std::uint32_t count, std::uint32_t first) {
  std::filesystem::create_directories(directory);
  std::ofstream list(directory / "networks.json");
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const auto network = written(seed, directory);
    if (network) list << network->dump() << "\n";
    else fmt::print(stderr, "{}: {}\n", seed, to_string(network.error()));
  }
  return 0;
}

}  // namespace
}  // namespace loopglass

int main(int count, char** words) {
  const auto number = [&](int at, unsigned long fallback) {
    return static_cast<std::uint32_t>(at < count ? std::stoul(words[at]) : fallback);
  };
  if (count < 2) {
    fmt::print(stderr, "usage: random_networks_to_onnx DIRECTORY [COUNT [FIRST_SEED]]\n");
    return 2;
  }
  return loopglass::run(words[1], number(2, 1000), number(3, 0));
}
