#include "core/onnx/import.h"

#include "core/onnx/converter.h"
#include "core/onnx/limits.h"
#include "core/onnx/parse.h"
#include "core/onnx/signature.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <unordered_set>

namespace loopglass::onnx {

namespace {

using Initializers = std::vector<NamedTensor>;

template <class T>
Result<T> naming(const std::filesystem::path& path, Result<T> result) {
  if (!result) {
    std::string& where = result.error().where;
    where = where.empty() ? path.string() : fmt::format("{}: {}", path.string(), where);
  }
  return result;
}

// Lets go of each initializer's bytes in the message once they are read, so that weights are in
// memory once.
Result<Initializers> read_initializers(::onnx::GraphProto& graph, TensorReader& reader,
                                       const ImportOptions& options) {
  Initializers initializers;
  const int count = graph.initializer_size();
  for (int i = 0; i < count; ++i) {
    if (options.cancellation.requested()) return fail(Code::Cancelled, "the import was cancelled");
    if (options.progress && i % 16 == 0)
      options.progress("reading weights", static_cast<double>(i) / count);
    ::onnx::TensorProto& proto = *graph.mutable_initializer(i);
    initializers.push_back({proto.name(), TRY(reader.read(proto))});
    std::string().swap(*proto.mutable_raw_data());
  }
  for (const auto& proto : graph.sparse_initializer())
    initializers.push_back({proto.values().name(), TRY(reader.read(proto))});
  return initializers;
}

// Initializers are constants even where they are also listed as inputs, as IR versions before 4
// ask; later ones call them defaults, and nothing can override them here.
Result<std::vector<Signature>> declared_inputs(const ::onnx::GraphProto& graph) {
  std::unordered_set<std::string> constants;
  for (const auto& initializer : graph.initializer()) constants.insert(initializer.name());
  for (const auto& initializer : graph.sparse_initializer())
    constants.insert(initializer.values().name());
  std::vector<Signature> inputs;
  for (const auto& input : graph.input())
    if (!constants.contains(input.name())) inputs.push_back(TRY(declared(input)));
  return inputs;
}

// One attempt, with these graph inputs as constants. `to_bind` receives those it should have had.
Result<graph::Graph> convert(const ::onnx::ModelProto& proto, const ImportOptions& options,
                             const TensorReader& reader, const Initializers& initializers,
                             const std::vector<TensorType>& types,
                             const std::set<std::string>& bound, Model& model,
                             std::set<std::string>& to_bind) {
  Converter converter(proto, options, reader);
  for (const NamedTensor& initializer : initializers)
    TRY_VOID(converter.define_constant(initializer.name, initializer.tensor));
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& name = model.inputs[i].name;
    if (!bound.contains(name)) {
      TRY_VOID(converter.define_input(name, types[i]));
      continue;
    }
    const Tensor& value = options.bound_inputs.at(name);
    if (value.type() != types[i])
      return fail(Code::InputMismatch,
                  fmt::format("input '{}' is {}, the value given for it is {}", name,
                              to_string(types[i]), to_string(value.type())));
    TRY_VOID(converter.define_constant(name, value));
  }
  const auto done = converter.convert_nodes();
  to_bind = converter.inputs_to_bind();
  if (!done) return std::unexpected(done.error());
  graph::Graph graph = TRY(converter.finish(model.outputs));
  model.notes.insert(model.notes.end(), converter.notes.begin(), converter.notes.end());
  return graph;
}

Result<Model> import_parsed(::onnx::ModelProto& proto, const std::filesystem::path& folder,
                            const ImportOptions& options) {
  if (!proto.has_graph()) return fail(Code::ModelCorrupt, "the file holds no ONNX graph");
  Model model;
  model.producer = proto.producer_version().empty()
                       ? proto.producer_name()
                       : proto.producer_name() + " " + proto.producer_version();
  const OpsetVersions opsets = TRY(opset_versions(proto));
  if (const auto standard = opsets.find(""); standard != opsets.end())
    model.opset = standard->second;
  if (proto.training_info_size() > 0)
    model.notes.push_back({"the model's training information is left out"});

  const ::onnx::GraphProto& graph = proto.graph();
  TensorReader reader(folder, default_constant_budget());
  const Initializers initializers = TRY(read_initializers(*proto.mutable_graph(), reader, options));
  model.inputs = TRY(declared_inputs(graph));
  for (const auto& output : graph.output()) model.outputs.push_back(TRY(declared(output)));
  if (model.outputs.empty()) return fail(Code::ModelCorrupt, "the graph has no outputs");
  for (int i = 0; i < graph.node_size(); ++i) {
    const ::onnx::NodeProto& node = graph.node(i);
    const std::string& name =
        !node.name().empty() || node.output_size() == 0 ? node.name() : node.output(0);
    model.onnx_nodes.push_back(fmt::format("{} ({})", name, node.op_type()));
  }
  const std::vector<TensorType> types = TRY(bind_shapes(model.inputs, options.shapes, model.notes));

  // A graph input may turn out to decide a shape after nodes have read it as data; then the
  // conversion starts again with it as a constant. Each round binds at least one more.
  std::set<std::string> bound;
  for (;;) {
    std::set<std::string> to_bind;
    auto converted = convert(proto, options, reader, initializers, types, bound, model, to_bind);
    if (converted) {
      model.graph = std::move(*converted);
      model.inputs_bound.assign(bound.begin(), bound.end());
      return model;
    }
    if (to_bind.empty()) return std::unexpected(converted.error());
    bound.insert(to_bind.begin(), to_bind.end());
  }
}

}  // namespace

Result<Model> import(const Source& source, const ImportOptions& options) {
  if (options.progress) options.progress("reading the file", 0);
  const std::filesystem::path& path = source.path;
  Parsed<::onnx::ModelProto> parsed =
      TRY(source.bytes ? parse_model(*source.bytes, path.string()) : parse_model(path));
  Model model = TRY(naming(path, import_parsed(*parsed.message, path.parent_path(), options)));
  if (!source.note.empty()) model.notes.insert(model.notes.begin(), {source.note});
  return model;
}

Result<std::vector<Signature>> read_inputs(const std::filesystem::path& path) {
  const Parsed<::onnx::ModelProto> parsed = TRY(parse_model(path));
  return naming(path, declared_inputs(parsed.message->graph()));
}

Result<NamedTensor> read_named_tensor(const std::filesystem::path& path) {
  const Parsed<::onnx::TensorProto> parsed = TRY(parse_tensor(path));
  TensorReader reader(path.parent_path(), default_constant_budget());
  return NamedTensor{parsed.message->name(), TRY(naming(path, reader.read(*parsed.message)))};
}

Result<Tensor> read_tensor(const std::filesystem::path& path) {
  return TRY(read_named_tensor(path)).tensor;
}

}  // namespace loopglass::onnx
