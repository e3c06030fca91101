#include "core/ops/packed_products.h"

#include "core/ops/registry.h"
#include "core/support/ceil_div.h"
#include "core/support/check.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>

namespace loopglass::ops {

namespace {

std::int64_t extent_of(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
}

}  // namespace

Expr word_of(const std::vector<Expr>& terms) {
  return terms.size() == 2 ? expr::pair(terms[0], terms[1])
                           : expr::quad(terms[0], terms[1], terms[2], terms[3]);
}

std::string packed_form_name(const std::string& op, Packing packing) {
  return (packing == Packing::Pairs ? "Paired" : "Quad") + op;
}
const OpDef* packed_form_of(const OpDef& op, Packing packing) {
  return find_operator(packed_form_name(op.name, packing));
}

std::optional<PackedWeights> packed_weights_of(const OpDef& op) {
  const OpDef* const paired = packed_form_of(op, Packing::Pairs);
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
  return PackedWeights{place(weights), place(zero), weights->name == "w"};
}

// visit(place, element less its zero point).
template <class Visit>
void BytesOfWeights::visit_elements(const Visit& visit) const {
  const Shape& shape = weights_.shape();
  const std::size_t filter = at_.filters(shape.size());
  const std::int64_t zero_step = extent_of(std::span(shape).subspan(filter + 1));
  visit_type(weights_.type().type, [&](auto element) {
    using T = decltype(element);
    const auto from = weights_.as<T>();
    const auto zeros = zero_point_ ? zero_point_->as<T>() : std::span<const T>();
    for (std::size_t place = 0; place < from.size(); ++place) {
      std::int64_t zero = 0;
      if (!zeros.empty())
        zero =
            zeros[zeros.size() == 1 ? 0
                                    : place / static_cast<std::size_t>(zero_step) % zeros.size()];
      visit(static_cast<std::int64_t>(place), static_cast<std::int64_t>(from[place]) - zero);
    }
  });
}

bool BytesOfWeights::are_signed_bytes() const {
  using Byte = std::numeric_limits<std::int8_t>;
  bool fit = true;
  visit_elements([&](std::int64_t, std::int64_t value) {
    fit = fit && value >= Byte::min() && value <= Byte::max();
  });
  return fit;
}

Tensor BytesOfWeights::packed(Packing packing) const {
  const Shape& shape = weights_.shape();
  const std::size_t summed = at_.terms(shape.size());
  const std::int64_t terms = shape[summed], inner = extent_of(std::span(shape).subspan(summed + 1)),
                     length = terms_of_word(packing);
  Tensor result(in_words(weights_.type(), summed, 1, packing));
  const std::int64_t words = result.shape()[summed];
  const auto to = result.as<std::int32_t>();
  const auto bits = static_cast<unsigned>(32 / length);
  const std::uint32_t mask = (1U << bits) - 1;
  visit_elements([&](std::int64_t place, std::int64_t value) {
    const std::int64_t i = place % inner, term = place / inner % terms,
                       outer = place / inner / terms;
    std::int32_t& word = to[static_cast<std::size_t>((outer * words + term / length) * inner + i)];
    const auto part = (static_cast<std::uint32_t>(value) & mask)
                      << (bits * static_cast<unsigned>(term % length));
    word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) | part);
  });
  return result;
}

Tensor BytesOfWeights::sums() const {
  const Shape& shape = weights_.shape();
  const std::size_t filter = at_.filters(shape.size());
  CHECK(at_.is_convolution || shape.size() == 2, "sums of a stack of matrices");
  Tensor result({DataType::Int32, {shape[filter]}});
  const auto to = result.as<std::int32_t>();
  const std::int64_t step = extent_of(std::span(shape).subspan(filter + 1));
  visit_elements([&](std::int64_t place, std::int64_t value) {
    std::int32_t& sum = to[static_cast<std::size_t>(place / step % shape[filter])];
    sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                    static_cast<std::uint32_t>(value));
  });
  return result;
}

TensorType in_words(const TensorType& type, std::size_t terms, std::int64_t groups,
                    Packing packing) {
  TensorType result{DataType::Int32, type.shape};
  result.shape[terms] = groups * ceil_div(type.shape[terms] / groups, terms_of_word(packing));
  return result;
}

te::Tensor in_words(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    std::size_t terms, std::int64_t groups, Packing packing,
                    const std::function<Expr(Expr element, const Indices& i)>& whole) {
  const auto extent = expr::as_integer(x.shape[terms]);
  CHECK(extent, "who has weights knows how many terms there are");
  const std::int64_t length = terms_of_word(packing), group = *extent / groups,
                     words = ceil_div(group, length), of_last = group - (words - 1) * length;
  std::vector<Expr> shape = x.shape;
  shape[terms] = groups * words;
  return builder.compute(name, shape, [&](const Indices& i) {
    const bool is_even = of_last == length;
    const Expr in_group = groups == 1 ? i[terms] : expr::floor_mod(i[terms], words);
    const Expr first = is_even
                           ? i[terms] * length
                           : (groups == 1 ? Expr(0) : expr::floor_div(i[terms], words) * group) +
                                 in_group * length;
    const auto at = [&](const Expr& term) {
      Indices place = i;
      place[terms] = term;
      return whole(x(place), place);
    };
    std::vector<Expr> parts;
    for (std::int64_t term = 0; term < length; ++term) {
      const Expr part = at(term == 0 ? first : first + term);
      parts.push_back(term < of_last ? part
                                     : expr::select(in_group < words - 1, part,
                                                    expr::integer(DataType::Int32, 0)));
    }
    return word_of(parts);
  });
}

Expr word_of_equal(const Expr& whole, Packing packing) {
  return word_of(std::vector(static_cast<std::size_t>(terms_of_word(packing)), whole));
}

Expr dot_words(Expr data, Expr weights, Packing packing) {
  return packing == Packing::Pairs ? expr::dot_pairs(std::move(data), std::move(weights))
                                   : expr::dot_quads(std::move(data), std::move(weights));
}

}  // namespace loopglass::ops
