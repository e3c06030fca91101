// Invariants of our own. A CHECK that fails is a defect in Loopglass, never a person's mistake: it
// throws InternalError, which the command line and the window catch, show and survive.
#pragma once

#include <stdexcept>
#include <string>

namespace loopglass {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               const std::string& message);

}  // namespace loopglass

#define CHECK(condition, ...)                                                              \
  do {                                                                                     \
    if (!(condition)) [[unlikely]]                                                         \
      ::loopglass::check_failed(#condition, __FILE__, __LINE__, std::string{__VA_ARGS__}); \
  } while (false)
