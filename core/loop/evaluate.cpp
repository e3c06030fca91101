// One operator on concrete tensors, through its compute, or the nest it was written as, and the
// interpreter; long float32 sums,
// which the interpreter would add up one term after another, are taken in float64.
#include "core/loop/interpreter.h"
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/ops/written_kernel.h"
#include "core/te/wide_sums.h"

#include <algorithm>
#include <iterator>

namespace loopglass::loop {

Result<std::vector<Tensor>> evaluate(const ops::OpDef& op, const ops::Attributes& attributes,
                                     std::span<const Tensor> inputs, std::size_t output_count) {
  std::vector<const TensorType*> types;
  for (const Tensor& input : inputs) types.push_back(input.defined() ? &input.type() : nullptr);
  ops::Attributes completed = attributes;
  const std::vector<TensorType> outputs = TRY(ops::infer(op, types, completed, output_count));
  std::map<std::string, std::int64_t> symbols;
  Func func;
  if (ops::is_loop_nest(op)) {
    symbols = ops::extents_of(completed);
    func = TRY(parse(ops::written_text(completed)));
  } else {
    const te::Program program = TRY(ops::program_of(op, types, completed, outputs));
    func = lower(te::with_wide_sums(program, te::longest_run), op.name);
  }

  std::vector<Tensor> arguments;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(arguments),
               [](const Tensor& t) { return t.defined(); });
  const std::size_t given = arguments.size();
  for (const TensorType& type : outputs) arguments.push_back(TRY(Tensor::allocate(type)));
  interpret(func, arguments, symbols);
  return std::vector<Tensor>(arguments.begin() + static_cast<std::ptrdiff_t>(given),
                             arguments.end());
}

}  // namespace loopglass::loop
