// What reverse_compute_inline and fuse_epilogue share: a block that takes what another one makes
// element by element, and disappears into it.
#pragma once

#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/schedule/primitive.h"

#include <functional>
#include <string>

namespace loopglass::schedule {

struct ElementwiseConsumer {
  loop::Path path;       // of the consumer
  loop::Block block;     // it
  loop::Store store;     // its only one
  std::string buffer;    // that it meets its producer at
  loop::Path source;     // of the producer
  loop::Block producer;  // which nobody else reads
  loop::Store produced;  // its only one
  // What the consumer's iterations are for an element that the producer stores: one for each.
  loop::Bindings at;

  // Where the consumer stores, in the producer's terms.
  std::vector<expr::Expr> indices() const;
};

// ScheduleIllegal where the block is no such consumer. `check_producer` is asked before the
// elements are looked at.
Result<ElementwiseConsumer> elementwise_consumer(
    const std::string& call, const loop::Func& func, const std::string& block,
    const std::function<Result<void>(const loop::Block& producer)>& check_producer);

// `changed` in the place of the producer, without the consumer and the buffer between them.
Result<loop::Func> joined(const std::string& call, const loop::Func& func,
                          const ElementwiseConsumer& consumer, loop::Block changed);

}  // namespace loopglass::schedule
