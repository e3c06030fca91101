// GridSample.
#include "tests/ops/arrays.h"

#include <cmath>

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Tensor image = f32({1, 1, 2, 3}, {0, 1, 2, 10, 11, 12});

Reals sampled(std::initializer_list<float> grid, const std::string& mode,
              const std::string& padding, bool corners) {
  const Tensor points = f32({1, 1, static_cast<std::int64_t>(grid.size()) / 2, 2}, grid);
  return computed(
      "GridSample", {image, points},
      {{"mode", mode}, {"padding_mode", padding}, {"align_corners", std::int64_t{corners}}});
}

TEST(GridSample, NormalisesByCentresOrEdges) {
  EXPECT_THAT(sampled({-1, -1, 1, 1, 0, 0, 0.5f, -1}, "linear", "zeros", true),
              Near({0, 12, 6, 1.5}));
  // By edges (0, 0) is still the middle, but (-1, -1) is the corner of the image, where three zeros
  // meet an element.
  EXPECT_THAT(sampled({0, 0, 1, 1, -1, 0}, "linear", "zeros", false), Near({6, 3, 2.5}));
}

TEST(GridSample, PadsWithZerosBordersOrReflections) {
  // Columns -1, 0, 1, 2, 3, 4, 5 of the first row.
  const std::initializer_list<float> columns{-2, -1, -1, -1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1};
  EXPECT_THAT(sampled(columns, "nearest", "zeros", true), Near({0, 0, 1, 2, 0, 0, 0}));
  EXPECT_THAT(sampled(columns, "nearest", "border", true), Near({0, 0, 1, 2, 2, 2, 2}));
  EXPECT_THAT(sampled(columns, "nearest", "reflection", true), Near({1, 0, 1, 2, 1, 0, 1}));
  // By edges, reflection repeats the outermost element: columns -1, 3 and 4 are 0, 2 and 1.
  EXPECT_THAT(sampled({-5.f / 3, -0.5f, 5.f / 3 - 2.f / 3 + 1.f / 3, -0.5f, 2, -0.5f}, "nearest",
                      "reflection", false),
              Near({0, 2, 1}));
}

TEST(GridSample, BicubicPassesThroughTheElements) {
  EXPECT_THAT(sampled({-1, -1, 0, 1, 1, 1}, "cubic", "border", true), Near({0, 11, 12}));
  // Half way between 0 and 1 with 0 and 2 beyond: weights a/8, (4 - a)/8, (4 - a)/8, a/8 with a =
  // -0.75.
  EXPECT_THAT(sampled({-0.5f, -1}, "cubic", "border", true), Near({(4.75 * 1 - 0.75 * 2) / 8}));
}

// The definition, position by position, in double: the element at a whole position is that of the
// image, or what the padding says.
class Sampler {
 public:
  Sampler(const Tensor& image, const std::string& mode, const std::string& padding, bool corners)
      : image_(image),
        extents_(image.shape().begin() + 2, image.shape().end()),
        mode_(mode),
        padding_(padding),
        corners_(corners) {}

  // The first coordinate is of the last axis.
  double operator()(std::int64_t plane, const Reals& coordinates) const {
    Reals positions;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      const double extent = static_cast<double>(extents_[axis]),
                   g = coordinates[extents_.size() - 1 - axis];
      const double position = corners_ ? (g + 1) * (extent - 1) / 2 : ((g + 1) * extent - 1) / 2;
      positions.push_back(mode_ == "cubic" ? position : moved(axis, position));
    }
    return blended(plane, positions, {});
  }

 private:
  double moved(std::size_t axis, double position) const {
    const double last = static_cast<double>(extents_[axis] - 1);
    if (padding_ == "zeros") return position;
    if (padding_ == "reflection") {
      const double low = corners_ ? 0 : -0.5, high = corners_ ? last : last + 0.5;
      while (low < high && (position < low || position > high))
        position = position < low ? 2 * low - position : 2 * high - position;
    }
    return std::clamp(position, 0.0, last);
  }

  double element(std::int64_t plane, const Integers& index) const {
    std::int64_t offset = plane;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      std::int64_t at = index[axis];
      if (mode_ == "cubic") at = static_cast<std::int64_t>(moved(axis, static_cast<double>(at)));
      if (padding_ == "zeros" && (at < 0 || at >= extents_[axis])) return 0;
      offset = offset * extents_[axis] + std::clamp<std::int64_t>(at, 0, extents_[axis] - 1);
    }
    return image_.double_at(offset);
  }

  double kernel(double distance) const {
    const double d = std::abs(distance), a = -0.75;
    if (mode_ == "linear") return std::max(0.0, 1 - d);
    if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
    return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
  }

  double blended(std::int64_t plane, const Reals& positions, Integers index) const {
    if (index.size() == positions.size()) return element(plane, index);
    const double position = positions[index.size()];
    index.push_back(static_cast<std::int64_t>(std::nearbyint(position)));
    if (mode_ == "nearest") return blended(plane, positions, index);
    double sum = 0;
    for (index.back() -= 3; static_cast<double>(index.back()) < position + 3; ++index.back())
      if (const double weight = kernel(position - static_cast<double>(index.back())); weight != 0)
        sum += weight * blended(plane, positions, index);
    return sum;
  }

  const Tensor& image_;
  Shape extents_;
  std::string mode_, padding_;
  bool corners_;
};

