// What a library of hand-written kernels is asked to compute: a convolution or a matrix product of
// float32 with what follows it, element by element. It knows neither graphs nor plans, so that what
// translates it into a library's own terms needs only this.
#pragma once

#include "core/tensor/layout.h"

#include <variant>
#include <vector>

namespace loopglass::library {

// Where the elements of a tensor lie: the extents of its logical axes, the strides of these (of
// their blocks, where they have some) and the blocks, the innermost last, in which elements follow
// one another without gaps. In elements.
struct Storage {
  struct Block {
    std::size_t axis;
    std::int64_t extent;
  };
  Shape extents;
  std::vector<std::int64_t> strides;
  std::vector<Block> blocks = {};
};
Storage row_major(const Shape& extents);
// Where the element lies that row-major order has at this place, or that has these indices.
std::int64_t offset_of(const Storage& storage, std::int64_t place);
std::int64_t offset_of(const Storage& storage, Shape indices);
bool lies_in_rows(const Storage& storage);
// All elements from where they lie into rows, and back.
void copy_into_rows(const Storage& storage, const float* from, float* rows);
void copy_from_rows(const Storage& storage, const float* rows, float* to);
// Of a tensor with these physical extents. LibraryRefused where blocks are not innermost.
Result<Storage> storage_of(const Layout& layout, const Shape& physical);

// Source batch x channels x spatial; weights filters x channels of a group x kernel; result
// batch x filters x spatial.
struct Convolution {
  std::int64_t groups = 1;
  // One a spatial axis; a dilation of 1 is none. Padding is zeros.
  std::vector<std::int64_t> strides, dilations, pads_begin, pads_end;
};

// Source ... x m x k; weights ... x k x n; result ... x m x n. Leading axes of one element are
// repeated.
struct Product {};

enum class Function : std::uint8_t {
  Relu,
  LeakyRelu,  // alpha x where x is negative
  Elu,        // alpha (e^x - 1) where x is negative
  Clip,       // into [alpha, beta]
  Linear,     // alpha x + beta
  Sigmoid,
  Tanh,
  Swish,      // x sigmoid(x)
  HardSwish,  // x min(max(x + 3, 0), 6) / 6
  Gelu,       // by the error function
  Mish
};
struct Activation {
  Function function;
  float alpha = 0, beta = 0;
};

// With another tensor, whose axes of one element are repeated.
struct Combination {
  enum class Operator : std::uint8_t { Add, Multiply } op;
  Storage operand;
};

using Step = std::variant<Activation, Combination>;

struct Computation {
  std::variant<Convolution, Product> anchor;
  Storage source, weights, result;
  // Whether weights, and the bias, are the same from run to run.
  bool constant_weights = true;
  bool has_bias = false;  // one element a filter or column
  std::vector<Step> steps = {};
};

// The memory of all tensors of a computation; operands in the order of its combinations.
struct Arguments {
  const float* source = nullptr;
  const float* weights = nullptr;
  const float* bias = nullptr;
  std::vector<const float*> operands = {};
  float* result = nullptr;
};

}  // namespace loopglass::library
