// How far results of a library are from ours.
#pragma once

#include "core/tensor/tensor.h"

namespace loopglass::library {

struct Difference {
  // Of any two elements; infinite where a number meets none, but two that are none do not differ.
  double greatest = 0;
  double largest = 0;  // of the library's finite elements, by size

  // Two results of one shape, in addition to those before.
  void note(const Tensor& ours, const Tensor& theirs);
};

}  // namespace loopglass::library
