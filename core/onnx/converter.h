// Turns the nodes of an ONNX graph into nodes of ours, one at a time, in the file's order: looks up
// each operator's mapping, binds constants to attributes, expands functions (the model's own and
// those of core/contributed), branches that are known to be taken and loops. What is not supported
// becomes an opaque node; what is wrong is an error.
#pragma once

#include "core/onnx/constant_values.h"
#include "core/onnx/data_values.h"
#include "core/onnx/tensor_reader.h"
#include "core/onnx/type_proto.h"
#include "core/ops/registry.h"

#include <set>
#include <unordered_set>

namespace onnx {
class FunctionProto;
class GraphProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace loopglass::contributed {
class Call;
struct Function;
}  // namespace loopglass::contributed

namespace loopglass::onnx {

using OpsetVersions = std::map<std::string, int>;  // by domain; "" is ai.onnx
// As the model or a function body imports them. ModelCorrupt for versions that are none.
Result<OpsetVersions> opset_versions(const ::onnx::ModelProto& model);
Result<OpsetVersions> opset_versions(const ::onnx::FunctionProto& function);

// What there is to convert: a model's graph, or one that an operator of it runs.
struct GraphSource {
  const ::onnx::ModelProto& model;  // for its functions
  const ::onnx::GraphProto& graph;
  OpsetVersions opsets;
  Symbols symbols;  // what symbolic dimensions of declared types stand for
};

// A graph inside a node, with what it starts from (ImportOptions::subgraph).
struct Subgraph {
  struct Input {
    std::string name;
    TensorType type;
    Tensor constant;  // defined where the value is known
  };
  std::shared_ptr<const ::onnx::GraphProto> graph;
  OpsetVersions opsets;
  std::vector<Input> inputs;  // its own, then what it reads from around it
  std::string rest;           // of the path: one further inside
};

// Those of one operator that core/contributed says as a function.
struct ContributedNodes {
  std::vector<std::string> names;  // as in the graph, where the function's nodes are "name/..."
  std::string_view caution;        // contributed::Function::caution
};

// What became of the operators that run graphs.
struct Expansions {
  struct Loop {
    std::string name;
    std::int64_t iterations;
    bool may_end_early;  // which are run is known only when the network does
  };
  struct Branch {
    std::string name, taken;  // "then_branch" or "else_branch"
  };
  std::vector<Branch> branches_taken;        // of each If that is the branch it takes
  std::vector<std::string> chosen_when_run;  // Ifs of which both branches are computed
  std::vector<Loop> unrolled;
  // "node.attribute" of all graphs that can be opened.
  std::vector<std::string> subgraph_names;

  struct Counts {
    std::size_t branches, chosen, loops, subgraphs;
  };
  Counts counts() const {
    return {branches_taken.size(), chosen_when_run.size(), unrolled.size(), subgraph_names.size()};
  }
  // As they were then: what was tried since is not to be.
  void take_back_to(const Counts& counts) {
    branches_taken.resize(counts.branches);
    chosen_when_run.resize(counts.chosen);
    unrolled.resize(counts.loops);
    subgraph_names.resize(counts.subgraphs);
  }
};

class Converter {
 public:
  // `reader` by value: each conversion has the same budget.
  Converter(GraphSource source, const ImportOptions& options, TensorReader reader);

  // Names what the graph starts from; ModelCorrupt for a name given twice.
  Result<void> define_input(const std::string& name, TensorType type);
  // `few_bits`: "INT4", where the file has bytes of that type's values (element_type.h), which only
  // some operators may take for bytes.
  Result<void> define_constant(const std::string& name, Tensor value, std::string few_bits = {});
  // One that cannot be read here: an opaque operator that makes it.
  Result<void> define_opaque_constant(const std::string& name, TensorType type, Diagnostic reason);
  Result<void> convert_nodes();
  Result<graph::Graph> finish(const std::vector<Signature>& outputs);

