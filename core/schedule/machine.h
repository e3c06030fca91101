// What schedules need to know of the processor they are made for.
#pragma once

#include <cstdint>
#include <string>

namespace loopglass::schedule {

struct Machine {
  std::string name;       // "x86-64, AVX-512"
  int vector_bytes = 16;  // widest vector register
  int vector_registers = 16;
  std::int64_t l1_bytes = 32 << 10, l2_bytes = 512 << 10, l3_bytes = 8 << 20;
  int cores = 1;

  int lanes(int element_bytes) const { return vector_bytes / element_bytes; }
};

// The processor we run on, from the operating system's tables and CPUID.
Machine host_machine();

}  // namespace loopglass::schedule
