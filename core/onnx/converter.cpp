#include "core/onnx/converter.h"

#include "core/contributed/function.h"
#include "core/onnx/input_settings.h"
#include "core/onnx/limits.h"
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"
#include "core/onnx/schema.h"
#include "core/onnx/unrolling.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <new>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;

// Inputs that are made constants: extents, axes, factors.
constexpr std::int64_t most_bound_elements = 16;

std::string canonical_domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

std::string function_key(const std::string& domain, const std::string& name) {
  return canonical_domain(domain) + " " + name;
}

Result<OpsetVersions> versions(const auto& imports) {
  OpsetVersions versions;
  for (const auto& import : imports) {
    if (import.version() < 1 || import.version() > 1'000'000)
      return fail(Code::ModelCorrupt, fmt::format("operator set version {} of domain '{}'",
                                                  import.version(), import.domain()));
    versions[canonical_domain(import.domain())] = static_cast<int>(import.version());
  }
  return versions;
}

}  // namespace

std::size_t output_count(const NodeProto& node) {
  int count = node.output_size();
  while (count > 0 && node.output(count - 1).empty()) --count;
  return static_cast<std::size_t>(count);
}

Result<OpsetVersions> opset_versions(const ::onnx::ModelProto& model) {
  OpsetVersions found = TRY(versions(model.opset_import()));
  // Before IR version 3 there was one operator set.
  if (found.empty() && model.ir_version() < 3) found[""] = 1;
  if (found.empty()) return corrupt("the model names no operator set");
  return found;
}

Result<OpsetVersions> opset_versions(const FunctionProto& function) {
  return versions(function.opset_import());
}

std::string node_label(const NodeProto& node, std::size_t index) {
  return node.name().empty() ? fmt::format("{} ({})", index, node.op_type())
                             : fmt::format("'{}' ({})", node.name(), node.op_type());
}

Converter::Converter(GraphSource source, const ImportOptions& options, TensorReader reader)
    : source_(std::move(source)),
      options_(options),
      reader_(std::move(reader)),
      builder_(source_.graph.name()),
      constants_(builder_, options_.evaluate),
      data_(builder_, options_) {
  top_.opsets = &source_.opsets;
  for (const FunctionProto& function : source_.model.functions())
    functions_[function_key(function.domain(), function.name())] = &function;
  for (const NodeProto& node : source_.graph.node())
    model_names_.insert(node.output().begin(), node.output().end());
  for (const auto& input : source_.graph.input()) model_names_.insert(input.name());
  for (const auto* values : {&source_.graph.value_info(), &source_.graph.output()})
    for (const auto& value : *values) top_.declared.emplace(value.name(), &value.type());
}

Result<void> Converter::define(const std::string& name, ValueId id, Scope& scope) {
  if (!scope.values.emplace(name, id).second)
    return corrupt(fmt::format("value '{}' is defined twice", name));
  return {};
}

Result<void> Converter::define_input(const std::string& name, TensorType type) {
  if (name.empty()) return corrupt("a graph input has no name");
  const bool is_known = type.is_known();
  const ValueId id = builder_.add_input(name, std::move(type));
  if (!is_known) {
    culprits_[id] = fmt::format("graph input '{}'", name);
    for (const auto& input : source_.graph.input())
      if (input.name() == name)
        open_types_[id] = std::make_shared<const ::onnx::TypeProto>(input.type());
  }
  return define(name, id, top_);
}

Result<void> Converter::define_constant(const std::string& name, Tensor value,
                                        std::string few_bits) {
  if (name.empty()) return corrupt("an initializer has no name");
  const ValueId id = builder_.add_constant(name, std::move(value));
  if (!few_bits.empty()) few_bits_.emplace(id, std::move(few_bits));
  return define(name, id, top_);
}

const ValueId* Converter::find(const std::string& name, const Scope& scope) const {
  for (const Scope* around = &scope; around != nullptr; around = around->parent)
    if (const auto found = around->values.find(name); found != around->values.end())
      return &found->second;
  return nullptr;
}

std::string Converter::unused_name(const std::string& name) const {
  std::string free = name;
  while (model_names_.contains(free)) free += "_inner";
  return free;
}

