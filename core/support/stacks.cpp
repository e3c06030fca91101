#include "core/support/stacks.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace loopglass {

void prepare_stacks() {
  constexpr std::size_t usual = 8 << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < usual) {
    limit.rlim_cur = std::min<rlim_t>(usual, limit.rlim_max);
    setrlimit(RLIMIT_STACK, &limit);
  }
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  std::size_t size = 0;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < usual &&
      pthread_attr_setstacksize(&attributes, usual) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

}  // namespace loopglass
