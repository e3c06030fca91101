#include "core/library/kernel_alone.h"

#include "core/loop/buffers.h"
#include "core/runtime/packing.h"

#include <algorithm>

namespace loopglass::library {

namespace {

placement::Rows rows_of(const Subject& subject, const graph::Value& value) {
  const placement::SharedValue* shared = subject.placement.find(value.id);
  if (shared == nullptr || shared->dense) return placement::dense_rows(value.type.shape);
  placement::Rows rows = shared->rows;
  rows.offset = 0;
  return rows;
}

std::int64_t span(const placement::Rows& rows, const Shape& shape) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) last += (shape[d] - 1) * rows.strides[d];
  return last + 1;
}

}  // namespace

Result<KernelAlone> KernelAlone::create(const Subject& subject,
                                        const std::map<graph::ValueId, Tensor>& values) {
  KernelAlone alone(subject);
  const runtime::KernelUse& use = subject.kernel.use;
  for (std::size_t a = 0; a < use.arguments.size(); ++a) {
    const graph::Value& value = subject.graph.value(use.arguments[a]);
    const loop::Buffer& parameter = use.parameters[a];
    alone.rows_.push_back(rows_of(subject, value));
    if (value.is_constant()) {
      alone.memory_.push_back(parameter.packing ? runtime::pack_constant(parameter, value.constant)
                                                : value.constant);
      continue;
    }
    const std::int64_t spanned = span(alone.rows_.back(), value.type.shape);
    const auto wanted = checked_element_count(te::concrete(parameter.shape));
    if (!wanted || (loop::is_written(parameter) && *wanted < element_count(value.type.shape)))
      return fail(Code::LibraryRefused, "the kernel gives its result in parts", value.name);
    Tensor memory =
        TRY(Tensor::allocate({value.type.type, {std::max({spanned, *wanted, std::int64_t{1}})}}));
    if (!loop::is_written(parameter)) {
      const auto known = values.find(value.id);
      if (known == values.end())
        return fail(Code::LibraryRefused, "the kernel reads what its operators do not", value.name);
      alone.move(known->second, memory, a, true);
    }
    alone.memory_.push_back(std::move(memory));
  }
  alone.workspace_ =
      TRY(Tensor::allocate({DataType::UInt8, {std::max<std::int64_t>(1, use.workspace_bytes)}}));
  for (Tensor& memory : alone.memory_) alone.pointers_.push_back(memory.data());
  return alone;
}

void KernelAlone::run(const runtime::ThreadPool& pool) {
  subject_.kernel.code->entry()(pointers_.data(), subject_.kernel.extents.data(), workspace_.data(),
                                pool.parallel_runtime());
}

Tensor KernelAlone::result(std::size_t argument) const {
  Tensor tensor(subject_.graph.value(subject_.kernel.use.arguments[argument]).type);
  Tensor memory = memory_[argument];
  move(tensor, memory, argument, false);
  return tensor;
}

// Between a dense tensor and the argument's memory, run by run.
void KernelAlone::move(const Tensor& dense, Tensor& memory, std::size_t argument, bool into) const {
  const placement::Rows& rows = rows_[argument];
  const Shape& shape = dense.shape();
  const std::int64_t elements = dense.elements();
  if (elements == 0) return;
  const std::int64_t run = std::max<std::int64_t>(1, placement::run_length(rows, shape));
  const std::vector<std::int64_t> strides = row_major_strides(shape);
  const std::size_t size = byte_size(dense.data_type());
  for (std::int64_t first = 0; first < elements; first += run) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      at += first / strides[d] % shape[d] * rows.strides[d];
    std::byte* there = memory.data() + static_cast<std::size_t>(at) * size;
    std::byte* here = const_cast<std::byte*>(dense.data()) + static_cast<std::size_t>(first) * size;
    std::copy_n(into ? here : there, static_cast<std::size_t>(run) * size, into ? there : here);
  }
}

}  // namespace loopglass::library
