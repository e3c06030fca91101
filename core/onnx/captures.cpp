#include "core/onnx/captures.h"

#include <onnx/onnx_pb.h>
#include <unordered_set>

namespace loopglass::onnx {

namespace {

// Graphs within graphs go as deep as the parser has let them (100 levels).
class Captures {
 public:
  void visit(const ::onnx::NodeProto& node) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) visit(attribute.g());
      for (const auto& graph : attribute.graphs()) visit(graph);
    }
  }

  // A name that is defined here is inner from here on, and outer before.
  void visit(const ::onnx::GraphProto& graph) {
    std::vector<std::string> own;
    const auto define = [&](const std::string& name) {
      if (!name.empty() && inner_.insert(name).second) own.push_back(name);
    };
    for (const auto& input : graph.input()) define(input.name());
    for (const auto& initializer : graph.initializer()) define(initializer.name());
    for (const auto& initializer : graph.sparse_initializer()) define(initializer.values().name());
    for (const auto& node : graph.node()) {
      for (const std::string& name : node.input()) read(name);
      visit(node);
      for (const std::string& name : node.output()) define(name);
    }
    for (const auto& output : graph.output()) read(output.name());
    for (const std::string& name : own) inner_.erase(name);
  }

  std::vector<std::string> found;

 private:
  void read(const std::string& name) {
    if (!name.empty() && !inner_.contains(name) && seen_.insert(name).second) found.push_back(name);
  }

  std::unordered_set<std::string> inner_, seen_;
};

}  // namespace

std::vector<std::string> names_read_from_outside(const ::onnx::NodeProto& node) {
  Captures captures;
  captures.visit(node);
  return std::move(captures.found);
}

std::vector<std::string> names_read_from_outside(const ::onnx::GraphProto& graph) {
  Captures captures;
  captures.visit(graph);
  return std::move(captures.found);
}

}  // namespace loopglass::onnx
