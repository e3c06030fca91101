// Loop and Scan, written out: each iteration stands in the graph under its number, as
// "name/0/...". How often they run has to be known, or of Loop at least how often at most: where
// its condition is known only when the network runs, all iterations are computed, and Where keeps
// what was carried when it ended.
#pragma once

#include "core/onnx/converter.h"

#include <fmt/format.h>
#include <functional>

namespace loopglass::onnx {

class Converter::Unrolling {
 public:
  // The body's initializers are there once, for all iterations.
  static Result<void> loop(Converter& to, const ::onnx::NodeProto& node,
                           std::vector<graph::ValueId> inputs, Scope& scope);
  // Of operator set 9 and later: without a batch.
  static Result<void> scan(Converter& to, const ::onnx::NodeProto& node, int opset,
                           const std::vector<graph::ValueId>& inputs, Scope& scope);

 private:
  using Values = std::vector<graph::ValueId>;

  Unrolling(Converter& to, const ::onnx::NodeProto& node, const ::onnx::GraphProto& body,
            Scope& scope)
      : to_(to),
        node_(node),
        body_(body),
        scope_(scope),
        name_(to.node_name(node, scope)),
        first_(to.builder_.next_node()) {}

  // With what `write_out` gives as the node's results; as if nothing had been tried where that is
  // not supported.
  static Result<void> unroll(Converter& to, const ::onnx::NodeProto& node, Scope& scope,
                             const std::function<Result<Values>(Unrolling&)>& write_out);

  // What the body gives for these inputs.
  Result<Values> iterate(const Values& arguments);
  Result<void> check_counts(std::size_t inputs, std::size_t outputs) const;
  Result<void> check_length(std::int64_t iterations) const;
  std::string inner_name(const std::string& what) const {
    return fmt::format("{}/{}/{}", name_, iterations_, what);
  }

  // loop.cpp
  Result<Values> loop_results(const Values& inputs, std::optional<std::int64_t> most);
  Result<void> take_condition(graph::ValueId condition, bool needs_count);
  Result<graph::ValueId> carried_on(graph::ValueId before, graph::ValueId after);
  // scan.cpp
  Result<Values> scan_results(const Values& inputs);

  Converter& to_;
  const ::onnx::NodeProto& node_;
  const ::onnx::GraphProto& body_;
  Scope& scope_;
  const std::string name_;
  const graph::NodeId first_;
  std::optional<Scope> constants_;  // what iterations see between themselves and what is around
  std::int64_t iterations_ = 0;
  // Whether there is a further one: as far as that is known, and what decides it when the network
  // runs.
  bool goes_on_ = true;
  graph::ValueId going_;
};

}  // namespace loopglass::onnx
