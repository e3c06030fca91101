// Operators that slide windows over an input with elements around it, as passes see them: Conv,
// MaxPool, AveragePool and LpPool.
#pragma once

#include "core/ops/image_axes.h"
#include "core/ops/window.h"

namespace loopglass::ops {

struct PaddedWindow {
  Window window;   // with `auto_pad` resolved, of the axes from first_spatial on
  double padding;  // what the elements around the input are
  // Whether such an element counts like one of the input; not in the mean of an AveragePool that
  // leaves them out, nor where positions in the input are a result.
  bool counts;
};

// Nothing for other operators. `inputs` are types that infer accepts.
std::optional<PaddedWindow> padded_window_of(const OpDef& op,
                                             std::span<const TensorType* const> inputs,
                                             const Attributes& attributes,
                                             std::size_t output_count);
// The same windows with these pads (begins of all spatial axes, then ends), all of which count.
Attributes with_pads(const OpDef& op, Attributes attributes, Integers pads);

}  // namespace loopglass::ops
