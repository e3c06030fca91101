// Products of bytes that are summed, several terms an int32: dot_pairs and dot_quads (core/expr)
// multiply and add two or four terms a lane, where a product in int32 takes one. Results are the
// same to the last bit.
//
//   Pairs: two bytes less their zero points, which are int16.
//   Quads: four bytes, of weights less their zero points, which must be int8, of the data as they
//          are, unsigned (of int8 what is 128 more). What its zero point z adds to a sum is taken
//          away from it: sum over k of (x - z) w = sum over k of x w, less z times the sum of w.
//
// What a weight's word holds is known before anything runs, so that a pass makes it
// (passes/graph/pair_products.h); the data are packed by the operator. A number of terms that does
// not fill the last word leaves zeros in it.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

enum class Packing : std::uint8_t { Pairs, Quads };
constexpr std::int64_t terms_of_word(Packing packing) { return packing == Packing::Pairs ? 2 : 4; }

// The form of an operator that takes its weights in words; nullptr where it has none. In pairs it
// lacks the weights' zero point, in quads their sums stand in its place, int32, one a filter.
const OpDef* packed_form_of(const OpDef& op, Packing packing);
std::string packed_form_name(const std::string& op, Packing packing);

// Which of the operator's inputs are packed, and along which dimension.
struct PackedWeights {
  std::size_t weights, zero_point;  // inputs
  bool is_convolution = false;

  // The dimension along which terms are summed, and that whose zero points differ.
  std::size_t terms(std::size_t rank) const { return is_convolution ? 1 : rank - 2; }
  std::size_t filters(std::size_t rank) const { return is_convolution ? 0 : rank - 1; }
};
// Nothing where it has no such form.
std::optional<PackedWeights> packed_weights_of(const OpDef& op);

// int8 or uint8 weights of two dimensions and more, and their zero point, one or one a filter or
// column; null: 0.
class BytesOfWeights {
 public:
  BytesOfWeights(const Tensor& weights, const Tensor* zero_point, const PackedWeights& at)
      : weights_(weights), zero_point_(zero_point), at_(at) {}

  // Whether all of them, less their zero points, are int8.
  bool are_signed_bytes() const;
  // As words, int32.
  Tensor packed(Packing packing) const;
  // Of each filter, int32: what a zero point of the data counts for. CHECKs that it is a
  // convolution or a product by one matrix.
  Tensor sums() const;

 private:
  template <class Visit>
  void visit_elements(const Visit& visit) const;

  const Tensor& weights_;
  const Tensor* zero_point_;
  PackedWeights at_;
};

// Words of a type whose dimension `terms` holds so many groups of terms.
TensorType in_words(const TensorType& type, std::size_t terms, std::int64_t groups,
                    Packing packing);

// And of a tensor, each element as `whole` has it, int32; of a quad the lowest byte counts.
te::Tensor in_words(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    std::size_t terms, std::int64_t groups, Packing packing,
                    const std::function<Expr(Expr element, const Indices& i)>& whole);

// The terms of a word, of each the low half or byte.
Expr word_of(const std::vector<Expr>& terms);
// One element as all terms of a word, and the sum of a word's products.
Expr word_of_equal(const Expr& whole, Packing packing);
Expr dot_words(Expr data, Expr weights, Packing packing);

}  // namespace loopglass::ops