  // The one that options.subgraph asks for, once its node was met.
  const std::optional<Subgraph>& subgraph() const { return subgraph_; }
  const Expansions& expansions() const { return expansions_; }
  // What decided shapes and hangs on data.
  const DataValues& data() const { return data_; }
  // Of the outputs behind the model's own (ImportOptions::gives_counted), once it is finished.
  std::vector<Tensor> counted() const;

  // Graph inputs with a value in options.bound_inputs whose data turned out to decide a shape; the
  // conversion failed because of it and can be begun again with them as constants.
  const std::set<std::string>& inputs_to_bind() const { return inputs_to_bind_; }
  // Nodes of operators that are not ONNX's own and were expanded, by "domain.name".
  const std::map<std::string, ContributedNodes>& contributed() const { return contributed_; }
  std::vector<Note> notes;

 private:
  // A name space: the graph's, or that of one expanded function or branch.
  struct Scope {
    std::unordered_map<std::string, graph::ValueId> values;
    const Scope* parent = nullptr;  // a branch sees what is around it
    std::unordered_map<std::string, const ::onnx::TypeProto*> declared;
    const OpsetVersions* opsets;
    std::string prefix;  // of everything made inside
    // A function's or branch's outputs, as they are called outside.
    std::unordered_map<std::string, std::string> public_names;
    std::uint32_t source = 0;  // index of the ONNX node
    int depth = 0;
  };

  Result<void> convert(const ::onnx::NodeProto& node, Scope& scope);
  Result<void> convert_known(const ::onnx::NodeProto& node, const std::string& domain, int opset,
                             const std::vector<graph::ValueId>& inputs, Scope& scope);
  Result<void> convert_operator(const ::onnx::NodeProto& node, const ops::OnnxMatch& match,
                                const std::vector<graph::ValueId>& inputs, Scope& scope);
  Result<void> convert_constant(const ::onnx::NodeProto& node, Scope& scope);
  Result<void> convert_constant_of_shape(const ::onnx::NodeProto& node,
                                         const std::vector<graph::ValueId>& inputs, Scope& scope);
  Result<void> expand(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function,
                      const std::vector<graph::ValueId>& inputs, Scope& scope);

  // contributed_node.cpp
  Result<void> convert_contributed(const ::onnx::NodeProto& node,
                                   const contributed::Function& function,
                                   const std::vector<graph::ValueId>& inputs, Scope& scope);
  // Those that the function asks for (contributed::Function::numbers).
  Result<void> tell_numbers(const contributed::Function& function,
                            const std::vector<graph::ValueId>& inputs, contributed::Call& call);

  // How many elements results have that hang on data.
  bool counts_data(const contributed::Function& function,
                   const std::vector<graph::ValueId>& inputs);
  Result<Tensor> counted_input(graph::ValueId input);
  // The value was taken for this tensor.
  void note_counted(graph::ValueId value, const Tensor& tensor);
  Result<void> tell_counts(const contributed::Function& function,
                           const std::vector<graph::ValueId>& inputs, contributed::Call& call);

  // body.cpp: graphs inside nodes, written out.
  Result<Scope> inner_scope(std::string prefix, const Scope& scope) const;
  Result<void> define_initializers(const ::onnx::GraphProto& graph, Scope& body);
  // The nodes of the graph; `what` it is called in errors.
  Result<void> convert_body(const std::string& what, const ::onnx::GraphProto& graph, Scope& body);
  Result<graph::ValueId> body_output(const std::string& inner, const Scope& body) const;
  // A result of the node is this value: by a copy, where it has another name than the outside
  // knows.
  Result<void> give_result(graph::ValueId made, const std::string& copy_name,
                           const ::onnx::NodeProto& node, int index, Scope& scope);
  // A node of an operator with one result.
  Result<graph::ValueId> add_inner(const std::string& name, std::string_view op,
                                   std::vector<graph::ValueId> inputs, ops::Attributes attributes,
                                   const Scope& scope, std::vector<std::string> output_names = {});
  void remove_nodes_since(graph::NodeId first);
  // OperatorUnsupported: names the first that is.
  Result<void> check_no_opaque_since(graph::NodeId first) const;

