#include "core/onnx/node_order.h"

#include "core/onnx/captures.h"

#include <onnx/onnx_pb.h>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace loopglass::onnx {

namespace {

using ::onnx::GraphProto;
using ::onnx::NodeProto;

struct Reads {
  std::vector<std::vector<int>> producers;  // of each node: nodes before it or behind it
  std::string first_early;                  // a value that is read before it is made
};

Reads reads_of(const GraphProto& graph) {
  std::unordered_map<std::string_view, int> makers;
  for (int index = 0; index < graph.node_size(); ++index)
    for (const std::string& name : graph.node(index).output())
      if (!name.empty()) makers.emplace(name, index);
  Reads reads;
  for (int index = 0; index < graph.node_size(); ++index) {
    std::vector<int>& producers = reads.producers.emplace_back();
    const auto read = [&](const std::string& name) {
      const auto maker = makers.find(name);
      if (maker == makers.end() || maker->second == index) return;
      producers.push_back(maker->second);
      if (maker->second > index && reads.first_early.empty()) reads.first_early = name;
    };
    for (const std::string& name : graph.node(index).input()) read(name);
    for (const std::string& name : names_read_from_outside(graph.node(index))) read(name);
  }
  return reads;
}

// Depth first, from each node in turn to what it reads. A chain may be as long as the graph, so
// what is open lies in a list and not on the stack of calls.
std::vector<int> producers_first(const Reads& reads) {
  enum class Mark : std::uint8_t { None, Open, Done };
  std::vector<Mark> marks(reads.producers.size(), Mark::None);
  std::vector<int> order;
  struct Open {
    int node;
    std::size_t next = 0;  // of its producers
  };
  std::vector<Open> open;
  const auto begin = [&](int node) {
    Mark& mark = marks[static_cast<std::size_t>(node)];
    if (mark != Mark::None) return;
    mark = Mark::Open;
    open.push_back({node});
  };
  for (int node = 0; node < std::ssize(reads.producers); ++node) {
    begin(node);
    while (!open.empty()) {
      auto& [last, next] = open.back();
      const std::vector<int>& producers = reads.producers[static_cast<std::size_t>(last)];
      if (next < producers.size()) {
        begin(producers[next++]);
        continue;
      }
      marks[static_cast<std::size_t>(last)] = Mark::Done;
      order.push_back(last);
      open.pop_back();
    }
  }
  return order;
}

}  // namespace

std::string sort_nodes(GraphProto& graph) {
  for (NodeProto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) sort_nodes(*attribute.mutable_g());
      for (GraphProto& inner : *attribute.mutable_graphs()) sort_nodes(inner);
    }
  Reads reads = reads_of(graph);
  if (reads.first_early.empty()) return {};
  google::protobuf::RepeatedPtrField<NodeProto> sorted;
  sorted.Reserve(graph.node_size());
  for (const int index : producers_first(reads)) sorted.Add()->Swap(graph.mutable_node(index));
  graph.mutable_node()->Swap(&sorted);
  return std::move(reads.first_early);
}

}  // namespace loopglass::onnx
