// A compiled network, and what becomes of it once every argument of every kernel has its place.
//
// The wiring is data: with the object code of the kernels and the constants it runs the network, in
// this process or in another one (measure/network_frames.h), without graph, plan or compiler.
#pragma once

#include "core/codegen/kernel.h"
#include "core/fusion/plan.h"
#include "core/runtime/memory_plan.h"
#include "core/runtime/outside_kernel.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace loopglass::runtime {

struct KernelInstance {
  fusion::GroupId group;
  std::string name;
  std::shared_ptr<const codegen::CompiledKernel> code;  // null: nothing is left to compute
  KernelUse use;
  std::int64_t flops = 0;                  // of one run
  std::vector<std::int64_t> extents = {};  // that the code's symbols stand for, in order
  // Why there can be no code: random numbers take the place of its results, so that the kernels
  // around it can be timed, and what comes out means nothing.
  std::optional<Diagnostic> missing = {};
  std::shared_ptr<OutsideKernel> outside = {};  // what runs in the place of code

  // Its results are there without anything being run.
  bool is_view() const { return !code && !outside && !missing; }
};

struct CompiledNetwork {
  std::shared_ptr<const graph::Graph> graph;
  std::vector<KernelInstance> kernels;     // in the order in which they run
  std::shared_ptr<const MemoryPlan> plan;  // made for these
};

// OutOfMemory when a run would take more than the machine has. `handed_over`: bytes of constants
// that exist once more while another process takes them.
Result<void> check_memory_to_run(const MemoryPlan& plan, std::int64_t handed_over = 0);

struct Wiring {
  enum class Memory : std::uint8_t { Constant, Arena, Input, Output };
  // Where something lies: so many bytes into a constant, the arena, an input or an output.
  struct Place {
    Memory memory = Memory::Arena;
    std::size_t index = 0;
    std::int64_t offset = 0;
  };
  // Numbers that are put where a kernel that is missing would write.
  struct StandIn {
    std::size_t argument = 0, constant = 0;
    std::int64_t bytes = 0;
  };
  struct Kernel {
    bool has_code = false, is_missing = false;  // neither, and nothing outside: nothing is run
    std::vector<Place> arguments;
    std::vector<StandIn> stand_ins;
    std::vector<std::int64_t> extents;  // of the code's symbols
  };
  // Outputs that no kernel writes: they hold what a constant, an input or an earlier output does.
  struct Copy {
    std::size_t output = 0;
    Place from;
  };
  struct Input {
    std::string name;
    TensorType type;
  };

  std::vector<Input> inputs;
  std::vector<TensorType> outputs;
  std::vector<Kernel> kernels;
  std::vector<Copy> copies;
  std::size_t constants = 0;
  std::int64_t arena_bytes = 0, workspace_bytes = 0;
};

// A constant as the graph has it, and the parameter for which it is packed, if it is.
struct WiredConstant {
  Tensor tensor;
  std::optional<loop::Buffer> parameter;
};

struct WiredNetwork {
  Wiring wiring;
  std::vector<WiredConstant> constants;  // by their places' indices
};

// CHECKs that every value is there when it is read, and that one kernel alone makes it.
WiredNetwork wire(const CompiledNetwork& network);

TensorType type_of(const WiredConstant& constant);  // as a kernel reads it
std::string key_of(const WiredConstant& constant);  // equal keys, equal bytes
// Visits each constant as kernels read it, packed where they want that: on all processors, in any
// order. OutOfMemory.
Result<void> for_each_packed(const std::vector<WiredConstant>& constants,
                             const std::function<void(std::size_t, const Tensor&)>& visit);

}  // namespace loopglass::runtime
