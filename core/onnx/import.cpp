#include "core/onnx/import.h"

#include "core/onnx/converter.h"
#include "core/onnx/element_type.h"
#include "core/onnx/import_notes.h"
#include "core/onnx/input_bindings.h"
#include "core/onnx/input_settings.h"
#include "core/onnx/limits.h"
#include "core/onnx/node_order.h"
#include "core/onnx/parse.h"
#include "core/onnx/shape_search.h"
#include "core/onnx/signature.h"
#include "core/onnx/type_proto.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace loopglass::onnx {

namespace {

// One that cannot be read here has no tensor, but a type and a reason.
struct Initializer {
  std::string name;
  Tensor tensor;
  TensorType type = {};
  std::optional<Diagnostic> reason = {};
  std::string few_bits = {};  // "INT4", where that is what the tensor's bytes hold
};
using Initializers = std::vector<Initializer>;

template <class T>
Result<T> naming(const std::filesystem::path& path, Result<T> result) {
  if (!result) {
    std::string& where = result.error().where;
    where = where.empty() ? path.string() : fmt::format("{}: {}", path.string(), where);
  }
  return result;
}

// `values`: the tensor that has the name and the type.
Result<Initializer> read_initializer(const auto& proto, const ::onnx::TensorProto& values,
                                     TensorReader& reader) {
  auto read = reader.read(proto);
  if (read) return Initializer{values.name(), std::move(*read)};
  if (!is_unsupported(read.error().code)) return std::unexpected(std::move(read).error());
  return Initializer{
      values.name(), {}, TensorType::unknown(declared_text(values)), std::move(read).error()};
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
    if (few_bit_type(proto.data_type())) {
      Tensor bytes = TRY(reader.read_few_bits(proto));
      initializers.push_back({.name = proto.name(),
                              .tensor = std::move(bytes),
                              .few_bits = onnx_type_name(proto.data_type())});
    } else {
      initializers.push_back(TRY(read_initializer(proto, proto, reader)));
    }
    std::string().swap(*proto.mutable_raw_data());
  }
  for (const auto& proto : graph.sparse_initializer())
    initializers.push_back(TRY(read_initializer(proto, proto.values(), reader)));
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

std::vector<std::string> node_names(const ::onnx::GraphProto& graph) {
  std::vector<std::string> names;
  for (const ::onnx::NodeProto& node : graph.node()) {
    const std::string& name =
        !node.name().empty() || node.output_size() == 0 ? node.name() : node.output(0);
    names.push_back(fmt::format("{} ({})", name, node.op_type()));
  }
  return names;
}

Result<void> define(Converter& converter, const Initializers& initializers) {
  for (const Initializer& initializer : initializers)
    TRY_VOID(initializer.reason ? converter.define_opaque_constant(
                                      initializer.name, initializer.type, *initializer.reason)
                                : converter.define_constant(initializer.name, initializer.tensor,
                                                            initializer.few_bits));
  return {};
}

// Converts the nodes of a graph whose inputs and constants are defined.
Result<void> finish(Converter& converter, const ImportOptions& options, Model& model) {
  TRY_VOID(converter.convert_nodes());
  model.graph = TRY(converter.finish(model.outputs));
  if (options.gives_counted) model.counted = converter.counted();
  model.notes.insert(model.notes.end(), converter.notes.begin(), converter.notes.end());
  for (Note& note : expansion_notes(converter.expansions())) model.notes.push_back(std::move(note));
  for (Note& note : contributed_notes(converter.contributed()))
    model.notes.push_back(std::move(note));
  for (Note& note : data_notes(converter.data(), options)) model.notes.push_back(std::move(note));
  return {};
}

// One attempt, with these graph inputs as constants. `to_bind` receives those it should have had.
Result<void> convert(Converter& converter, const ImportOptions& options,
                     const Initializers& initializers, const std::vector<TensorType>& types,
                     const std::set<std::string>& bound, Model& model,
                     std::set<std::string>& to_bind) {
  TRY_VOID(define(converter, initializers));
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& name = model.inputs[i].name;
    // Also of a value that decides nothing: whoever compiles only would not miss it.
    const auto given = options.bound_inputs.find(name);
    if (given != options.bound_inputs.end() && given->second.type() != types[i])
      return fail(Code::InputMismatch,
                  fmt::format("input '{}' is {} and was given {}", name, to_string(types[i]),
                              to_string(given->second.type())));
    TRY_VOID(bound.contains(name) ? converter.define_constant(name, given->second)
                                  : converter.define_input(name, types[i]));
  }
  const auto done = finish(converter, options, model);
  to_bind = converter.inputs_to_bind();
  return done;
}

std::unexpected<Diagnostic> no_subgraph(const std::string& path, const Converter& converter) {
  const auto& [branches_taken, chosen, unrolled, names] = converter.expansions();
  if (const auto taken = std::ranges::find(branches_taken, path.substr(0, path.rfind('.')),
                                           &Expansions::Branch::name);
      taken != branches_taken.end())
    return fail(Code::GraphEntityUnknown,
                fmt::format("the condition of '{}' is known: its {} stands in the graph around it",
                            taken->name, taken->taken),
                "--subgraph", fmt::format("look there for operators named '{}/...'", taken->name));
  return fail(Code::GraphEntityUnknown,
              fmt::format("there is no graph '{}' inside an operator", path), "--subgraph",
              names.empty() ? "no operator here runs a graph that is not expanded already"
                            : fmt::format("there are: {}", fmt::join(names, ", ")));
}

