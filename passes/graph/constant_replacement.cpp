#include "passes/graph/constant_replacement.h"

#include "core/graph/program.h"
#include "core/loop/interpreter.h"
#include "core/te/flops.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

// A folded constant is kept in memory and its evaluation makes a person wait: at most 64 MiB and
// about a second of interpreting.
constexpr std::int64_t maximum_bytes = std::int64_t{64} << 20;
constexpr std::int64_t maximum_operations = 50'000'000;
// Where a little is spread over much, reading the much costs more than spreading it again.
constexpr std::int64_t spread_bytes = std::int64_t{1} << 20, spread_factor = 8;

void missed(pass::Report& report, const graph::Node& node, std::string code, std::string text,
            std::vector<std::pair<std::string, double>> numbers = {}) {
  report.remark(
      {pass::RemarkKind::Missed, std::move(code), node.name, std::move(numbers), std::move(text)});
}

}  // namespace

std::vector<graph::ValueId> replace_by_constants(graph::GraphBuilder& builder, graph::NodeId id,
                                                 std::span<const Tensor> inputs,
                                                 const std::string& rule, pass::Report& report) {
  const graph::Node node = builder.node(id);
  std::int64_t bytes = 0, elements = 0;
  for (const graph::ValueId output : node.outputs) {
    const TensorType& type = builder.value(output).type;
    bytes += type.bytes();
    elements += element_count(type.shape);
    // A graph output must stay a node's result: it is what running the network writes.
    if (builder.is_output(output)) {
      missed(report, node, "FOLD_GRAPH_OUTPUT",
             fmt::format("{} is a result of the network and stays an operator.", node.name));
      return {};
    }
  }
  const auto program = program_of(builder, node);
  if (!program) return {};
  const std::int64_t operations = te::flops(*program) + elements;
  if (bytes > maximum_bytes || operations > maximum_operations) {
    missed(
        report, node, "FOLD_TOO_LARGE",
        fmt::format("{} could be computed now, but is too large to be worth it.", node.name),
        {{"bytes", static_cast<double>(bytes)}, {"operations", static_cast<double>(operations)}});
    return {};
  }
  std::int64_t read = 0;
  for (const Tensor& input : inputs) read += input.defined() ? input.type().bytes() : 0;
  if (bytes > spread_bytes && bytes / spread_factor > read) {
    missed(
        report, node, "FOLD_GROWS",
        fmt::format("{} could be computed now, but makes {} bytes of {}.", node.name, bytes, read),
        {{"bytes", static_cast<double>(bytes)}, {"operand_bytes", static_cast<double>(read)}});
    return {};
  }
  const auto results = loop::evaluate(*node.op, node.attributes, inputs, node.outputs.size());
  if (!results) {
    missed(report, node, code_name(results.error().code), results.error().what);
    return {};
  }
  std::vector<std::pair<graph::ValueId, std::string>> renamed;  // the old results' names, once free
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (!builder.is_used(node.outputs[i])) continue;
    const std::string name = builder.value(node.outputs[i]).name;
    renamed.emplace_back(builder.add_constant(name, (*results)[i]), name);
    builder.replace_uses(node.outputs[i], renamed.back().first);
  }
  builder.remove_node(id);
  std::vector<graph::ValueId> constants;
  for (const auto& [constant, name] : renamed) {
    builder.rename(constant, name);
    constants.push_back(constant);
  }
  report.rewrite(
      {rule, {id.value}, {}, fmt::format("{} ({}) became a constant", node.name, node.op->name)});
  return constants;
}

pass::Words constant_replacement_words() {
  return {{pass::Word::Kind::Remark, "FOLD_GRAPH_OUTPUT",
           "The result could be a constant, but it is one of the network's results, which are "
           "computed by operators."},
          {pass::Word::Kind::Remark, "FOLD_TOO_LARGE",
           "The result could be a constant, but computing it now takes more time or memory than it "
           "is worth."},
          {pass::Word::Kind::Remark, "FOLD_GROWS",
           "The result could be a constant, but it is much larger than what it is made of, and "
           "would be read from memory."}};
}

}  // namespace loopglass::passes
