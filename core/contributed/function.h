// Operators that are made of others, as functions of ONNX's operators: what they compute, in ONNX's
// own text. Those that ONNX Runtime's own tools write into models, of the domain com.microsoft and
// a few of ai.onnx, and those of ONNX that ONNX itself defines as functions or that are one here. A
// model that uses one is imported as if it brought the function along, so that every pass, schedule
// and kernel holds for it. Their meaning: ONNX Runtime's docs/ContribOperators.md and ONNX's
// specification, and where these are silent, what ONNX Runtime computes on a processor.
#pragma once

#include "core/contributed/call.h"
#include "core/tensor/tensor.h"

#include <span>

namespace loopglass::contributed {

// Of ONNX's operator set that the texts are written in.
inline constexpr int text_opset = 21;

inline constexpr int every_version = 1 << 20;

struct Function {
  std::string_view name;
  std::string_view doc;  // one sentence
  // Names of operands and results, in order. "bias?" may be left out; "part..." last: any number,
  // part0, part1, ..., any of which may be.
  std::vector<std::string_view> inputs, outputs;
  struct Attribute {
    std::string_view name;
    ops::AttributeKind kind = ops::AttributeKind::Int;
  };
  std::vector<Attribute> attributes;  // all that it takes
  // Nodes that make the results that the call asks for. OperatorUnsupported or AttributeUnsupported
  // for a use that they are not written for.
  Result<std::string> (*nodes)(const Call& call);
  std::string_view domain = "com.microsoft";
  int until = every_version;  // the last version of the domain that has it so
  // What a person is to know of the results; "": they are the operator's own.
  std::string_view caution = {};
  int since = 1;  // the first version of the domain that has it
  // Operands of one whole number that decide shapes: their value, where it is known at import, is
  // told to the call (Call::known).
  std::vector<std::string_view> numbers = {};
  // Operands whose data decide how many elements results have, and how many these are: the call is
  // told (Call::counts). In the operands' order; what is left out has no tensor. A node of the
  // function makes `count`, int64[1]: the first of these as the network has it.
  std::vector<std::string_view> counted = {};
  Result<std::vector<std::int64_t>> (*count)(const Call& call,
                                             std::span<const Tensor> counted) = nullptr;
};

// One of ONNX's own operator set.
Function of_onnx(int since, Function function);

// Those that every window has (Call::passing_on_window), and `more`.
std::vector<Function::Attribute> of_a_window(std::vector<Function::Attribute> more);

// By domain, name and version of the domain; nullptr: none.
const Function* find(std::string_view domain, std::string_view name, int opset);
const std::vector<Function>& all_functions();

// The call of a function with operands of these types; null: left out. OperatorMisused where one
// that has to be there is not, or an attribute is of another kind; AttributeUnsupported for one
// that the function does not know.
Result<Call> call_of(const Function& function, std::span<const TensorType* const> operands,
                     const ops::Attributes& attributes, std::size_t outputs);

// One family a file.
std::vector<Function> activations();
std::vector<Function> attention();
std::vector<Function> group_query_attention();
std::vector<Function> images();
std::vector<Function> matrix_products();
std::vector<Function> movement();
std::vector<Function> non_max_suppressions();
std::vector<Function> normalisations();
std::vector<Function> quantised();
std::vector<Function> rotary_embeddings();
std::vector<Function> selections();
std::vector<Function> standard_attention();
std::vector<Function> uniques();

}  // namespace loopglass::contributed
