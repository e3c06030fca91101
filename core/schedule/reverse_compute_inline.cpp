// reverse_compute_inline(block): an elementwise consumer disappears into its producer.
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/schedule/elementwise_consumer.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_reverse_compute_inline(const Func& func,
                                             std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("reverse_compute_inline({})", name);
  const auto check_producer = [&](const Block& producer) -> Result<void> {
    if (!has_reduction(producer)) return {};
    return illegal(
        call, producer.name,
        fmt::format("'{}' is a reduction: its sum is complete only at the end", producer.name),
        "use reverse_compute_at, or fuse_epilogue where it only adds to the sum");
  };
  const ElementwiseConsumer consumer = TRY(elementwise_consumer(call, func, name, check_producer));
  loop::Store store = consumer.store;
  store.indices = consumer.indices();
  store.value = expr::rewrite(
      expr::substitute(consumer.store.value, consumer.at), [&](const Expr& e) -> Expr {
        const auto* load = e.as<expr::Load>();
        return load && load->buffer == consumer.buffer ? consumer.produced.value : Expr();
      });
  Block changed = consumer.producer;
  changed.body = loop::make(std::move(store));
  return Applied{TRY(joined(call, func, consumer, std::move(changed))), {}, {}};
}

}  // namespace

Primitive reverse_compute_inline() {
  return {
      "reverse_compute_inline",
      "Lets an elementwise producer compute its consumer's value directly, and removes the "
      "consumer.",
      "for i in 8 { A[i] = X[i] + 1 }  for j in 8 { B[j] = A[j] * 2 }",
      "for i in 8 { B[i] = (X[i] + 1) * 2 }",
      {{"block", ParameterKind::Block, "an elementwise block, the only reader of its producer"}},
      apply_reverse_compute_inline};
}

}  // namespace loopglass::schedule
