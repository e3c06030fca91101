// Winograd's minimal filtering: a 3 x 3 convolution of stride one in tiles of m x m results, each
// by (m + 2) x (m + 2) products a channel and filter instead of 9 m x m.
//
//   Y = A^T [ sum over channels of (G w G^T) * (B^T d B) ] A
//
// d is the tile of the input with its border, overlapping its neighbours by two; * goes element by
// element, so that over all tiles and channels the middle is (m + 2) x (m + 2) matrix products. The
// matrices are those of Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015):
// interpolation at 0, 1, -1 and infinity for m = 2, at 2 and -2 too for m = 4.
//
// Results differ from a convolution's by rounding, and the more the larger m is: intermediate sums
// are larger than what comes of them.
#pragma once

#include "core/ops/operation.h"

#include <array>
#include <span>

namespace loopglass::ops {

namespace winograd {

inline constexpr std::int64_t kernel = 3;  // taps along each axis
inline constexpr std::array<std::int64_t, 2> tiles{2, 4};

// Rows of one of the matrices.
class Matrix {
 public:
  constexpr Matrix(std::span<const double> elements, std::int64_t columns)
      : elements_(elements), columns_(columns) {}
  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return static_cast<std::int64_t>(elements_.size()) / columns_; }
  double operator()(std::int64_t row, std::int64_t column) const {
    return elements_[static_cast<std::size_t>(row * columns_ + column)];
  }

 private:
  std::span<const double> elements_;
  std::int64_t columns_;
};

// For tiles of m results along an axis.
struct Transform {
  std::int64_t tile;
  Matrix data, weights, result;  // B^T, G, A^T
  std::int64_t window() const { return tile + kernel - 1; }
};
// CHECKs that the tile is one of `tiles`.
Transform transform(std::int64_t tile);

// G w G^T of filters K x C x 3 x 3, in float64 and rounded once, as the second operand of the
// product: window x window x 1 x 1 x C x K.
Tensor transformed_weights(const Tensor& weights, std::int64_t tile);

}  // namespace winograd

// B^T d B of all tiles of an image in this layout. `pads` are the convolution's: top, left, bottom,
// right. The result: window x window x N x tiles down x tiles across x C.
Operation winograd_input(std::int64_t tile, const std::vector<std::int64_t>& pads,
                         const Layout& image);
// A^T m A of what the products come to, as an image of `height` x `width` in this layout.
Operation winograd_output(std::int64_t tile, std::int64_t height, std::int64_t width,
                          const Layout& image);

}  // namespace loopglass::ops
