#include "core/ops/operation.h"

#include "core/ops/registry.h"
#include "core/support/check.h"

#include <algorithm>

namespace loopglass::ops {

Operation operation_named(std::string_view name, Attributes attributes) {
  const OpDef* op = find_operator(name);
  CHECK(op != nullptr, "no operator " + std::string(name));
  return {op, std::move(attributes)};
}

Operation addition() { return operation_named("Add", {}); }
Operation matrix_multiplication() { return operation_named("MatMul", {}); }

Operation conversion_to(DataType type) {
  return operation_named("Cast", {{"to", std::string(name(type))}});
}

Operation reshape_to(const Shape& shape) {
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  return operation_named("Reshape", {{"shape", shape}, {"allowzero", std::int64_t{empty}}});
}

Operation transposition(std::vector<std::int64_t> permutation) {
  return operation_named("Transpose", {{"perm", std::move(permutation)}});
}
Operation transposed_matrix() { return transposition({1, 0}); }

Operation concatenation(std::size_t axis) {
  return operation_named("Concat", {{"axis", static_cast<std::int64_t>(axis)}});
}

Operation slice_of(std::size_t axis, std::int64_t begin, std::int64_t end) {
  using Integers = std::vector<std::int64_t>;
  return operation_named("Slice", {{"starts", Integers{begin}},
                                   {"ends", Integers{end}},
                                   {"axes", Integers{static_cast<std::int64_t>(axis)}}});
}

Operation layout_move(const Layout& from, const Layout& to) {
  return operation_named("LayoutTransform", {{"from", from.text()}, {"to", to.text()}});
}

}  // namespace loopglass::ops
