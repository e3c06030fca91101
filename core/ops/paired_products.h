// Products of bytes that are summed, taken in pairs: two bytes less their zero points are two int16
// of one int32, and dot_pairs (core/expr) multiplies and adds them, sixteen at a time where a
// product in int32 takes eight. Results are the same to the last bit.
//
// What a weight's pair holds is known before anything runs, so that a pass makes it
// (passes/graph/pair_products.h); the other operand is paired by the operator. An odd number of
// terms ends in a pair with a zero.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

// The form of an operator that takes its weights in pairs; nullptr where it has none.
const OpDef* paired_form_of(const OpDef& op);
std::string paired_form_name(const std::string& op);

// Which of the operator's inputs are paired, and along which dimension.
struct PairedWeights {
  std::size_t weights, zero_point;  // inputs
  bool is_convolution = false;

  // The dimension along which terms are summed, and that whose zero points differ.
  std::size_t terms(std::size_t rank) const { return is_convolution ? 1 : rank - 2; }
  std::size_t filters(std::size_t rank) const { return is_convolution ? 0 : rank - 1; }
};
// Nothing where it has no such form.
std::optional<PairedWeights> paired_weights_of(const OpDef& op);

// int8 or uint8 weights of two dimensions and more as pairs, int32. `zero_point`, one or one a
// filter or column, may be null: 0.
Tensor in_pairs(const Tensor& weights, const Tensor* zero_point, const PairedWeights& at);

// The same of a type whose dimension `terms` holds so many groups of terms.
TensorType in_pairs(const TensorType& type, std::size_t terms, std::int64_t groups);

// And of a tensor, each element as `centred` has it, int32.
te::Tensor in_pairs(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    std::size_t terms, std::int64_t groups,
                    const std::function<Expr(Expr element, const Indices& i)>& centred);

}  // namespace loopglass::ops
