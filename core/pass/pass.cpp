#include "core/pass/pass.h"

namespace loopglass::pass {

void Report::rewrite(Rewrite rewrite) {
  const auto now = std::chrono::steady_clock::now();
  rewrite.duration = now - last_;
  last_ = now;
  rewrites.push_back(std::move(rewrite));
}

}  // namespace loopglass::pass
