#include "core/contributed/text.h"

#include "core/ops/onnx_number.h"

#include <fmt/ranges.h>
#include <numeric>
#include <utility>

namespace loopglass::contributed {

std::string number(double value) { return fmt::format("{:.9e}", value); }

std::string integers(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string scalar(std::string_view name, std::string_view value, std::string_view like) {
  return fmt::format(
      "{0}_float32 = Constant <value_float = {1}> ()\n{0} = CastLike({0}_float32, {2})\n", name,
      value, like);
}

std::string scalar(std::string_view name, double value, std::string_view like) {
  return scalar(name, number(value), like);
}

std::string vector(std::string_view name, const std::vector<std::int64_t>& values) {
  return fmt::format("{} = Constant <value_ints = {}> ()\n", name, integers(values));
}

std::string cast(std::string_view name, std::string_view from, DataType type) {
  return fmt::format("{} = Cast <to = {}> ({})\n", name, ops::onnx_number(type), from);
}

std::string reshape(std::string_view name, std::string_view from,
                    const std::vector<std::int64_t>& shape) {
  return vector(fmt::format("{}_shape", name), shape) +
         fmt::format("{0} = Reshape <allowzero = 1> ({1}, {0}_shape)\n", name, from);
}

std::string transpose(std::string_view name, std::string_view from,
                      const std::vector<std::int64_t>& permutation) {
  return fmt::format("{} = Transpose <perm = {}> ({})\n", name, integers(permutation), from);
}

std::string transpose_matrix(std::string_view name, std::string_view from, std::size_t rank) {
  if (rank < 2) return fmt::format("{} = Identity({})\n", name, from);
  std::vector<std::int64_t> permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return transpose(name, from, permutation);
}

std::string slice(std::string_view name, std::string_view from, std::int64_t begin,
                  std::int64_t end, std::int64_t axis, std::int64_t step) {
  return vector(fmt::format("{}_begin", name), {begin}) +
         vector(fmt::format("{}_end", name), {end}) + vector(fmt::format("{}_axis", name), {axis}) +
         vector(fmt::format("{}_step", name), {step}) +
         fmt::format("{0} = Slice({1}, {0}_begin, {0}_end, {0}_axis, {0}_step)\n", name, from);
}

std::string range(std::string_view name, std::int64_t begin, std::int64_t end) {
  return fmt::format(
      "{0}_begin = Constant <value_int = {1}> ()\n{0}_end = Constant <value_int = {2}> ()\n"
      "{0}_step = Constant <value_int = 1> ()\n{0} = Range({0}_begin, {0}_end, {0}_step)\n",
      name, begin, end);
}

std::string add_if_given(std::string_view name, std::string_view from, std::string_view addend,
                         const Call& call) {
  return call.has(addend) ? fmt::format("{} = Add({}, {})\n", name, from, addend)
                          : fmt::format("{} = Identity({})\n", name, from);
}

}  // namespace loopglass::contributed