  // branch.cpp: If. OperatorUnsupported where its condition is not known and both branches cannot
  // be computed.
  Result<void> convert_if(const ::onnx::NodeProto& node, const std::vector<graph::ValueId>& inputs,
                          Scope& scope);
  // The branch's own name space, with all that it makes. `is_taken`: what it gives is called as
  // outside.
  Result<Scope> convert_branch(const ::onnx::NodeProto& node, const ::onnx::GraphProto& branch,
                               std::string prefix, bool is_taken, const Scope& scope);
  Result<void> take_branch(const ::onnx::NodeProto& node, bool condition, Scope& scope);
  // `why` the condition is not known.
  Result<void> choose_when_run(const ::onnx::NodeProto& node, graph::ValueId condition,
                               const std::string& why, Scope& scope);
  Result<void> compute_both(const ::onnx::NodeProto& node, graph::ValueId condition,
                            const std::string& name, Scope& scope);
  Result<graph::ValueId> choice(const ::onnx::NodeProto& node, int index,
                                std::vector<graph::ValueId> operands, const std::string& name,
                                const Scope& scope);

  class Unrolling;  // unrolling.h: Loop and Scan

  // pieces.cpp: tensors cut and joined. Axes are counted from the front where nothing else is said.
  Result<std::int64_t> axis_of(std::int64_t axis, std::size_t rank) const;
  Result<graph::ValueId> slice(const std::string& name, graph::ValueId of, std::int64_t axis,
                               std::int64_t begin, std::int64_t end, const Scope& scope);
  Result<graph::ValueId> reshaped(const std::string& name, graph::ValueId of, Shape shape,
                                  const Scope& scope);
  // Without the axis.
  Result<graph::ValueId> element_along(const std::string& name, graph::ValueId of,
                                       std::int64_t axis, std::int64_t place, const Scope& scope);
  Result<graph::ValueId> joined(const std::string& name, std::vector<graph::ValueId> parts,
                                std::int64_t axis, const Scope& scope);
  // Along a new axis of the result; negative: counted from its end.
  Result<graph::ValueId> stacked(const std::string& name, std::vector<graph::ValueId> parts,
                                 std::int64_t axis, const Scope& scope);

  // sequence.cpp
  bool is_about_sequences(const ::onnx::NodeProto& node,
                          const std::vector<graph::ValueId>& inputs) const;
  bool makes_known_sequence(const graph::Node& node) const;
  Result<void> convert_sequence(const ::onnx::NodeProto& node, int opset,
                                const std::vector<graph::ValueId>& inputs, Scope& scope);
  // The elements of the first input. OperandTypeUnknown where they are not known.
  Result<const std::vector<graph::ValueId>*> sequence(
      const std::vector<graph::ValueId>& inputs) const;
  // What input `index` says, `last` where it is left out; negative: counted from the end of
  // `count`.
  Result<std::ptrdiff_t> place_in_sequence(const std::vector<graph::ValueId>& inputs,
                                           std::size_t index, std::int64_t count,
                                           std::int64_t last);
  Result<std::vector<graph::ValueId>> made_sequence(const ::onnx::NodeProto& node,
                                                    const std::vector<graph::ValueId>& inputs,
                                                    Scope& scope);
  Result<std::vector<graph::ValueId>> split_to_sequence(const ::onnx::NodeProto& node,
                                                        const std::vector<graph::ValueId>& inputs,
                                                        Scope& scope);
  Result<void> join_sequence(const ::onnx::NodeProto& node,
                             const std::vector<graph::ValueId>& inputs, Scope& scope);
  void remove_unread_sequences();

