// Operators in other layouts, as passes see them.
#pragma once

#include "core/ops/op_def.h"
#include "core/tensor/layout.h"

namespace loopglass::ops {

// The form of an operator that reads and writes tensors whose dimensions lie in another order;
// nullptr where it has none.
const OpDef* layout_form_of(const OpDef& op);
// The operator's attributes and those of its form, for data in this layout.
Attributes in_layout(Attributes attributes, const Layout& data);
// The same for a convolution, whose result may lie in another one.
Attributes in_layouts(Attributes attributes, const Layout& data, const Layout& weights,
                      const Layout& result);

// What moves a tensor from one layout to another.
struct LayoutMove {
  Layout from, to;
};
// Nothing for other operators. The attributes are such that infer accepts them.
std::optional<LayoutMove> layout_move_of(const OpDef& op, const Attributes& attributes);

// The layout of what a transform or a form makes; nothing for other operators.
std::optional<Layout> result_layout_of(const OpDef& op, const Attributes& attributes);

}  // namespace loopglass::ops
