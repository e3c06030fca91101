// The matrix product with numpy's rules, for every element type: what MatMul and its integer forms
// share.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

struct Product {
  bool row_vector, column_vector;  // a, b has rank 1, and the output lacks that axis
  Shape output;
  std::int64_t inner;
};

Result<Product> product_of(const Shape& a, const Shape& b);

// output[..., i, j] = sum over k of term(a[..., i, k], b[..., k, j], output indices).
te::Tensor multiply(te::Builder& builder, const std::string& name, const te::Tensor& a,
                    const te::Tensor& b, const Product& product,
                    const std::function<Expr(Expr a, Expr b, const Indices& i)>& term);

}  // namespace loopglass::ops
