// Result<T>: a value, or the Diagnostic that says why there is none.
#pragma once

#include "core/support/diagnostic.h"

#include <expected>
#include <utility>

namespace loopglass {

template <class T>
using Result = std::expected<T, Diagnostic>;

inline std::unexpected<Diagnostic> fail(Code code, std::string what, std::string where = {},
                                        std::string hint = {}) {
  return std::unexpected(Diagnostic{code, std::move(what), std::move(where), std::move(hint)});
}

}  // namespace loopglass

// The value of a Result, or return its diagnostic from the enclosing function:
//   Graph graph = TRY(import(path));
// A statement expression, which GCC and Clang both have; std::expected has no shorter form in
// C++23. It does not stand in braces behind an element that has to be destroyed: where it returns,
// GCC (12 at least) forgets what it has made of the aggregate or list so far (tests/layering).
#define TRY(...)                                                              \
  __extension__({                                                             \
    auto try_result_ = (__VA_ARGS__);                                         \
    if (!try_result_) return std::unexpected(std::move(try_result_).error()); \
    std::move(try_result_).value();                                           \
  })
// The same for Result<void>.
#define TRY_VOID(...)                                                         \
  do {                                                                        \
    auto try_result_ = (__VA_ARGS__);                                         \
    if (!try_result_) return std::unexpected(std::move(try_result_).error()); \
  } while (false)
