#include "core/runtime/packing.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/interpreter.h"
#include "core/support/ceil_div.h"
#include "core/support/check.h"

#include <fmt/format.h>

namespace loopglass::runtime {
namespace {

// original index k = constant + sum over new dimensions j of coefficients[j] * d_j
struct AffineIndex {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;
  std::int64_t extent = 0;  // of the original dimension
};

std::optional<std::vector<AffineIndex>> affine_map(const loop::Packing& packing, std::size_t rank) {
  std::vector<AffineIndex> map;
  std::map<std::string, expr::Expr> zeros;
  for (std::size_t j = 0; j < rank; ++j) zeros.emplace("d" + std::to_string(j), 0);
  for (std::size_t k = 0; k < packing.source.size(); ++k) {
    AffineIndex index{0, {}, packing.original_shape[k]};
    for (std::size_t j = 0; j < rank; ++j) {
      std::optional<std::int64_t> c = expr::coefficient(packing.source[k], "d" + std::to_string(j));
      if (!c) return std::nullopt;
      index.coefficients.push_back(*c);
    }
    std::optional<std::int64_t> constant =
        expr::as_integer(expr::simplify(expr::substitute(packing.source[k], zeros)));
    if (!constant) return std::nullopt;
    index.constant = *constant;
    map.push_back(std::move(index));
  }
  return map;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

// Copies one run over the innermost new dimension at a time, clipped to where the original exists.
template <class Element>
class Packer {
 public:
  Packer(const std::vector<AffineIndex>& map, const Shape& shape, const Tensor& from, Tensor& to)
      : map_(map), shape_(shape), inner_(shape.size() - 1) {
    source_ = reinterpret_cast<const Element*>(from.data());
    target_ = reinterpret_cast<Element*>(to.data());
    strides_ = row_major_strides(from.shape());
    for (std::size_t k = 0; k < map.size(); ++k) step_ += strides_[k] * map[k].coefficients[inner_];
    for (const AffineIndex& index : map) at_.push_back(index.constant);
  }

  void run() { dimension(0); }

 private:
  void dimension(std::size_t j) {
    if (j == inner_) return copy_run();
    for (std::int64_t d = 0; d < shape_[j]; ++d) {
      dimension(j + 1);
      for (std::size_t k = 0; k < map_.size(); ++k) at_[k] += map_[k].coefficients[j];
    }
    for (std::size_t k = 0; k < map_.size(); ++k) at_[k] -= map_[k].coefficients[j] * shape_[j];
  }

  void copy_run() {
    std::int64_t begin = 0, end = shape_[inner_], flat = 0;
    for (std::size_t k = 0; k < map_.size(); ++k) {
      // 0 <= at + c * d < extent
      std::int64_t c = map_[k].coefficients[inner_], at = at_[k], extent = map_[k].extent;
      flat += strides_[k] * at;
      if (c == 0) {
        if (at < 0 || at >= extent) end = 0;
        continue;
      }
      std::int64_t low = c > 0 ? ceil_div(-at, c) : ceil_div(extent - 1 - at, c);
      std::int64_t high = c > 0 ? floor_div(extent - 1 - at, c) : floor_div(-at, c);
      begin = std::max(begin, low);
      end = std::min(end, high + 1);
    }
    for (std::int64_t d = begin; d < end; ++d) target_[d] = source_[flat + d * step_];
    target_ += shape_[inner_];
  }

  const std::vector<AffineIndex>& map_;
  const Shape& shape_;
  std::size_t inner_;
  const Element* source_;
  Element* target_;
  std::vector<std::int64_t> strides_, at_;
  std::int64_t step_ = 0;
};

}  // namespace

Tensor pack_constant(const loop::Buffer& parameter, const Tensor& constant) {
  if (!parameter.packing) return constant;
  Shape shape = te::concrete(parameter.shape);
  std::optional<std::vector<AffineIndex>> map = affine_map(*parameter.packing, shape.size());
  if (!map || shape.empty()) return loop::pack(parameter, constant);
  CHECK(constant.shape() == parameter.packing->original_shape,
        "packing of another constant for " + parameter.name);
  Tensor packed(TensorType{constant.data_type(), shape});  // zeros
  switch (byte_size(constant.data_type())) {
    case 1: Packer<std::uint8_t>(*map, shape, constant, packed).run(); break;
    case 2: Packer<std::uint16_t>(*map, shape, constant, packed).run(); break;
    case 4: Packer<std::uint32_t>(*map, shape, constant, packed).run(); break;
    default: Packer<std::uint64_t>(*map, shape, constant, packed).run(); break;
  }
  return packed;
}

std::string packing_key(const Tensor& constant, const loop::Buffer& parameter) {
  std::string key = fmt::format("{}", static_cast<const void*>(constant.data()));
  for (const expr::Expr& extent : parameter.shape) key += ' ' + expr::to_string(extent);
  for (const expr::Expr& index : parameter.packing->source) key += " | " + expr::to_string(index);
  return key;
}

}  // namespace loopglass::runtime
