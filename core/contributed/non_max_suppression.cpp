// NonMaxSuppression: of boxes that overlap the one with the best score, of each class. Box by box,
// as ONNX Runtime chooses them: the best that is left, of equal ones the first; what overlaps it is
// left out. How many are chosen the data say (Function::count); each choice is written out.
#include "core/contributed/function.h"
#include "core/contributed/non_zero_places.h"
#include "core/contributed/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <limits>

namespace loopglass::contributed {

namespace {

// Of one class of one image; each choice is some twenty nodes.
constexpr std::int64_t most_chosen = 512;

constexpr float none = -std::numeric_limits<float>::infinity();

struct Box {
  float top, left, bottom, right;
};

Box box_of(std::span<const float> sides, bool is_by_centre) {
  const auto [a, b, c, d] = std::array{sides[0], sides[1], sides[2], sides[3]};
  if (is_by_centre) return {b - d / 2, a - c / 2, b + d / 2, a + c / 2};
  return {std::min(a, c), std::min(b, d), std::max(a, c), std::max(b, d)};
}

float area_of(const Box& box) { return (box.right - box.left) * (box.bottom - box.top); }

bool overlap(const Box& a, const Box& b, float threshold) {
  const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0f);
  const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0f);
  const float shared = width * height;
  return shared / (area_of(a) + area_of(b) - shared) > threshold;
}

std::int64_t chosen_of_class(const std::vector<Box>& boxes, std::vector<float> scores,
                             float threshold, std::int64_t most) {
  std::int64_t chosen = 0;
  for (; chosen < most; ++chosen) {
    const auto best = std::ranges::max_element(scores);
    if (best == scores.end() || !(*best > none)) break;
    const Box& box = boxes[static_cast<std::size_t>(best - scores.begin())];
    *best = none;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (scores[i] > none && overlap(boxes[i], box, threshold)) scores[i] = none;
  }
  return chosen;
}

Result<void> check(const Call& call) {
  TRY_VOID(call.require_rank("boxes", 3));
  TRY_VOID(call.require_rank("scores", 3));
  if (call.type("boxes") != DataType::Float32 || call.type("scores") != DataType::Float32)
    return fail(Code::OperatorUnsupported, "boxes and scores of another type than float32");
  const Shape &boxes = call.shape("boxes"), &scores = call.shape("scores");
  if (boxes[2] != 4 || boxes[0] != scores[0] || boxes[1] != scores[2])
    return fail(Code::OperatorMisused,
                fmt::format("boxes are {} and scores {}", to_string(boxes), to_string(scores)));
  return {};
}

// What is chosen of all together, the most of one class of one image, the most boxes of one that
// come in, and how many may be chosen.
Result<std::vector<std::int64_t>> count_chosen(const Call& call,
                                               std::span<const loopglass::Tensor> counted) {
  TRY_VOID(check(call));
  const auto number = [&](std::size_t operand, double otherwise) {
    const loopglass::Tensor& tensor = counted[operand];
    return tensor.defined() && tensor.elements() > 0 ? tensor.double_at(0) : otherwise;
  };
  const auto most = static_cast<std::int64_t>(std::clamp(number(2, 0), 0.0, 1e9));
  const auto threshold = static_cast<float>(number(3, 0)),
             least = static_cast<float>(number(4, none));
  const auto sides = counted[0].as<float>();
  const auto all_scores = counted[1].as<float>();
  const Shape& shape = call.shape("scores");
  const auto boxes_each = static_cast<std::size_t>(shape[2]);
  std::int64_t all = 0, of_one = 0, good_of_one = 0;
  for (std::int64_t image = 0; image < shape[0]; ++image) {
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < boxes_each; ++i)
      boxes.push_back(
          box_of(sides.subspan((static_cast<std::size_t>(image) * boxes_each + i) * 4, 4),
                 call.integer("center_point_box", 0) != 0));
    for (std::int64_t kind = 0; kind < shape[1]; ++kind) {
      const auto of_kind = all_scores.subspan(
          static_cast<std::size_t>(image * shape[1] + kind) * boxes_each, boxes_each);
      std::vector<float> scores(of_kind.begin(), of_kind.end());
      for (float& score : scores)
        if (!(score > least)) score = none;
      good_of_one = std::max(good_of_one, std::int64_t{std::ranges::count_if(
                                              scores, [](float score) { return score > none; })});
      const std::int64_t chosen = chosen_of_class(boxes, std::move(scores), threshold, most);
      all += chosen;
      of_one = std::max(of_one, chosen);
    }
  }
  // One more comes in, which would be seen if it were good enough after all.
  return std::vector{all, of_one, good_of_one + 1, most};
}

