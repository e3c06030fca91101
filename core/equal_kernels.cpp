#include "core/equal_kernels.h"

namespace loopglass {

Result<std::vector<fusion::GroupId>> equal_kernels(Session& session, fusion::GroupId group) {
  const auto plan = TRY(session.plan());
  const auto own = TRY(session.initial_kernel(group));
  std::vector<fusion::GroupId> equal;
  for (const fusion::Group& other : plan->groups) {
    if (other.id == group) continue;
    const auto kernel = session.initial_kernel(other.id);
    if (kernel && (*kernel)->form.bytes == own->form.bytes) equal.push_back(other.id);
  }
  return equal;
}

}  // namespace loopglass
