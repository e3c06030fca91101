// Pieces of ONNX's text that several functions are made of. Each is one node or a few, which make
// the value that is named first.
#pragma once

#include "core/contributed/call.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopglass::contributed {

// A real number as ONNX's parser takes it for one; it has to be one of float32 that is not
// denormal.
std::string number(double value);
std::string integers(const std::vector<std::int64_t>& values);  // "[1, 2]"

// A scalar of the type that `like` has; `value`: a number, or "@" and the name of an attribute.
std::string scalar(std::string_view name, std::string_view value, std::string_view like);
std::string scalar(std::string_view name, double value, std::string_view like);
// A vector of int64.
std::string vector(std::string_view name, const std::vector<std::int64_t>& values);
std::string cast(std::string_view name, std::string_view from, DataType type);
std::string reshape(std::string_view name, std::string_view from,
                    const std::vector<std::int64_t>& shape);
std::string transpose(std::string_view name, std::string_view from,
                      const std::vector<std::int64_t>& permutation);
// The last two axes exchanged; a vector as it is.
std::string transpose_matrix(std::string_view name, std::string_view from, std::size_t rank);
// `from` to `to` of one axis; the end exclusive.
std::string slice(std::string_view name, std::string_view from, std::int64_t begin,
                  std::int64_t end, std::int64_t axis, std::int64_t step = 1);
// begin, begin + 1, ..., end - 1.
std::string range(std::string_view name, std::int64_t begin, std::int64_t end);
// `name` = `from` + `addend`, or `from` itself where the call leaves `addend` out.
std::string add_if_given(std::string_view name, std::string_view from, std::string_view addend,
                         const Call& call);

}  // namespace loopglass::contributed