// Values of the graph and outputs of functions keep the model's names; inner values get the prefix.
std::string Converter::value_name(const std::string& name, const Scope& scope) const {
  if (scope.depth == 0) return name;
  const auto found = scope.public_names.find(name);
  return found != scope.public_names.end() ? found->second : unused_name(scope.prefix + name);
}

std::vector<const TensorType*> Converter::types_of(const std::vector<ValueId>& values) const {
  std::vector<const TensorType*> types;
  for (const ValueId id : values) types.push_back(id ? &builder_.value(id).type : nullptr);
  return types;
}

Result<void> Converter::convert_nodes() {
  const auto& nodes = source_.graph.node();
  for (int index = 0; index < nodes.size(); ++index) {
    if (options_.cancellation.requested()) return fail(Code::Cancelled, "the import was cancelled");
    if (options_.progress && index % 64 == 0)
      options_.progress("converting operators", static_cast<double>(index) / nodes.size());
    top_.source = static_cast<std::uint32_t>(index);
    Result<void> done;
    try {
      done = convert(nodes[index], top_);
    } catch (const InternalError& error) {
      done = fail(Code::InternalDefect, error.what());
    } catch (const std::bad_alloc&) {
      done = fail(Code::OutOfMemory, "there is not enough memory to import the operator");
    }
    if (done) continue;
    Diagnostic diagnostic = std::move(done).error();
    const std::string node =
        fmt::format("node {}", node_label(nodes[index], static_cast<std::size_t>(index)));
    // What expands or computes other nodes names those too.
    diagnostic.where = diagnostic.where.empty() || diagnostic.where == node
                           ? node
                           : fmt::format("{}, at {}", node, diagnostic.where);
    return std::unexpected(std::move(diagnostic));
  }
  return {};
}

Result<std::vector<ValueId>> Converter::resolve_inputs(const NodeProto& node,
                                                       const Scope& scope) const {
  if (node.input_size() > maximum_node_inputs)
    return fail(Code::ModelTooLarge, fmt::format("{} inputs; at most {} are accepted",
                                                 node.input_size(), maximum_node_inputs));
  std::vector<ValueId> inputs;
  for (const std::string& name : node.input()) {
    if (name.empty()) {
      inputs.emplace_back();
      continue;
    }
    if (const ValueId* found = find(name, scope)) {
      inputs.push_back(*found);
      continue;
    }
    if (std::find(node.output().begin(), node.output().end(), name) != node.output().end())
      return corrupt(fmt::format("the node reads its own result '{}'", name));
    if (scope.depth == 0 && model_names_.contains(name))
      return corrupt(
          fmt::format("the node reads '{}', which is made of its own result: nodes read one "
                      "another in a circle",
                      name));
    return corrupt(fmt::format("the node reads '{}', which nothing makes", name));
  }
  while (!inputs.empty() && !inputs.back()) inputs.pop_back();
  return inputs;
}

Result<void> Converter::convert(const NodeProto& node, Scope& scope) {
  if (++nodes_made_ > maximum_nodes)
    return fail(Code::ModelTooLarge, fmt::format("more than {} nodes", maximum_nodes));
  if (output_count(node) == 0) return corrupt("the node has no outputs");
  const std::string domain = canonical_domain(node.domain());
  const std::vector<ValueId> inputs = TRY(resolve_inputs(node, scope));
  if (const auto function = functions_.find(function_key(domain, node.op_type()));
      function != functions_.end())
    return expand(node, *function->second, inputs, scope);
  const auto opset = scope.opsets->find(domain);
  if (opset == scope.opsets->end())
    return corrupt(fmt::format("operator '{}' is of domain '{}', of which no version is imported",
                               node.op_type(), node.domain()));
  TRY_VOID(check_schema(node, domain, opset->second));
  auto done = convert_known(node, domain, opset->second, inputs, scope);
  // An input that has to be bound begins the import again.
  if (done || !inputs_to_bind_.empty()) return done;
  // What follows from random numbers need not fit: that is not the model's fault.
  const Code code = done.error().code;
  const bool is_guess_wrong =
      data_.is_guessed() && (code == Code::OperatorMisused || code == Code::ModelTooLarge);
  if (is_guess_wrong)
    done = fail(Code::OperatorUnsupported,
                "with the random numbers that its shapes hang on: " + done.error().what);
  else if (!is_unsupported(code)) return done;
  return convert_opaque(node, domain, opset->second, inputs, std::move(done).error(), scope);
}

