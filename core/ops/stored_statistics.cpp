#include "core/ops/stored_statistics.h"

namespace loopglass::ops {

std::optional<StoredStatistics> stored_statistics_of(const OpDef& op,
                                                     const Attributes& attributes) {
  if (op.name != "BatchNormalization") return std::nullopt;
  return StoredStatistics{attributes.real("epsilon"), attributes.integer("training_mode") != 0};
}

}  // namespace loopglass::ops
