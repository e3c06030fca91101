#include "core/tensor/layout.h"

#include "core/support/check.h"
#include "core/tensor/rearrange.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace loopglass {

namespace {

// Each row the letters of one place in the logical order.
constexpr std::string_view places[] = {"NO", "CI", "D", "H", "W"};
constexpr std::int64_t largest_block = 1 << 16;

std::optional<std::size_t> place_of(char letter) {
  for (std::size_t place = 0; place < std::size(places); ++place)
    if (places[place].find(letter) != std::string_view::npos) return place;
  return std::nullopt;
}

std::unexpected<Diagnostic> no_layout(std::string_view text, std::string why) {
  return fail(Code::UsageInvalid, fmt::format("'{}' is no layout: {}", text, why), {},
              "layouts are written NCHW, NHWC, NCHW16c, OIHW16i16o");
}

}  // namespace

Result<Layout> Layout::parse(std::string_view text) {
  struct Term {
    std::size_t place;
    std::int64_t block;
  };
  std::vector<Term> terms;
  std::optional<std::int64_t> whole[std::size(places)];  // by place: the block's extent, 1 without
  for (std::size_t position = 0; position < text.size(); ++position) {
    std::int64_t block = 0;
    if (std::isdigit(static_cast<unsigned char>(text[position]))) {
      const auto [end, error] =
          std::from_chars(text.data() + position, text.data() + text.size(), block);
      position = static_cast<std::size_t>(end - text.data());
      if (error != std::errc() || block < 2 || block > largest_block || position == text.size())
        return no_layout(text, "a block is a number from 2 and a small letter");
    }
    const char letter = text[position];
    if ((block == 0) != (std::isupper(static_cast<unsigned char>(letter)) != 0))
      return no_layout(text, "a capital is an axis, a number and a small letter its block");
    const auto place =
        place_of(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
    if (!place) return no_layout(text, fmt::format("there is no axis '{}'", letter));
    if (block == 0 ? whole[*place].has_value() : whole[*place] != 1)
      return no_layout(text,
                       fmt::format("'{}' stands twice, or as a block without its axis", letter));
    whole[*place] = block == 0 ? 1 : block;
    terms.push_back({*place, block});
  }
  if (!whole[0] || !whole[1]) return no_layout(text, "it needs a batch and a channel axis");
  Layout layout;
  layout.text_ = std::string(text);
  std::size_t axis_at[std::size(places)] = {};
  for (std::size_t place = 0; place < std::size(places); ++place) {
    axis_at[place] = layout.blocks_.size();
    if (whole[place]) layout.blocks_.push_back(*whole[place]);
  }
  for (const Term& term : terms) layout.dimensions_.push_back({axis_at[term.place], term.block});
  return layout;
}

Layout Layout::of(std::string_view text) {
  auto layout = parse(text);
  CHECK(layout.has_value(), fmt::format("'{}' is no layout", text));
  return *std::move(layout);
}

bool Layout::is_plain() const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (dimensions_[d] != Dimension{d, 0}) return false;
  return true;
}

Result<Shape> Layout::physical(const Shape& logical) const {
  if (logical.size() != rank())
    return fail(Code::OperatorMisused,
                fmt::format("{} has not the axes of {}", to_string(logical), text_));
  Shape result;
  for (const Dimension& dimension : dimensions_) {
    const std::int64_t extent = logical[dimension.axis], block = blocks_[dimension.axis];
    if (extent % block != 0)
      return fail(
          Code::OperatorMisused,
          fmt::format("{} does not divide an extent of {}, as {} wants it", block, extent, text_));
    result.push_back(dimension.block > 0 ? block : extent / block);
  }
  return result;
}

Result<Shape> Layout::logical(const Shape& physical) const {
  if (physical.size() != dimensions_.size())
    return fail(Code::OperatorMisused,
                fmt::format("{} has not the dimensions of {}", to_string(physical), text_));
  Shape result(rank(), 1);
  for (std::size_t d = 0; d < physical.size(); ++d) {
    const Dimension& dimension = dimensions_[d];
    if (dimension.block > 0 && physical[d] != dimension.block)
      return fail(Code::OperatorMisused, fmt::format("dimension {} of {} is {} in {}", d,
                                                     to_string(physical), dimension.block, text_));
    if (__builtin_mul_overflow(result[dimension.axis], physical[d], &result[dimension.axis]))
      return fail(Code::ModelTooLarge, fmt::format("{} is absurd", to_string(physical)));
  }
  return result;
}

// The dimensions of more than one element; an axis whose blocks lie directly inside it is whole.
std::vector<Layout::Dimension> Layout::significant(const Shape& logical) const {
  std::vector<Dimension> result;
  for (const Dimension& dimension : dimensions_) {
    const std::int64_t block = blocks_[dimension.axis];
    const std::int64_t extent = dimension.block > 0 ? block : logical[dimension.axis] / block;
    if (extent == 1) continue;
    // A block that is all of its axis is the axis.
    const bool whole = dimension.block > 0 && logical[dimension.axis] == block;
    if (dimension.block > 0 && !whole && !result.empty() &&
        result.back() == Dimension{dimension.axis, 0})
      continue;
    result.push_back({dimension.axis, whole ? 0 : dimension.block});
  }
  return result;
}

bool Layout::same_order(const Layout& other, const Shape& logical) const {
  return significant(logical) == other.significant(logical);
}

std::vector<std::int64_t> Layout::strides_in(const Shape& logical) const {
  const std::vector<std::int64_t> plain = row_major_strides(logical);
  std::vector<std::int64_t> strides;
  for (const Dimension& dimension : dimensions_)
    strides.push_back(plain[dimension.axis] * (dimension.block > 0 ? 1 : blocks_[dimension.axis]));
  return strides;
}

Result<Tensor> Layout::arranged(const Tensor& plain) const {
  Tensor result = TRY(Tensor::allocate({plain.data_type(), TRY(physical(plain.shape()))}));
  gather(plain, strides_in(plain.shape()), result);
  return result;
}

Result<Tensor> Layout::restored(const Tensor& arranged) const {
  Tensor result = TRY(Tensor::allocate({arranged.data_type(), TRY(logical(arranged.shape()))}));
  scatter(arranged, strides_in(result.shape()), result);
  return result;
}

}  // namespace loopglass