Result<void> Converter::convert_known(const NodeProto& node, const std::string& domain, int opset,
                                      const std::vector<ValueId>& inputs, Scope& scope) {
  if (domain.empty()) {
    if (is_about_sequences(node, inputs)) return convert_sequence(node, opset, inputs, scope);
    if (node.op_type() == "Loop") return Unrolling::loop(*this, node, inputs, scope);
    if (node.op_type() == "Scan") return Unrolling::scan(*this, node, opset, inputs, scope);
  }
  TRY_VOID(check_operands(inputs));
  const auto match = ops::find_onnx(domain, node.op_type(), opset);
  TRY_VOID(check_few_bits(match ? match->op : nullptr, inputs));
  // These two are ONNX's ways to write a constant down, not operators to run.
  if (domain.empty() && node.op_type() == "Constant") return convert_constant(node, scope);
  if (domain.empty() && node.op_type() == "ConstantOfShape")
    return convert_constant_of_shape(node, inputs, scope);
  if (domain.empty() && node.op_type() == "If") return convert_if(node, inputs, scope);
  const auto* function = contributed::find(domain, node.op_type(), opset);
  // Some are an operator where they select by constants, and a function where by data.
  if (match && !(function && counts_data(*function, inputs)))
    return convert_operator(node, *match, inputs, scope);
  if (function) return convert_contributed(node, *function, inputs, scope);
  return std::unexpected(match.error());
}

bool Converter::binds_what_blocks() {
  const ValueId blocking = constants_.blocking_input();
  if (!blocking) return false;
  const std::string& name = builder_.value(blocking).name;
  const auto given = options_.bound_inputs.find(name);
  if (given == options_.bound_inputs.end()) return false;
  // A whole sentence or image stays an input, also where shapes hang on it.
  if (options_.evaluate_data && given->second.elements() > most_bound_elements) return false;
  inputs_to_bind_.insert(name);
  return true;
}

std::string Converter::setting_remedy(ValueId input) const {
  if (!input || !is_setting(builder_.value(input).type)) return {};
  return fmt::format(" (where that is always the same: --set {}=VALUE)",
                     builder_.value(input).name);
}

Result<Tensor> Converter::constant_input(std::size_t index, std::string_view role,
                                         const std::vector<ValueId>& inputs) {
  auto constant = constants_.value(inputs[index]);
  if (constant || constant.error().code != Code::InputNotConstant) return constant;
  // Random extents would be no guess: who knows them says them.
  const bool is_input = constants_.blocking_input() == inputs[index];
  if (!binds_what_blocks() && !is_input) {
    auto of_data = data_.value(inputs[index]);
    if (of_data) note_counted(inputs[index], *of_data);
    if (of_data || of_data.error().code == Code::Cancelled) return of_data;
  }
  Diagnostic& diagnostic = constant.error();
  diagnostic.what = fmt::format("input {} ('{}') decides {} and must be a constant: {}", index,
                                builder_.value(inputs[index]).name, role, diagnostic.what);
  const std::string remedy = setting_remedy(constants_.blocking_input());
  if (remedy.empty())
    diagnostic.hint = "graphs are static here; export the model with fixed shapes";
  diagnostic.what += remedy;
  return constant;
}

Result<void> Converter::convert_operator(const NodeProto& node, const ops::OnnxMatch& match,
                                         const std::vector<ValueId>& inputs, Scope& scope) {
  ops::Attributes attributes = TRY(node_attributes(node, reader_));
  std::vector<ValueId> data = inputs;
  std::vector<bool> is_bound(inputs.size(), false);
  for (const auto& [index, attribute] : match.mapping->bound) {
    if (index >= inputs.size()) continue;
    is_bound[index] = true;
    if (!inputs[index]) continue;
    const Tensor constant = TRY(constant_input(index, fmt::format("'{}'", attribute), inputs));
    attributes.set(attribute, TRY(bound_value(*match.op, attribute, constant)));
  }
  data.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!is_bound[i]) data.push_back(inputs[i]);
  while (!data.empty() && !data.back()) data.pop_back();

  const std::size_t outputs = output_count(node);
  if (match.mapping->adapt) {
    const std::vector<const TensorType*> types = types_of(data);
    const ops::Attributes given = attributes;
    attributes =
        TRY(match.mapping->adapt(std::move(attributes), ops::InferContext{types, given, outputs}));
  }
  const graph::NodeId id = TRY(
      builder_.add_node(node_name(node, scope), *match.op, std::move(data), std::move(attributes),
                        outputs, Origin{{scope.source}}, output_names(node, scope)));
  return define_outputs(node, id, scope);
}

