// While it lives, the system makes few threads or none for this process: there is address space
// left for the stacks of some.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace loopglass::test {

class FewThreads {
 public:
  explicit FewThreads(std::uint64_t more_bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more_bytes,
                       before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~FewThreads() { ::setrlimit(RLIMIT_AS, &before_); }
  FewThreads(const FewThreads&) = delete;

  // Sanitizers map memory as they like.
  static bool possible() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return false;
#else
    return true;
#endif
  }

 private:
  rlimit before_{};
};

}  // namespace loopglass::test