// scores0: minus infinity where a score is not good enough. Where few are, those boxes alone come
// in: `candidates` says which they are.
std::string good_scores(const Call& call, bool are_few) {
  std::string text = "good = Identity(scores)\n";
  if (call.has("score_threshold"))
    text = reshape("least", "score_threshold", {1}) +
           "is_good = Greater(scores, least)\ngood = Where(is_good, scores, none)\n";
  if (!are_few) return text + "scores0 = Identity(good)\n";
  return text + vector("good_count", {call.counts()[2]}) +
         "scores0, candidates = TopK <axis = 2> (good, good_count)\n";
}

// top, left, bottom and right of the boxes that come in, [images, classes, boxes].
std::string corners(const Call& call, bool are_few) {
  const Shape& scores = call.shape("scores");
  std::string text = vector("all_shape", scores);
  for (int side = 0; side < 4; ++side) {
    const std::string name = fmt::format("side{}", side);
    text += slice(name + "_slice", "boxes", side, side + 1, 2) +
            reshape(name + "_row", name + "_slice", {scores[0], 1, scores[2]}) +
            fmt::format("{0}{1} = Expand({0}_row, all_shape)\n", name, are_few ? "_all" : "");
    if (are_few)
      text += fmt::format("{0} = GatherElements <axis = 2> ({0}_all, candidates)\n", name);
  }
  if (call.integer("center_point_box", 0) == 0)
    return text +
           "top = Min(side0, side2)\nbottom = Max(side0, side2)\n"
           "left = Min(side1, side3)\nright = Max(side1, side3)\n";
  return text + scalar("two", 2, "boxes") +
         "half_width = Div(side2, two)\nhalf_height = Div(side3, two)\n"
         "left = Sub(side0, half_width)\nright = Add(side0, half_width)\n"
         "top = Sub(side1, half_height)\nbottom = Add(side1, half_height)\n";
}

// best{at}, and whether there is one; scores{at + 1} without it and what overlaps it.
std::string choice(std::int64_t at) {
  std::string text = fmt::format(
      "best{0} = ArgMax <axis = 2> (scores{0})\nscore{0} = ReduceMax(scores{0}, last_axis)\n"
      "is_one{0} = Greater(score{0}, none)\n",
      at);
  for (const std::string_view side : {"top", "left", "bottom", "right"})
    text += fmt::format("{0}{1} = GatherElements <axis = 2> ({0}, best{1})\n", side, at);
  return text +
         fmt::format(
             "from_left{0} = Max(left, left{0})\nto_right{0} = Min(right, right{0})\n"
             "width{0} = Sub(to_right{0}, from_left{0})\nshared_width{0} = Relu(width{0})\n"
             "from_top{0} = Max(top, top{0})\nto_bottom{0} = Min(bottom, bottom{0})\n"
             "height{0} = Sub(to_bottom{0}, from_top{0})\nshared_height{0} = Relu(height{0})\n"
             "shared{0} = Mul(shared_width{0}, shared_height{0})\n"
             "area{0} = GatherElements <axis = 2> (area, best{0})\n"
             "areas{0} = Add(area, area{0})\nunion{0} = Sub(areas{0}, shared{0})\n"
             "ratio{0} = Div(shared{0}, union{0})\noverlaps{0} = Greater(ratio{0}, most_shared)\n"
             "is_best{0} = Equal(numbers, best{0})\ngone{0} = Or(overlaps{0}, is_best{0})\n"
             "scores{1} = Where(gone{0}, none, scores{0})\n",
             at, at + 1);
}

