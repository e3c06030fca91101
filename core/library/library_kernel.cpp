#include "core/library/library_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include "core/loop/buffers.h"

#include <algorithm>
#include <cstring>

namespace loopglass::library {

namespace {

using graph::ValueId;

// Where the elements of an operand are: a constant's, or at the address of an argument.
struct Source {
  Tensor constant;
  std::size_t argument = 0;

  const float* at(std::span<void* const> arguments) const {
    return constant.defined() ? constant.as<float>().data()
                              : static_cast<const float*>(arguments[argument]);
  }
};

// What the library reads, and how large that is.
struct Operand {
  Source source;
  std::size_t bytes;
};

class LibraryKernel : public runtime::OutsideKernel {
 public:
  LibraryKernel(std::unique_ptr<Primitive> primitive, std::vector<Operand> operands,
                bool has_weights, std::size_t result, TensorType type)
      : primitive_(std::move(primitive)),
        operands_(std::move(operands)),
        has_weights_(has_weights),
        result_(result),
        type_(std::move(type)) {}

  Result<void> run(std::span<void* const> addresses) override {
    Arguments arguments;
    auto* const result = static_cast<float*>(addresses[result_]);
    // A library may write parts of sums before it has read all, which our plan of memory, made for
    // code that does not, knows nothing of.
    arguments.result = result;
    if (overlaps(addresses)) {
      if (!scratch_.defined()) scratch_ = TRY(Tensor::allocate(type_));
      arguments.result = scratch_.as<float>().data();
    }
    auto next = operands_.begin();
    arguments.source = (next++)->source.at(addresses);
    if (has_weights_) arguments.weights = (next++)->source.at(addresses);
    for (; next != operands_.end(); ++next)
      arguments.operands.push_back(next->source.at(addresses));
    TRY_VOID(primitive_->take(arguments));
    TRY_VOID(primitive_->compute());
    TRY_VOID(primitive_->give());
    if (arguments.result != result) std::memcpy(result, arguments.result, scratch_.bytes());
    return {};
  }

 private:
  bool overlaps(std::span<void* const> addresses) const {
    const auto* const result = static_cast<const std::byte*>(addresses[result_]);
    return std::ranges::any_of(operands_, [&](const Operand& operand) {
      const auto* const read = reinterpret_cast<const std::byte*>(operand.source.at(addresses));
      return read < result + type_.bytes() && result < read + operand.bytes;
    });
  }

  std::unique_ptr<Primitive> primitive_;
  std::vector<Operand> operands_;  // source, weights that are not constant, then the combinations'
  bool has_weights_;
  std::size_t result_;  // the argument
  TensorType type_;     // of the result
  Tensor scratch_;      // of that type, once it is needed
};

std::unexpected<Diagnostic> refused(const Subject& subject, std::string why) {
  return fail(Code::LibraryRefused, std::move(why), subject.kernel.name);
}

// The arguments that the library's code takes, in an order of its own.
class Rewiring {
 public:
  explicit Rewiring(const Subject& subject) : subject_(subject) {}

  Result<Operand> read(ValueId id) {
    const graph::Value& value = subject_.graph.value(id);
    const auto bytes = static_cast<std::size_t>(value.type.bytes());
    if (value.is_constant()) return Operand{{value.constant}, bytes};
    const std::size_t argument = TRY(take(id, false));
    return Operand{{{}, argument}, bytes};
  }
  Result<std::size_t> write(ValueId id) { return take(id, true); }
  runtime::KernelUse use() && { return std::move(use_); }

 private:
  Result<std::size_t> take(ValueId id, bool writes) {
    const runtime::KernelUse& given = subject_.kernel.use;
    const graph::Value& value = subject_.graph.value(id);
    for (std::size_t a = 0; a < given.arguments.size(); ++a) {
      if (given.arguments[a] != id || loop::is_written(given.parameters[a]) != writes) continue;
      const placement::SharedValue* shared = subject_.placement.find(id);
      const auto elements = checked_element_count(te::concrete(given.parameters[a].shape));
      if ((shared && !shared->dense) || elements != element_count(value.type.shape)) break;
      use_.arguments.push_back(id);
      use_.parameters.push_back(given.parameters[a]);
      use_.places.push_back(given.place(a));
      return use_.arguments.size() - 1;
    }
    return refused(subject_,
                   fmt::format("{} lies in the memory of another tensor there", value.name));
  }

  const Subject& subject_;
  runtime::KernelUse use_;
};

}  // namespace

Result<void> check_whole(const Subject& subject, const KernelPart& part, const Library& library) {
  if (part.is_whole()) return {};
  return refused(subject, fmt::format("{} does not compute {} of it", library.name(),
                                      fmt::join(left_out(subject.graph, part), ", ")));
}

Result<runtime::KernelInstance> by_library(const Subject& subject, const KernelPart& part,
                                           Library& library, Layouts layouts) {
  const runtime::KernelInstance& kernel = subject.kernel;
  TRY_VOID(check_whole(subject, part, library));
  if (std::ranges::count_if(kernel.use.parameters, loop::is_written) != 1 ||
      !kernel.use.handed_on.empty())
    return refused(subject, "it has several results");
  Rewiring wiring(subject);
  std::vector<Operand> operands;
  operands.push_back(TRY(wiring.read(part.source)));
  const bool has_weights = !part.computation.constant_weights;
  if (has_weights) operands.push_back(TRY(wiring.read(part.weights)));
  for (const ValueId operand : part.operands) operands.push_back(TRY(wiring.read(operand)));
  const std::size_t result = TRY(wiring.write(part.result));

  Arguments constants;
  if (part.constant_weights.defined()) constants.weights = part.constant_weights.as<float>().data();
  if (part.bias) constants.bias = subject.graph.value(part.bias).constant.as<float>().data();
  auto primitive = TRY(library.prepare(part.computation, layouts, constants));
  if (primitive->is_reference())
    return refused(subject, fmt::format("{} has only a reference for it", library.name()));

  runtime::KernelInstance instance{kernel.group, kernel.name, nullptr, std::move(wiring).use(),
                                   kernel.flops};
  instance.outside =
      std::make_shared<LibraryKernel>(std::move(primitive), std::move(operands), has_weights,
                                      result, subject.graph.value(part.result).type);
  return instance;
}

}  // namespace loopglass::library
