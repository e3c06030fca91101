// The interpreter that everybody uses: what reference_interpreter.h defines, to the bit, at some
// hundred million multiply-adds a second on float32. Sequential and checked: an index outside its
// buffer is an InternalError that names the store or load, never silent damage, and a buffer begins
// its life with NaN, -1 or true, which show in results. Works on scheduled and on lowered Funcs.
#pragma once

#include "core/loop/func.h"
#include "core/ops/op_def.h"
#include "core/support/cancellation.h"

#include <map>
#include <span>

namespace loopglass::loop {

// `arguments` in the order of func.parameters; outputs are written in place (allocate them first).
// Constant parameters that carry a Packing take the packed tensor (see pack).
void interpret(const Func& func, std::span<Tensor> arguments,
               const std::map<std::string, std::int64_t>& symbols = {},
               const Cancellation& cancellation = {});

// Rearranges a constant as its parameter asks; returns it unchanged when there is no packing.
Tensor pack(const Buffer& parameter, const Tensor& constant);

// One operator on concrete tensors, through its compute and the interpreter. An optional input left
// out is an undefined Tensor. This is what constant folding and import-time evaluation call.
Result<std::vector<Tensor>> evaluate(const ops::OpDef& op, const ops::Attributes& attributes,
                                     std::span<const Tensor> inputs, std::size_t output_count = 1);

}  // namespace loopglass::loop
