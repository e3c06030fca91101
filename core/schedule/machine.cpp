#include "core/schedule/machine.h"

#include "core/support/machine_processors.h"

#include <unistd.h>

namespace loopglass::schedule {

namespace {

void set_if_known(std::int64_t& bytes, int query) {
  if (const long value = sysconf(query); value > 0) bytes = value;
}

}  // namespace

Machine host_machine() {
  Machine machine;
#if defined(__x86_64__)
  machine.name = "x86-64, SSE2";
  if (__builtin_cpu_supports("avx2")) {
    machine.name = "x86-64, AVX2";
    machine.vector_bytes = 32;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    machine.name = "x86-64, AVX-512";
    machine.vector_bytes = 64;
    machine.vector_registers = 32;
  }
#elif defined(__aarch64__)
  machine.name = "AArch64, Neon";
  machine.vector_registers = 32;
#else
  machine.name = "generic";
#endif
  set_if_known(machine.l1_bytes, _SC_LEVEL1_DCACHE_SIZE);
  set_if_known(machine.l2_bytes, _SC_LEVEL2_CACHE_SIZE);
  set_if_known(machine.l3_bytes, _SC_LEVEL3_CACHE_SIZE);
  machine.cores = machine_processors().usable();
  return machine;
}

}  // namespace loopglass::schedule