TEST(GridSample, IsWhatItsDefinitionSays) {
  unsigned seed = 1;
  for (const Shape& extents : {Shape{5}, Shape{1}, Shape{3, 4}, Shape{1, 5}, Shape{2, 3, 4}})
    for (const char* mode : {"linear", "nearest", "cubic"})
      for (const char* padding : {"zeros", "border", "reflection"})
        for (const bool corners : {false, true}) {
          SCOPED_TRACE(to_string(extents) + " " + mode + " " + padding +
                       (corners ? " corners" : ""));
          const auto axes = std::ssize(extents);
          Shape shape{2, 2}, grid_shape{2, 9}, result{2, 2, 9};
          shape.insert(shape.end(), extents.begin(), extents.end());
          grid_shape.resize(static_cast<std::size_t>(axes) + 1, 1), grid_shape.push_back(axes);
          result.resize(shape.size(), 1);
          const Tensor image = random_floats(shape, ++seed);
          Tensor grid = random_floats(grid_shape, ++seed);
          for (float& coordinate : grid.as<float>()) coordinate *= 2.5f;
          Reals expected;
          const Sampler sampler(image, mode, padding, corners);
          for (std::int64_t plane = 0; plane < 4; ++plane)
            for (std::int64_t point = 0; point < 9; ++point) {
              Reals coordinates;
              for (std::int64_t k = 0; k < axes; ++k)
                coordinates.push_back(grid.double_at((plane / 2 * 9 + point) * axes + k));
              expected.push_back(sampler(plane, coordinates));
            }
          expect_tensor(run("GridSample", {image, grid},
                            {{"mode", mode},
                             {"padding_mode", padding},
                             {"align_corners", std::int64_t{corners}}}),
                        result, expected, 1e-4);
        }
}

TEST(GridSample, OldFormsHaveTwoAxesAndSayBi) {
  const auto match = find_onnx("", "GridSample", 16);
  ASSERT_TRUE(match);
  const auto adapted = [&](const Shape& shape, Attributes attributes) {
    const TensorType x{DataType::Float32, shape};
    const TensorType* inputs[] = {&x, &x};
    return match->mapping->adapt(std::move(attributes), InferContext{inputs, {}, 1});
  };
  EXPECT_EQ(adapted({1, 1, 2, 2}, {})->string("mode"), "linear");
  EXPECT_EQ(adapted({1, 1, 2, 2}, {{"mode", "bicubic"}})->string("mode"), "cubic");
  EXPECT_EQ(match->mapping->restore({{"mode", "cubic"}}).string("mode"), "bicubic");
  EXPECT_FALSE(adapted({1, 1, 2, 2}, {{"mode", "cubic"}}));
  EXPECT_FALSE(adapted({1, 1, 2, 2, 2}, {}));
}

TEST(GridSample, RefusesOtherRanksAndModes) {
  EXPECT_THAT(refusal("GridSample", {{DataType::Float32, {1, 1, 2, 2, 2, 2}},
                                     {DataType::Float32, {1, 1, 1, 1, 1, 4}}}),
              StartsWith("LG2002"));
  EXPECT_THAT(refusal("GridSample", {image.type(), {DataType::Float32, {2, 1, 1, 2}}}),
              HasSubstr("a grid of"));
  EXPECT_THAT(refusal("GridSample", {image.type(), {DataType::Float32, {1, 1, 1, 3}}}),
              HasSubstr("a grid of"));
  EXPECT_THAT(refusal("GridSample", {image.type(), {DataType::Float32, {1, 1, 1, 2}}},
                      {{"mode", "bicubic"}}),
              StartsWith("LG2002"));
}

}  // namespace
}  // namespace loopglass::ops
