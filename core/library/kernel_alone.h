// One kernel of a network, run by itself in memory of its own.
#pragma once

#include "core/placement/placement.h"
#include "core/runtime/executor.h"

#include <map>
#include <vector>

namespace loopglass::library {

// What a kernel needs to be run by itself.
struct Subject {
  const graph::Graph& graph;
  const runtime::KernelInstance& kernel;
  const placement::Placement& placement;
};

// Each argument lies by itself, with gaps between its rows where it has them in the network;
// constants as the kernel reads them. What the subject names must live as long.
class KernelAlone {
 public:
  // With what is read from these. LibraryRefused where the kernel reads another value, or gives its
  // result in parts; OutOfMemory.
  static Result<KernelAlone> create(const Subject& subject,
                                    const std::map<graph::ValueId, Tensor>& values);

  void run(const runtime::ThreadPool& pool);
  // What the kernel has written to this argument.
  Tensor result(std::size_t argument) const;

 private:
  explicit KernelAlone(const Subject& subject) : subject_(subject) {}
  void move(const Tensor& dense, Tensor& memory, std::size_t argument, bool into) const;

  Subject subject_;
  std::vector<Tensor> memory_;  // in the order of the kernel's parameters
  std::vector<placement::Rows> rows_;
  std::vector<void*> pointers_;
  Tensor workspace_;
};

}  // namespace loopglass::library
