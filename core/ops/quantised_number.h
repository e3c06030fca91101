// Numbers that bytes or int16 stand for: (q - zero point) * scale, with a scale and a zero point
// for all elements, for those of one channel each, or for blocks of them.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops::quantised {

extern const TypeSet byte_types;  // int8 and uint8
extern const TypeSet int32_type, float32_type;

// Whether the shape is that of one number.
bool is_single(const Shape& shape);

// A scale or zero point is one for all, or one for each of `extent` channels where those are
// allowed. AttributeUnsupported.
Result<void> require_parameter(const InferContext& context, std::size_t input, const TypeSet& types,
                               std::optional<std::int64_t> extent);
// The same of a zero point for elements of this type. OperatorMisused for another one.
Result<void> require_zero_point(const InferContext& context, std::size_t input, DataType type,
                                std::optional<std::int64_t> extent);

// The parameter of channel `channel`.
Expr read(const te::Tensor& parameter, const Expr& channel);
// The element less its zero point, in int32.
Expr centred(Expr element, const ComputeContext& context, std::size_t zero_point,
             const Expr& channel);
// A float32 in units of the scale, rounded half to even, moved by the zero point and saturated.
Expr saturated(const Expr& units, const Expr& zero_point, DataType type);

Operand required(const char* name, const char* doc);
Operand optional(const char* name, const char* doc);
// An operator of the family, as ONNX has it since that version.
OpDef operator_named(std::string name, std::string doc, std::vector<Operand> inputs, int since);
// With attributes and meaning.
OpDef completed(OpDef op, std::vector<AttributeSpec> attributes,
                std::function<Result<Types>(const InferContext&)> infer,
                std::function<Result<Computed>(ComputeContext&)> compute);

}  // namespace loopglass::ops::quantised