  // opaque_node.cpp: nodes that stand for what is not supported.
  Result<void> convert_opaque(const ::onnx::NodeProto& node, const std::string& domain, int opset,
                              std::vector<graph::ValueId> inputs, Diagnostic reason, Scope& scope);
  Result<void> check_operands(const std::vector<graph::ValueId>& inputs) const;
  // `op`: null where the node is made of others.
  Result<void> check_few_bits(const ops::OpDef* op,
                              const std::vector<graph::ValueId>& inputs) const;
  // Names that the node's graphs read from around it.
  Result<std::vector<std::string>> captured_names(const ::onnx::NodeProto& node,
                                                  const Scope& scope) const;
  struct TypedResults {
    std::vector<TensorType> types;
    std::vector<std::shared_ptr<const ::onnx::TypeProto>> protos;
  };
  // As they follow from the operands, else as they are declared.
  TypedResults result_types(const ::onnx::NodeProto& node, const std::string& domain, int opset,
                            const std::vector<std::string>& captured, const Scope& scope) const;
  const ::onnx::TypeProto* declared_type(const std::string& name, const Scope& scope) const;
  void note_subgraphs(const ::onnx::NodeProto& node, const std::string& name, const Scope& scope);
  Subgraph subgraph_of(const ::onnx::NodeProto& node, const ::onnx::GraphProto& graph,
                       const Scope& scope) const;

  Result<std::vector<graph::ValueId>> resolve_inputs(const ::onnx::NodeProto& node,
                                                     const Scope& scope) const;
  // Its value, which the graph is then made for: of what hangs on data that of these inputs.
  Result<Tensor> constant_input(std::size_t index, std::string_view role,
                                const std::vector<graph::ValueId>& inputs);
  // Whether the value that was asked for last depends on an input that has a known value: the
  // conversion is to be begun again with it.
  bool binds_what_blocks();
  // What a person may do about an input that is one whole number; empty for others.
  std::string setting_remedy(graph::ValueId input) const;
  Result<void> define(const std::string& name, graph::ValueId id, Scope& scope);
  // In this scope or those around it; nullptr: nothing has that name. An invalid id: left out.
  const graph::ValueId* find(const std::string& name, const Scope& scope) const;
  std::string value_name(const std::string& name, const Scope& scope) const;
  std::string own_name(const ::onnx::NodeProto& node, const Scope& scope) const;
  std::string node_name(const ::onnx::NodeProto& node, const Scope& scope) const;
  std::vector<std::string> output_names(const ::onnx::NodeProto& node, const Scope& scope) const;
  Result<void> define_outputs(const ::onnx::NodeProto& node, graph::NodeId id, Scope& scope);
  std::string unused_name(const std::string& name) const;
  std::vector<const TensorType*> types_of(const std::vector<graph::ValueId>& values) const;

  const GraphSource source_;
  const ImportOptions& options_;
  TensorReader reader_;
  graph::GraphBuilder builder_;
  ConstantValues constants_;
  DataValues data_;
  struct Counted {
    graph::ValueId value;
    graph::NodeId producer;
    Tensor tensor;
  };
  std::vector<Counted> counted_;
  Scope top_;
  std::unordered_set<std::string> model_names_;  // taken by the model's own values
  std::unordered_map<std::string, const ::onnx::FunctionProto*> functions_;  // by "domain name"
  std::set<std::string> inputs_to_bind_;
  // Of values whose type is not known: as far as it is declared, and what is to blame.
  std::unordered_map<graph::ValueId, std::shared_ptr<const ::onnx::TypeProto>> open_types_;
  std::unordered_map<graph::ValueId, std::string> culprits_;
  std::unordered_map<graph::ValueId, std::string> few_bits_;  // constants of such types: which
  std::optional<Subgraph> subgraph_;
  Expansions expansions_;
  // By what stands for the sequence as a whole.
  std::unordered_map<graph::ValueId, std::vector<graph::ValueId>> sequences_;
  std::map<std::string, ContributedNodes> contributed_;
  std::size_t nodes_made_ = 0;
};

// How many outputs a node declares; trailing empty names are outputs left out.
std::size_t output_count(const ::onnx::NodeProto& node);

// "'conv1' (Conv)" or "3 (Conv)" for a node without a name.
std::string node_label(const ::onnx::NodeProto& node, std::size_t index);

}  // namespace loopglass::onnx