Signature signature_of(const std::string& name, const TensorType& type) {
  Signature signature{.name = name};
  signature.opaque = type.declared;
  if (!type.is_known()) return signature;
  signature.type = type.type;
  for (const std::int64_t extent : type.shape) signature.shape.push_back({extent, {}});
  return signature;
}

// Graphs inside operators need not say what they give.
Result<Signature> declared_inside(const ::onnx::ValueInfoProto& value) {
  if (value.type().value_case() == ::onnx::TypeProto::VALUE_NOT_SET)
    return signature_of(value.name(), TensorType::unknown("unknown"));
  return declared(value);
}

// Makes `model`, so far that of the graph around, one of the graph inside.
Result<void> open_subgraph(const ::onnx::ModelProto& proto, const Subgraph& subgraph,
                           const Symbols& symbols, ImportOptions options, TensorReader reader,
                           Model& model) {
  options.subgraph = subgraph.rest;
  ::onnx::GraphProto graph = *subgraph.graph;
  const Initializers initializers = TRY(read_initializers(graph, reader, options));
  model.inputs.clear();
  model.outputs.clear();
  model.inputs_bound.clear();
  for (const auto& output : graph.output()) model.outputs.push_back(TRY(declared_inside(output)));
  model.onnx_nodes = node_names(graph);
  Converter converter({proto, graph, subgraph.opsets, symbols}, options, reader);
  TRY_VOID(define(converter, initializers));
  for (const Subgraph::Input& input : subgraph.inputs) {
    if (input.constant.defined()) {
      TRY_VOID(converter.define_constant(input.name, input.constant));
      continue;
    }
    model.inputs.push_back(signature_of(input.name, input.type));
    TRY_VOID(converter.define_input(input.name, input.type));
  }
  TRY_VOID(finish(converter, options, model));
  if (subgraph.rest.empty()) return {};
  if (!converter.subgraph()) return no_subgraph(subgraph.rest, converter);
  return open_subgraph(proto, *converter.subgraph(), symbols, options, std::move(reader), model);
}

// The first input that has a dimension which is not fixed.
std::string first_open(const std::vector<Signature>& inputs) {
  for (const Signature& input : inputs)
    for (const Dimension& dimension : input.shape)
      if (!dimension.symbol.empty()) return input.name;
  return inputs.front().name;
}

// What there is of a model before its shapes are bound.
struct Parts {
  const ::onnx::ModelProto& proto;
  OpsetVersions opsets;
  Initializers initializers;
  TensorReader reader;
  std::set<std::string> settings = {};  // inputs that are constants from the beginning
};

// A graph input may turn out to decide a shape after nodes have read it as data; then the
// conversion starts again with it as a constant. Each round binds at least one more.
Result<void> convert_bound(const Parts& parts, const ImportOptions& options,
                           const BoundShapes& shapes, Model& model) {
  std::set<std::string> bound = parts.settings;
  for (;;) {
    std::set<std::string> to_bind;
    Converter converter({parts.proto, parts.proto.graph(), parts.opsets, shapes.symbols}, options,
                        parts.reader);
    const auto done =
        convert(converter, options, parts.initializers, shapes.types, bound, model, to_bind);
    if (!done && to_bind.empty()) return done;
    bound.insert(to_bind.begin(), to_bind.end());
    if (!done) continue;
    for (const std::string& name : bound) model.inputs_bound[name] = options.bound_inputs.at(name);
    if (options.subgraph.empty()) return {};
    if (!converter.subgraph()) return no_subgraph(options.subgraph, converter);
    return open_subgraph(parts.proto, *converter.subgraph(), shapes.symbols, options, parts.reader,
                         model);
  }
}

// Where an operator does not take what it is given, another shape of the inputs may do.
Diagnostic suggest_shapes(Diagnostic problem, const Parts& parts, const ImportOptions& options,
                          const BoundShapes& shapes, const Model& model) {
  if (problem.code != Code::OperatorMisused || shapes.symbols.empty()) return problem;
  // Each trial is an import; a large model gets fewer, and none of them many seconds.
  constexpr int most_nodes = 50'000;
  constexpr std::chrono::seconds most_time(10);
  const auto begin = std::chrono::steady_clock::now();
  const Fits fits = [&](const std::map<std::string, Shape>& tried) {
    if (options.cancellation.requested() || std::chrono::steady_clock::now() - begin > most_time)
      return false;
    ImportOptions with = options;
    with.progress = {};
    with.evaluate_data = {};
    for (const auto& [name, shape] : tried) with.shapes[name] = shape;
    Model trial = model;
    const auto bound = bind_shapes(trial.inputs, with.shapes, with.symbols, trial.notes);
    return bound && convert_bound(parts, with, *bound, trial);
  };
  std::vector<std::string> open;
  for (const auto& [symbol, extent] : shapes.symbols)
    open.push_back(fmt::format("'{}' = {}", symbol, extent));
  const auto found = find_fitting_shapes(
      model.inputs, shapes, fits,
      std::clamp(most_nodes / std::max(1, parts.proto.graph().node_size()), 8, 200));
  const std::string bound_to = fmt::format("with {}", fmt::join(open, ", "));
  problem.hint = found
                     ? fmt::format("{} it does not fit; this does: {}", bound_to,
                                   fmt::join(options_of({.shapes = *found}), " "))
                     : fmt::format(
                           "{} it does not fit, nor with other usual extents: give the shape that "
                           "the model was made for, --shape {}=...",
                           bound_to, first_open(model.inputs));
  return problem;
}

