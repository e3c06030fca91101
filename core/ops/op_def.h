// An operator, defined once. Arity checks, text form, inspector, interpreter, lowering, ONNX
// import, the fusion kinds and the operator reference all derive from its OpDef row; nothing about
// an operator is said anywhere else.
//
// Operators are in canonical form: whatever decides a shape (Reshape's shape, Slice's starts, axes
// of a reduction) is an attribute; inputs are data. An ONNX version that passes such a thing as an
// input says so in its OnnxMapping, and the importer binds the constant.
#pragma once

#include "core/ops/attributes.h"
#include "core/ops/pattern_kind.h"
#include "core/support/result.h"
#include "core/te/te.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::ops {

// For colours, search and the reference page.
enum class Family : std::uint8_t {
  Elementwise,
  Activation,
  Comparison,
  Convolution,
  MatrixProduct,
  Pooling,
  Normalisation,
  Reduction,
  Movement,
  Indexing,
  Resize,
  Quantisation,
  Recurrent,
  Generator,
  Loss,
  Kernel,  // written by a person
  Opaque,
};
std::string_view name(Family family);

enum class Arity : std::uint8_t {
  Required,
  Optional,
  Variadic
};  // Variadic only last; at least one

struct Operand {
  std::string name;
  Arity arity = Arity::Required;
  std::string doc = {};
};

struct AttributeSpec {
  std::string name;
  AttributeKind kind;
  // Absent: optional without default unless `required`.
  std::optional<AttributeValue> fallback = {};
  std::string doc = {};
  bool required = false;
};

// What infer sees. Attributes have their defaults filled in and their kinds checked; inputs have
// the right count; an absent optional input is nullptr.
struct InferContext {
  std::span<const TensorType* const> inputs;
  const Attributes& attributes;
  std::size_t output_count;  // how many outputs the node declares

  bool has(std::size_t input) const { return input < inputs.size() && inputs[input] != nullptr; }
  const TensorType& input(std::size_t index) const { return *inputs[index]; }
};

// What compute sees: the same, with inputs as tensors of a te program under construction (an absent
// optional input is an undefined Tensor) and the inferred output types.
struct ComputeContext {
  te::Builder& builder;
  std::span<const te::Tensor> inputs;
  std::span<const TensorType> outputs;
  const Attributes& attributes;
  std::string name;  // wanted name of the first output tensor

  bool has(std::size_t input) const { return input < inputs.size() && inputs[input].defined(); }
  const te::Tensor& input(std::size_t index) const { return inputs[index]; }
};

// How one range of ONNX operator-set versions says this operator.
struct OnnxMapping {
  std::string name;
  int since = 1;            // first opset version with this form
  int until = 1 << 20;      // last
  std::string domain = {};  // "" is ai.onnx
  // Inputs that become attributes: the input at `index` must be a constant (or be computed from
  // shapes and constants) and is stored under `attribute`, as Ints, Int, Float, Floats or Tensor
  // according to the AttributeSpec. Remaining inputs close up, unless data inputs follow them in
  // ONNX: absent optional inputs in the middle keep their place in the OpDef's own numbering.
  struct Bound {
    std::size_t index;
    std::string attribute;
  };
  std::vector<Bound> bound = {};
  // Attributes as ONNX spells them -> ours; runs after binding. Gets the number of inputs and
  // outputs and the input types through InferContext. Default: the names and values are ours.
  // May refuse (AttributeUnsupported).
  std::function<Result<Attributes>(Attributes, const InferContext&)> adapt = {};
  // Our attributes as ONNX spells them; undoes `adapt` when a graph is written. Default: as they
  // are.
  std::function<Attributes(Attributes)> restore = {};
};

struct OpDef {
  std::string name;  // ONNX's name where there is one
  Family family;
  std::string doc;  // one sentence
  std::vector<Operand> inputs;
  std::vector<Operand> outputs;
  std::vector<AttributeSpec> attributes;
  // Output types, or why the inputs or attributes are not acceptable. Output count == the context's
  // (trailing optional outputs may be left out).
  std::function<Result<std::vector<TensorType>>(const InferContext&)> infer;
  // The computation; called only with what infer accepted. Returns output_count tensors. May refuse
  // a legal but unsupported use (AttributeUnsupported, TypeUnsupported) -- better in infer.
  std::function<Result<std::vector<te::Tensor>>(ComputeContext&)> compute;
  std::vector<OnnxMapping> onnx;
  // Operands may be exchanged (for canonical order and common subexpressions).
  bool commutative = false;
  // The kind that TVM's Relay registers for the operator, where its loops, in some shapes at least,
  // are of another one. Fusion by TVM's rules goes by it.
  std::optional<PatternKind> relay_kind = {};
  // Stands for what is not known or not supported (opaque.h): takes any operands, present or not,
  // and gives what its node declares.
  bool opaque = false;
};

// Fills in defaults, checks arity and attribute kinds, then runs infer. The one way to type a node.
// On success `attributes` holds the completed attributes.
Result<std::vector<TensorType>> infer(const OpDef& op, std::span<const TensorType* const> inputs,
                                      Attributes& attributes, std::size_t output_count);

// The te program of one operator on inputs of these types: placeholders named after the operands
// (constants included: they are placeholders like any other).
Result<te::Program> program_of(const OpDef& op, std::span<const TensorType* const> inputs,
                               const Attributes& attributes, std::span<const TensorType> outputs);

}  // namespace loopglass::ops
