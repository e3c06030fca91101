// Layouts: in what order a tensor's dimensions lie in memory, and which of them is cut into blocks.
//
// What a tensor means is said by its logical axes: batch N or output channel O, channel C or input
// channel I, and the spatial D, H and W, in this order. A layout is a permutation of them in which
// an axis may leave a block of its positions further inside: "NCHW", "NHWC", "NCHW16c" (the shape
// N x C/16 x H x W x 16), "OIHW16i16o". The extents in physical order are what a TensorType holds.
#pragma once

#include "core/tensor/tensor.h"

namespace loopglass {

class Layout {
 public:
  // One physical dimension: a logical axis, what its block leaves of it, or the block itself.
  struct Dimension {
    std::size_t axis = 0;    // logical
    std::int64_t block = 0;  // of the block itself, its extent; else 0
    friend bool operator==(const Dimension&, const Dimension&) = default;
  };

  // UsageInvalid for what is no layout.
  static Result<Layout> parse(std::string_view text);
  // The same of a text in the source, which must be one.
  static Layout of(std::string_view text);

  const std::string& text() const { return text_; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }  // outermost first
  std::size_t rank() const { return blocks_.size(); }                       // logical
  std::int64_t block(std::size_t axis) const { return blocks_[axis]; }  // 1: not cut into blocks
  // Axes in their logical order, none in blocks.
  bool is_plain() const;

  // Physical extents of a logical shape and back. OperatorMisused where the rank differs or a
  // block does not divide its axis.
  Result<Shape> physical(const Shape& logical) const;
  Result<Shape> logical(const Shape& physical) const;

  // Whether the elements of a tensor of this logical shape lie in the same order in both, so that
  // only the extents differ: dimensions of one element have no place in the order.
  bool same_order(const Layout& other, const Shape& logical) const;
  // The tensor, whose dimensions lie in logical order, in this layout.
  Result<Tensor> arranged(const Tensor& plain) const;
  // And back, with its dimensions in logical order.
  Result<Tensor> restored(const Tensor& arranged) const;

  friend bool operator==(const Layout& a, const Layout& b) { return a.text_ == b.text_; }

 private:
  Layout() = default;
  std::vector<Dimension> significant(const Shape& logical) const;
  // How far apart, in a tensor of this logical shape in logical order, neighbours along each
  // physical dimension lie.
  std::vector<std::int64_t> strides_in(const Shape& logical) const;

  std::string text_;
  std::vector<Dimension> dimensions_;
  std::vector<std::int64_t> blocks_;  // of each logical axis
};

}  // namespace loopglass
