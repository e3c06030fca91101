// The text of a loop nest (core/loop/text.h), line by line.
#pragma once

#include "core/tensor/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::passes::written_loops {

class NestText {
 public:
  template <class... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ +=
        std::string(2 * depth_, ' ') + fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  // A line that ends with "{"; what follows stands in it until close().
  template <class... Values>
  void open(fmt::format_string<Values...> format, Values&&... values) {
    line(format, std::forward<Values>(values)...);
    ++depth_;
  }
  void close(std::size_t blocks = 1) {
    for (; blocks > 0; --blocks) {
      --depth_;
      line("}}");
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

// "x[i0, i1]".
inline std::string element(const std::string& buffer, const std::vector<std::string>& indices) {
  return fmt::format("{}[{}]", buffer, fmt::join(indices, ", "));
}
// "x: float32[2, 3] input".
inline std::string parameter(const std::string& name, const TensorType& type,
                             std::string_view role) {
  return fmt::format("{}: {}[{}] {}", name, loopglass::name(type.type), fmt::join(type.shape, ", "),
                     role);
}
inline std::vector<std::string> variables(const std::string& prefix, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < count; ++d) names.push_back(fmt::format("{}{}", prefix, d));
  return names;
}

// A loop "prefix0", "prefix1", ... over each dimension but `left_out`; that of the first of more
// than one turn is parallel where `may_be_parallel`, and where another thread would find something
// to do.
inline void open_loops(NestText& nest, const std::string& prefix, const Shape& shape,
                       const std::function<bool(std::size_t)>& may_be_parallel,
                       std::optional<std::size_t> left_out = std::nullopt) {
  constexpr std::int64_t least_parallel_elements = 1 << 15;
  bool is_decided = element_count(shape) < least_parallel_elements;  // none of them then
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (d == left_out) continue;
    const bool here = !is_decided && shape[d] > 1 && may_be_parallel(d);
    is_decided = is_decided || shape[d] > 1;
    nest.open("for {}{} in {} {}{{", prefix, d, shape[d], here ? "parallel " : "");
  }
}

}  // namespace loopglass::passes::written_loops
