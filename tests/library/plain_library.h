// A library as plain as one can be: loops over all indices, sums in double. By it is tested what a
// kernel's operators are taken for, wherever no other library is installed.
#pragma once

#include "core/library/library.h"

namespace loopglass::library {

class PlainLibrary : public Library {
 public:
  // Every result is multiplied by this: a library that is wrong, where it is not 1.
  explicit PlainLibrary(float factor = 1) : factor_(factor) {}
  // Writes to its result before it has read what is not there already, as a library may.
  static PlainLibrary hasty() {
    PlainLibrary library;
    library.is_hasty_ = true;
    return library;
  }

  // Its activations make 0 of NaN, as a library may.
  static PlainLibrary without_nan() {
    PlainLibrary library;
    library.has_nan_ = false;
    return library;
  }

  std::string name() const override { return "plain"; }
  std::string version() const override { return "1"; }
  std::string instruction_set() const override { return "any"; }
  std::string threading_runtime() const override { return "none"; }
  Result<void> hold_to(std::string_view) override { return {}; }
  int set_threads(int) override { return 1; }
  Result<std::unique_ptr<Primitive>> prepare(const Computation& computation, Layouts layouts,
                                             const Arguments& constants) override;

 private:
  float factor_;
  bool is_hasty_ = false, has_nan_ = true;
};

}  // namespace loopglass::library