// Of the model's own nodes by their place in it, where a person finds them.
std::string Converter::own_name(const NodeProto& node, const Scope& scope) const {
  if (!node.name().empty()) return node.name();
  return fmt::format("{}_{}", node.op_type(), scope.depth == 0 ? scope.source : nodes_made_ - 1);
}

std::string Converter::node_name(const NodeProto& node, const Scope& scope) const {
  return scope.prefix + own_name(node, scope);
}

std::vector<std::string> Converter::output_names(const NodeProto& node, const Scope& scope) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < output_count(node); ++i) {
    const std::string& name = node.output(static_cast<int>(i));
    names.push_back(name.empty() ? unused_name(fmt::format("{}{}_{}_unused{}", scope.prefix,
                                                           node.op_type(), scope.source, i))
                                 : value_name(name, scope));
  }
  return names;
}

Result<void> Converter::define_outputs(const NodeProto& node, graph::NodeId id, Scope& scope) {
  const std::vector<ValueId> made = builder_.node(id).outputs;
  for (std::size_t i = 0; i < made.size(); ++i) {
    TRY_VOID(check_type(builder_.value(made[i]).type));
    if (const std::string& output = node.output(static_cast<int>(i)); !output.empty())
      TRY_VOID(define(output, made[i], scope));
  }
  return {};
}

void Converter::note_counted(ValueId value, const Tensor& tensor) {
  counted_.push_back({value, builder_.value(value).producer, tensor});
}

std::vector<Tensor> Converter::counted() const {
  std::vector<Tensor> tensors;
  for (const Counted& counted : counted_) tensors.push_back(counted.tensor);
  return tensors;
}

Result<graph::Graph> Converter::finish(const std::vector<Signature>& outputs) {
  std::vector<ValueId> ids;
  for (const Signature& output : outputs) {
    const auto found = top_.values.find(output.name);
    if (found == top_.values.end())
      return corrupt(fmt::format("nothing makes graph output '{}'", output.name));
    ids.push_back(found->second);
    if (const auto few = few_bits_.find(found->second); few != few_bits_.end())
      return fail(Code::TypeUnsupported, fmt::format("graph output '{}' is of {}, for which there "
                                                     "is no type here",
                                                     output.name, few->second));
    const TensorType& type = builder_.value(found->second).type;
    if (!type.is_known()) continue;
    if (!output.opaque.empty() && output.opaque != "unknown")
      return corrupt(fmt::format("graph output '{}' is declared as {} and computed as {}",
                                 output.name, output.opaque, to_string(type)));
    if (!output.opaque.empty()) continue;
    if (type.type != output.type)
      return corrupt(fmt::format("graph output '{}' is declared as {} and computed as {}",
                                 output.name, name(output.type), to_string(type)));
    bool fits = !output.ranked || output.shape.size() == type.shape.size();
    for (std::size_t axis = 0; fits && output.ranked && axis < type.shape.size(); ++axis)
      fits = !output.shape[axis].symbol.empty() || output.shape[axis].extent == type.shape[axis];
    if (!fits)
      notes.push_back({fmt::format("output '{}' is declared with another shape than {}",
                                   output.name, to_string(type))});
  }
  // Some were counted for what has been tried and given up.
  std::erase_if(counted_, [&](const Counted& counted) {
    return counted.producer && builder_.find(counted.producer) == nullptr;
  });
  if (options_.gives_counted)
    for (const Counted& counted : counted_) ids.push_back(counted.value);
  builder_.set_outputs(std::move(ids));
  remove_unread_sequences();
  builder_.remove_unused_constants();
  return std::move(builder_).finish();
}

}  // namespace loopglass::onnx
