#include "core/ops/paired_products.h"

#include "core/ops/registry.h"
#include "core/support/ceil_div.h"
#include "core/support/check.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace loopglass::ops {

namespace {

constexpr std::int64_t pair_length = 2;

std::int64_t extent_of(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
}

// Less its zero point, in the low half of what is returned.
std::uint32_t half(std::int64_t element, std::int64_t zero) {
  return static_cast<std::uint32_t>(element - zero) & 0xffffU;
}

}  // namespace

std::string paired_form_name(const std::string& op) { return "Paired" + op; }
const OpDef* paired_form_of(const OpDef& op) { return find_operator(paired_form_name(op.name)); }

std::optional<PairedWeights> paired_weights_of(const OpDef& op) {
  const OpDef* const paired = paired_form_of(op);
  if (!paired) return std::nullopt;
  // The form lacks the weights' zero point, which bears their name.
  const auto zero =
      std::ranges::mismatch(op.inputs, paired->inputs, {}, &Operand::name, &Operand::name).in1;
  CHECK(zero != op.inputs.end(), "weights in pairs have no zero point");
  const auto weights = std::ranges::find_if(op.inputs, [&](const Operand& operand) {
    return std::tolower(operand.name.front()) == zero->name.front() && operand.name.size() == 1;
  });
  CHECK(weights < zero, "a zero point stands behind its weights");
  const auto place = [&](auto operand) {
    return static_cast<std::size_t>(operand - op.inputs.begin());
  };
  return PairedWeights{place(weights), place(zero), weights->name == "w"};
}

Tensor in_pairs(const Tensor& weights, const Tensor* zero_point, const PairedWeights& at) {
  const Shape& shape = weights.shape();
  const std::size_t summed = at.terms(shape.size()), filter = at.filters(shape.size());
  const TensorType type = in_pairs(weights.type(), summed, 1);
  const std::int64_t outer = extent_of(std::span(shape).first(summed)),
                     inner = extent_of(std::span(shape).subspan(summed + 1)), terms = shape[summed],
                     pairs = type.shape[summed];
  const std::int64_t zero_step = extent_of(std::span(shape).subspan(filter + 1)),
                     zeros = shape[filter];
  Tensor result(type);
  const auto to = result.as<std::int32_t>();
  visit_type(weights.type().type, [&](auto element) {
    using T = decltype(element);
    const auto from = weights.as<T>();
    const auto half_at = [&](std::int64_t o, std::int64_t term, std::int64_t i) -> std::uint32_t {
      if (term >= terms) return 0;
      const std::int64_t place = (o * terms + term) * inner + i;
      std::int64_t zero = 0;
      if (zero_point) {
        const auto all = zero_point->as<T>();
        zero = all[all.size() == 1 ? 0 : static_cast<std::size_t>(place / zero_step % zeros)];
      }
      return half(from[static_cast<std::size_t>(place)], zero);
    };
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t p = 0; p < pairs; ++p)
        for (std::int64_t i = 0; i < inner; ++i)
          to[static_cast<std::size_t>((o * pairs + p) * inner + i)] = static_cast<std::int32_t>(
              half_at(o, pair_length * p, i) | half_at(o, pair_length * p + 1, i) << 16U);
  });
  return result;
}

TensorType in_pairs(const TensorType& type, std::size_t terms, std::int64_t groups) {
  TensorType result{DataType::Int32, type.shape};
  result.shape[terms] = groups * ceil_div(type.shape[terms] / groups, pair_length);
  return result;
}

te::Tensor in_pairs(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    std::size_t terms, std::int64_t groups,
                    const std::function<Expr(Expr element, const Indices& i)>& centred) {
  const auto extent = expr::as_integer(x.shape[terms]);
  CHECK(extent, "who has weights knows how many terms there are");
  const std::int64_t group = *extent / groups, pairs = ceil_div(group, pair_length);
  std::vector<Expr> shape = x.shape;
  shape[terms] = groups * pairs;
  return builder.compute(name, shape, [&](const Indices& i) {
    const bool is_even = group % pair_length == 0;
    const Expr in_group = groups == 1 ? i[terms] : expr::floor_mod(i[terms], pairs);
    const Expr first = is_even
                           ? i[terms] * pair_length
                           : (groups == 1 ? Expr(0) : expr::floor_div(i[terms], pairs) * group) +
                                 in_group * pair_length;
    const auto at = [&](const Expr& term) {
      Indices place = i;
      place[terms] = term;
      return centred(x(place), place);
    };
    const Expr second = is_even ? at(first + 1)
                                : expr::select(in_group < pairs - 1, at(first + 1),
                                               expr::integer(DataType::Int32, 0));
    return expr::pair(at(first), second);
  });
}

}  // namespace loopglass::ops