Result<Model> import_parsed(::onnx::ModelProto& proto, const std::filesystem::path& folder,
                            ImportOptions options) {
  if (!proto.has_graph()) return fail(Code::ModelCorrupt, "the file holds no ONNX graph");
  Model model;
  if (const std::string early = sort_nodes(*proto.mutable_graph()); !early.empty())
    model.notes.push_back({fmt::format(
        "the file's nodes are not in topological order ('{}' is read before it is made): sorted",
        early)});
  model.producer = proto.producer_version().empty()
                       ? proto.producer_name()
                       : proto.producer_name() + " " + proto.producer_version();
  const OpsetVersions opsets = TRY(opset_versions(proto));
  if (const auto standard = opsets.find(""); standard != opsets.end())
    model.opset = standard->second;
  if (proto.training_info_size() > 0)
    model.notes.push_back({"the model's training information is left out"});

  TensorReader reader(folder, default_constant_budget());
  Initializers initializers = TRY(read_initializers(*proto.mutable_graph(), reader, options));
  Parts parts{proto, opsets, std::move(initializers), std::move(reader)};
  const ::onnx::GraphProto& graph = proto.graph();
  model.inputs = TRY(declared_inputs(graph));
  const auto settings = TRY(take_settings(model.inputs, options.symbols));
  for (const auto& [name, value] : settings) {
    if (const auto given = options.bound_inputs.find(name);
        given != options.bound_inputs.end() && !given->second.same_content(value))
      return fail(Code::ShapeBindingInvalid,
                  fmt::format("input '{}' is set to {} and given as another value", name,
                              value.integer_at(0)),
                  "--set", "leave one of them out");
    parts.settings.insert(name);
    options.bound_inputs[name] = value;
  }
  for (const std::string& name : settings_among(model.inputs))
    if (options.symbols.contains(name))
      model.notes.push_back({fmt::format(
          "'{}' is a dimension and an input: --set gives the dimension its extent", name)});
  for (const auto& output : graph.output()) model.outputs.push_back(TRY(declared(output)));
  if (model.outputs.empty()) return fail(Code::ModelCorrupt, "the graph has no outputs");
  model.onnx_nodes = node_names(graph);
  const BoundShapes shapes =
      TRY(bind_shapes(model.inputs, options.shapes, options.symbols, model.notes));
  Model imported = model;
  auto done = convert_bound(parts, options, shapes, imported);
  if (!done)
    return std::unexpected(suggest_shapes(std::move(done).error(), parts, options, shapes, model));
  for (Note& note : opaque_notes(imported.graph)) imported.notes.push_back(std::move(note));
  return imported;
}

Result<Parsed<::onnx::ModelProto>> parse(const Source& source) {
  return source.bytes ? parse_model(*source.bytes, source.path.string()) : parse_model(source.path);
}

}  // namespace

std::string Source::name() const {
  const std::string stem = path.stem().string();
  if (stem != "model") return stem;
  const std::string folder = std::filesystem::absolute(path).parent_path().filename().string();
  return folder.empty() ? stem : folder;
}

Result<Model> import(const Source& source, const ImportOptions& options) {
  if (options.progress) options.progress("reading the file", 0);
  const std::filesystem::path& path = source.path;
  const Parsed<::onnx::ModelProto> parsed = TRY(parse(source));
  Model model = TRY(naming(path, import_parsed(*parsed.message, path.parent_path(), options)));
  if (!source.note.empty()) model.notes.insert(model.notes.begin(), {source.note});
  return model;
}

Result<std::vector<Signature>> read_inputs(const Source& source) {
  const Parsed<::onnx::ModelProto> parsed = TRY(parse(source));
  return naming(source.path, declared_inputs(parsed.message->graph()));
}

Result<NamedTensor> read_named_tensor(const std::filesystem::path& path) {
  const Parsed<::onnx::TensorProto> parsed = TRY(parse_tensor(path));
  TensorReader reader(path.parent_path(), default_constant_budget());
  Tensor tensor = TRY(naming(path, reader.read(*parsed.message)));
  return NamedTensor{parsed.message->name(), std::move(tensor)};
}

Result<Tensor> read_tensor(const std::filesystem::path& path) {
  return TRY(read_named_tensor(path)).tensor;
}

}  // namespace loopglass::onnx
