// Kernels that a person wrote: an operator whose attribute is the text of its computation. Its
// shapes may hang on symbols, whose extents are attributes too.
#pragma once

#include "core/ops/op_def.h"

#include <map>

namespace loopglass::ops {

// Tensor expressions (core/te/parse.h), and a loop nest (core/loop/text.h).
const OpDef& tensor_expressions();
const OpDef& loop_nest();
inline bool is_written(const OpDef& op) { return op.family == Family::Kernel; }
inline bool is_loop_nest(const OpDef& op) { return &op == &loop_nest(); }

using Extents = std::map<std::string, std::int64_t>;  // of symbols

Attributes tensor_expressions_attributes(std::string text, const Extents& extents);
Attributes loop_nest_attributes(std::string text, const Extents& extents,
                                std::span<const TensorType> results);

// The text, and the extents of its symbols.
const std::string& written_text(const Attributes& attributes);
Extents extents_of(const Attributes& attributes);

// The type with its symbols bound; nullopt where an extent is negative, depends on anything
// else, or is beyond all numbers.
std::optional<TensorType> bound_type(const te::Tensor& tensor, const Extents& extents);
// The program with its symbols replaced.
te::Program with_extents(te::Program program, const Extents& extents);

}  // namespace loopglass::ops
