#include "core/runtime/memory_budget.h"

#include <fmt/format.h>

namespace loopglass::runtime {

Result<std::int64_t> bytes_of(const TensorType& type) {
  const auto count = checked_element_count(type.shape);
  const auto size = static_cast<std::int64_t>(byte_size(type.type));
  if (!count || *count > Tensor::maximum_bytes / size)
    return fail(Code::ModelTooLarge,
                fmt::format("a tensor of type {} is too large", to_string(type)), {},
                "the limit for one tensor is 64 GiB; give the inputs smaller shapes");
  return *count * size;
}

Result<std::int64_t> add_bytes(std::int64_t a, std::int64_t b) {
  if (a > maximum_total_bytes - b)
    return fail(Code::ModelTooLarge,
                fmt::format("the model's tensors take more than {} together",
                            readable_bytes(maximum_total_bytes)),
                {}, "give the inputs smaller shapes");
  return a + b;
}

Result<void> check_memory(const std::string& task, const std::vector<MemoryPart>& parts,
                          const MachineMemory& machine) {
  std::int64_t total = 0;
  std::string list;
  for (const MemoryPart& part : parts) {
    total = TRY(add_bytes(total, part.bytes));
    if (part.bytes > 0)
      list += fmt::format("{}{} for {}", list.empty() ? "" : ", ", readable_bytes(part.bytes),
                          part.what);
  }
  if (total <= machine.available) return {};
  return fail(
      Code::OutOfMemory,
      fmt::format("{} takes {} ({}); {}", task, readable_bytes(total), list, to_string(machine)),
      {},
      "give the inputs smaller shapes (--shape), or let intermediates be computed again "
      "(--memory-limit)");
}

}  // namespace loopglass::runtime