Result<std::string> non_max_suppression(const Call& call) {
  const Shape& scores = call.shape("scores");
  const std::int64_t all = call.counts()[0], of_one = call.counts()[1];
  if (of_one > most_chosen)
    return fail(
        Code::OperatorUnsupported,
        fmt::format("{} boxes of one class are chosen, and more than {} are not written out",
                    of_one, most_chosen));
  const std::string nothing = vector("no_rows", {0, 3}) + "no_boxes = ConstantOfShape(no_rows)\n" +
                              cast("selected_indices", "no_boxes", DataType::Int64);
  const std::int64_t most = call.counts()[3];
  if (most == 0 || element_count(scores) == 0) return nothing;
  const bool are_few = call.counts()[2] < scores[2] / 2;
  std::string text = vector("last_axis", {2}) + scalar("zero", 0, "scores") +
                     scalar("one", 1, "scores") +
                     "negative_one = Neg(one)\nnone = Div(negative_one, zero)\n" +
                     good_scores(call, are_few) + corners(call, are_few);
  const auto threshold = [&](std::string_view name, std::string_view operand) {
    return call.has(operand) ? reshape(name, operand, {1})
                             : fmt::format("{} = Identity(zero)\n", name);
  };
  text += threshold("most_shared", "iou_threshold") +
          range("numbers", 0, are_few ? call.counts()[2] : scores[2]);
  text += "wide = Sub(right, left)\nhigh = Sub(bottom, top)\narea = Mul(wide, high)\n";
  std::string bests, are_ones;
  for (std::int64_t at = 0; at < of_one; ++at) {
    text += choice(at);
    bests += fmt::format("{}best{}", at == 0 ? "" : ", ", at);
    are_ones += fmt::format("{}is_one{}", at == 0 ? "" : ", ", at);
  }
  // Whether one is left that would be chosen next.
  text += fmt::format(
      "score_left = ReduceMax(scores{}, last_axis)\nis_left = Greater(score_left, none)\n", of_one);
  const bool ends_early = of_one < most;
  text += fmt::format("are_counted = Concat <axis = 2> ({}{}{})\n", are_ones,
                      ends_early && of_one > 0 ? ", " : "", ends_early ? "is_left" : "") +
          non_zero_count("are_counted");
  if (all == 0) return text + nothing;
  text += fmt::format("{} = Concat <axis = 2> ({})\nare_chosen = Concat <axis = 2> ({})\n",
                      are_few ? "places" : "chosen", bests, are_ones) +
          (are_few ? "chosen = GatherElements <axis = 2> (candidates, places)\n" : "") +
          reshape("chosen_row", "chosen", {-1}) +
          TRY(non_zero_places("place", "are_chosen", scores[0] * scores[1] * of_one, all)) +
          "box = Gather(chosen_row, place)\n" +
          fmt::format(
              "each = Constant <value_int = {}> ()\nclasses = Constant <value_int = {}> ()\n"
              "row = Div(place, each)\nimage = Div(row, classes)\nkind = Mod(row, classes)\n",
              of_one, scores[1]);
  for (const std::string_view column : {"image", "kind", "box"})
    text += reshape(fmt::format("{}_column", column), column, {all, 1});
  return text + "selected_indices = Concat <axis = 1> (image_column, kind_column, box_column)\n";
}

}  // namespace

std::vector<Function> non_max_suppressions() {
  Function function = of_onnx(
      10, {"NonMaxSuppression",
           "Of boxes that overlap, the one with the best score, of each class: image, class, box.",
           {"boxes", "scores", "max_output_boxes_per_class?", "iou_threshold?", "score_threshold?"},
           {"selected_indices"},
           {{"center_point_box"}},
           non_max_suppression});
  function.counted = {"boxes", "scores", "max_output_boxes_per_class", "iou_threshold",
                      "score_threshold"};
  function.count = count_chosen;
  return {std::move(function)};
}

}  // namespace loopglass::contributed
