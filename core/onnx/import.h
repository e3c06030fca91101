// Reading ONNX models into a Graph.
#pragma once

#include "core/graph/graph.h"
#include "core/support/cancellation.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>

namespace loopglass::onnx {

// A dimension as the model's signature declares it: an extent, or a symbol when `symbol` is set
// (a made-up one, "name.axis", where the model leaves it blank). Of a symbol, the extent to take
// where nobody gives one, if the model says it.
struct Dimension {
  std::int64_t extent = -1;
  std::string symbol;
};
struct Signature {
  std::string name;
  DataType type = DataType::UInt8;
  std::vector<Dimension> shape = {};
  bool ranked = true;  // false: the model declares no shape at all
  // Set for what is no tensor that can be computed with: "sequence(float32)", "string[2]". It goes
  // into opaque operators, and nobody can give it a value.
  std::string opaque = {};
};

bool has_open_shape(const Signature& input);
// The names of inputs that are one whole number, as a sampling rate or a switch is.
std::vector<std::string> settings_among(const std::vector<Signature>& inputs);
// What a dimension that is left open is bound to where nobody says: a batch is 1, a picture 224
// high and wide in 3 channels; anything else is taken for a sequence, of 128.
std::int64_t default_extent(const Signature& input, std::size_t axis);
// The shapes of the inputs that leave dimensions open, by input, with an extent for each symbol.
std::map<std::string, Shape> open_shapes(const std::vector<Signature>& inputs,
                                         const std::map<std::string, std::int64_t>& extents);

// Runs one operator on constants; injected because the interpreter lies above this room.
using Evaluate = std::function<Result<std::vector<Tensor>>(
    const ops::OpDef&, const ops::Attributes&, std::span<const Tensor>, std::size_t output_count)>;

// Computes the outputs of a graph, from the values that are known of its inputs, by name, and
// random ones for the others: those that whoever runs the network without a value takes. Injected
// for the same reason.
using EvaluateData = std::function<Result<std::vector<Tensor>>(
    const graph::Graph&, const std::map<std::string, Tensor>& known, const Progress&,
    const Cancellation&)>;

struct ImportOptions {
  // Input name -> full shape (from --shape name=1x3x224x224). Symbols not bound by these become 1
  // when leading (a batch) and 224 or 128 by position otherwise, with a note.
  std::map<std::string, Shape> shapes;
  // Symbol -> extent (from --set n=1000), wherever it stands in the shapes of inputs; or an input
  // that is one whole number -> its value (--set rate=16000), of which the graph is then made.
  std::map<std::string, std::int64_t> symbols;
  // Input name -> value: a few numbers that decide shapes or attributes become constants; what else
  // hangs on data is computed from these.
  std::map<std::string, Tensor> bound_inputs;
  // A graph that an operator runs, to be imported instead of the model's: "loop1.body", and further
  // inside "loop1.body/if2.then_branch". What it reads from around it are inputs or constants.
  std::string subgraph;
  Evaluate evaluate;
  EvaluateData evaluate_data;  // null: what hangs on more than that is opaque
  // What decided shapes and hangs on data is a further output, behind the model's own, so that
  // whoever runs the network may hold it against Model::counted.
  bool gives_counted = false;
  Progress progress;
  Cancellation cancellation;
};

struct Note {
  std::string text;  // "dimension 'N' of input 'data' is symbolic; bound to 1"
};

struct Model {
  graph::Graph graph;
  std::vector<Signature> inputs, outputs;  // as declared
  // By index: "name (OpType)"; what Origin of a node refers to.
  std::vector<std::string> onnx_nodes;
  std::vector<Note> notes;
  std::map<std::string, Tensor> inputs_bound;  // graph inputs that became constants
  int opset = 0;
  std::string producer;
  // What decided shapes and hangs on data, as it was computed (ImportOptions::gives_counted).
  std::vector<Tensor> counted = {};
};

// Where a model is read from: a file, or the bytes of one that could not be written.
struct Source {
  Source() = default;
  Source(std::filesystem::path file) : path(std::move(file)) {}

  std::filesystem::path path;                // with `bytes`: what to call them
  std::shared_ptr<const std::string> bytes;  // null: those of the file
  std::string note;                          // for whoever opens it; empty: none

  // "resnet50", of resnet50.onnx and of resnet50/model.onnx.
  std::string name() const;
};

// What is not supported becomes an opaque operator (core/ops/opaque.h), with a note; what is not a
// model is refused. GraphEntityUnknown where there is no such subgraph.
Result<Model> import(const Source& source, const ImportOptions& options);
// Only what the model declares to take, initializers left out.
Result<std::vector<Signature>> read_inputs(const Source& source);

// A TensorProto file (backend-test data), or one serialised tensor in memory.
Result<Tensor> read_tensor(const std::filesystem::path& path);
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
Result<NamedTensor> read_named_tensor(const std::filesystem::path& path);

}  // namespace loopglass::onnx
