// fuse_epilogue(block): what is added to a finished sum becomes what the sum starts from.
//
// B[i] = A[i] + c, where A is a sum from its own initial value, is a sum from that value and c; so
// no tensor stands between the two, and no second loop runs over it. Of floating-point numbers the
// terms are then added in another order. As TVM's fuse_reduction_epilogue.
#include "core/dependence/dependence.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/uses.h"
#include "core/schedule/elementwise_consumer.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Of `sum + added` or `added + sum` what is added to the element of the buffer; undefined: the
// expression is something else.
Expr added_to(const std::string& buffer, const Expr& value) {
  const auto* addition = value.as<expr::Binary>();
  if (!addition || addition->op != expr::BinaryOperator::Add) return {};
  for (const auto& [sum, added] :
       {std::pair{addition->left, addition->right}, std::pair{addition->right, addition->left}}) {
    const auto* load = sum.as<expr::Load>();
    if (load && load->buffer == buffer && !loads(added, buffer)) return added;
  }
  return {};
}

Result<Applied> apply_fuse_epilogue(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("fuse_epilogue({})", name);
  const auto check_producer = [&](const Block& producer) -> Result<void> {
    if (!has_reduction(producer) || !producer.init)
      return illegal(
          call, producer.name,
          fmt::format("'{}' is no sum that sets its initial value by itself", producer.name),
          "reverse_compute_inline joins what is no sum; fuse before decomposing one");
    if (producer.reducer != te::Reducer::Sum || !updates_by_reducer(producer) ||
        !only_store(producer) || !as<loop::Store>(producer.init))
      return illegal(call, producer.name,
                     fmt::format("'{}' does not add up its terms one by one", producer.name));
    return check_initial_value(call, producer);
  };
  const ElementwiseConsumer consumer = TRY(elementwise_consumer(call, func, name, check_producer));
  const std::string &sum = consumer.buffer, &target = consumer.store.buffer;
  Expr added = added_to(sum, consumer.store.value);
  if (!added.defined())
    return illegal(call, name,
                   fmt::format("it does more to an element of '{}' than to add to it: {}", sum,
                               expr::to_string(consumer.store.value)),
                   "reverse_compute_at keeps it a block of its own");
  if (const auto terms = loads_of(consumer.producer);
      std::ranges::any_of(terms, [&](const expr::Load* load) { return load->buffer == target; }))
    return illegal(call, name, fmt::format("the terms of the sum read '{}' as it was", target));
  const std::vector<Buffer> buffers = buffers_of(func);
  const DataType type = find_buffer(buffers, sum)->type;
  if (find_buffer(buffers, target)->type != type)
    return illegal(call, name, fmt::format("'{}' and '{}' are of different types", sum, target));

  const std::vector<Expr> indices = consumer.indices();
  added = expr::substitute(added, consumer.at);
  const loop::Store& start = *as<loop::Store>(consumer.producer.init);
  Block changed = consumer.producer;
  changed.init = make(loop::Store{
      target, indices, is_zero(start.value) ? added : start.value + added, start.origin});
  loop::Store update = consumer.produced;
  update.buffer = target;
  update.indices = indices;
  update.value = expr::rewrite(update.value, [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == sum ? expr::load(type, target, indices) : Expr();
  });
  changed.body = make(std::move(update));
  return Applied{TRY(joined(call, func, consumer, std::move(changed))),
                 {},
                 is_float(type)
                     ? fmt::format("the terms of '{}' are added in another order: what '{}' adds "
                                   "comes first",
                                   consumer.producer.name, name)
                     : ""};
}

}  // namespace

Primitive fuse_epilogue() {
  return {"fuse_epilogue",
          "Lets a sum start from what its only reader adds to it, a bias for example, and removes "
          "the reader; floating-point terms are added in another order.",
          "for i in 8 { for k in 9 { A[i] += X[i, k] } }  for j in 8 { B[j] = A[j] + bias[j] }",
          "for i in 8 { for k in 9 { B[i] += X[i, k] } }  // from bias[i]",
          {{"block", ParameterKind::Block, "a block that adds to a sum which nobody else reads"}},
          apply_fuse_epilogue};
}

}  // namespace loopglass::schedule
