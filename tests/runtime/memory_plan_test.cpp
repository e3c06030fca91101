// The memory plan of a network: lifetimes, results over operands, what a run takes in all, and
// refusing what the machine does not have.
#include "core/runtime/memory_plan.h"

#include "core/ops/registry.h"
#include "core/runtime/memory_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::runtime {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

const TensorType row{DataType::Float32, {100}};  // 400 bytes, 448 in the arena

loop::Buffer buffer(const TensorType& type, loop::Role role) {
  return {"b", type.type, te::extents(type.shape), loop::Scope::Global, role, {}};
}

// x -> a -> b -> c -> y, one kernel each; `in_place` says which may be written over their operand.
struct Chain {
  GraphBuilder builder{"chain"};
  std::vector<ValueId> values;
  std::vector<KernelUse> kernels;

  explicit Chain(std::vector<bool> in_place) {
    values.push_back(builder.add_input("x", row));
    for (std::size_t k = 0; k < in_place.size(); ++k) {
      const ValueId operand = values.back();
      values.push_back(builder.output(builder
                                          .add_node(std::string(1, static_cast<char>('a' + k)),
                                                    *ops::find_operator("Neg"), {operand}, {})
                                          .value()));
      KernelUse use{{operand, values.back()},
                    {buffer(row, loop::Role::Input), buffer(row, loop::Role::Output)},
                    {},
                    0};
      if (in_place[k]) use.in_place = {{0, 1}};
      kernels.push_back(use);
    }
  }
  graph::Graph finish(std::vector<ValueId> outputs) {
    builder.set_outputs(std::move(outputs));
    return std::move(builder).finish().value();
  }
};

TEST(MemoryPlan, KnowsLifetimesAndPeaks) {
  Chain chain({false, false, false, false});
  const graph::Graph graph = chain.finish({chain.values[4]});
  const MemoryPlan plan = plan_memory(graph, chain.kernels).value();
  ASSERT_EQ(plan.buffers.size(), 3u);
  EXPECT_EQ(plan.buffers[1].value, chain.values[2]);
  EXPECT_EQ(plan.buffers[1].first, 1);
  EXPECT_EQ(plan.buffers[1].last, 2);
  EXPECT_EQ(plan.separate_bytes, 3 * 448);
  EXPECT_EQ(plan.live_peak, 2 * 448);
  EXPECT_EQ(plan.lower_bound, 2 * 448);
  EXPECT_EQ(plan.arena_bytes, 2 * 448);
  EXPECT_THAT(plan.live, ::testing::ElementsAre(448, 896, 896, 448));
  EXPECT_EQ(plan.peak_kernel(), 1);
  EXPECT_EQ(plan.input_bytes, 400);
  EXPECT_EQ(plan.output_bytes, 400);
  EXPECT_EQ(plan.find(chain.values[0]), nullptr);
}

// a and b may be written over their operands; but x is the caller's.
TEST(MemoryPlan, AResultTakesTheMemoryOfAnOperandThatDies) {
  Chain chain({true, true, true, false});
  const graph::Graph graph = chain.finish({chain.values[4]});
  const MemoryPlan plan = plan_memory(graph, chain.kernels).value();
  EXPECT_FALSE(plan.buffers[0].in_place_of.valid());
  EXPECT_EQ(plan.buffers[1].in_place_of, chain.values[1]);
  EXPECT_EQ(plan.buffers[2].in_place_of, chain.values[2]);
  for (const PlannedBuffer& buffer : plan.buffers) EXPECT_EQ(buffer.offset, 0);
  EXPECT_EQ(plan.arena_bytes, 448);
  EXPECT_EQ(plan.lower_bound, 448);
  EXPECT_EQ(plan.live_peak, 896);
}

TEST(MemoryPlan, AnOperandThatIsReadAgainKeepsItsMemory) {
  Chain chain({false, true, false});
  chain.kernels[2].arguments[0] = chain.values[1];  // a, which b must not be written over
  const ValueId late = chain.builder.output(
      chain.builder.add_node("late", *ops::find_operator("Neg"), {chain.values[1]}, {}).value());
  chain.kernels[2].arguments[1] = late;
  const ValueId both = chain.builder.output(
      chain.builder.add_node("both", *ops::find_operator("Add"), {chain.values[2], late}, {})
          .value());
  chain.kernels.push_back({{chain.values[2], late, both},
                           {buffer(row, loop::Role::Input), buffer(row, loop::Role::Input),
                            buffer(row, loop::Role::Output)},
                           {{0, 2}, {1, 2}},
                           0});
  const graph::Graph graph = chain.finish({both});
  const MemoryPlan plan = plan_memory(graph, chain.kernels).value();
  for (const PlannedBuffer& buffer : plan.buffers)
    EXPECT_FALSE(buffer.in_place_of.valid()) << buffer.name;
}

// Two results of one kernel cannot both take the one operand that dies.
TEST(MemoryPlan, AnOperandHasOneHeir) {
  Chain chain({false});
  const ValueId a = chain.values[1];
  std::vector<ValueId> results, ends;
  KernelUse two{{a}, {buffer(row, loop::Role::Input)}, {}, 0};
  for (const char* name : {"p", "q"}) {
    results.push_back(chain.builder.output(
        chain.builder.add_node(name, *ops::find_operator("Neg"), {a}, {}).value()));
    two.arguments.push_back(results.back());
    two.parameters.push_back(buffer(row, loop::Role::Output));
    two.in_place.push_back({0, two.arguments.size() - 1});
  }
  chain.kernels.push_back(two);
  const ValueId end = chain.builder.output(
      chain.builder.add_node("end", *ops::find_operator("Add"), results, {}).value());
  chain.kernels.push_back({{results[0], results[1], end},
                           {buffer(row, loop::Role::Input), buffer(row, loop::Role::Input),
                            buffer(row, loop::Role::Output)},
                           {},
                           0});
  const graph::Graph graph = chain.finish({end});
  const MemoryPlan plan = plan_memory(graph, chain.kernels).value();
  EXPECT_EQ(plan.find(results[0])->in_place_of, a);
  EXPECT_FALSE(plan.find(results[1])->in_place_of.valid());
  EXPECT_NE(plan.find(results[0])->offset, plan.find(results[1])->offset);
}

TEST(MemoryPlan, SizesThatOverflowAreRefused) {
  for (const Shape& shape :
       {Shape{std::int64_t{1} << 40}, Shape{std::int64_t{1} << 31, std::int64_t{1} << 31},
        Shape{std::int64_t{1} << 62, 4}}) {
    const auto bytes = bytes_of({DataType::Float64, shape});
    ASSERT_FALSE(bytes) << to_string(shape);
    EXPECT_EQ(bytes.error().code, Code::ModelTooLarge);
  }
  EXPECT_EQ(bytes_of({DataType::Float64, {0, std::int64_t{1} << 62}}).value(), 0);
  EXPECT_EQ(add_bytes(maximum_total_bytes, 1).error().code, Code::ModelTooLarge);
}

TEST(MemoryBudget, WhatDoesNotFitIsSaidWithItsParts) {
  const MachineMemory machine{std::int64_t{8} << 30, std::int64_t{3} << 30};
  EXPECT_TRUE(check_memory("running the network",
                           {{"intermediates", std::int64_t{3} << 30}, {"inputs", 0}}, machine));
  const auto refused = check_memory(
      "running the network",
      {{"intermediates", std::int64_t{3} << 30}, {"inputs", 512 << 20}, {"outputs", 0}}, machine);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::OutOfMemory);
  EXPECT_EQ(refused.error().what,
            "running the network takes 3.5 GiB (3 GiB for intermediates, 512 MiB for inputs); this "
            "machine has 8 GiB, of "
            "which 3 GiB are free");
  EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("--shape"));
}

TEST(MemoryBudget, TheMachineHasMemory) {
  const MachineMemory machine = machine_memory();
  EXPECT_GT(machine.available, 1 << 20);
  EXPECT_LE(machine.available, machine.total);
}

// Whoever reads it must know which limit to raise.
TEST(MemoryBudget, WhatBoundsTheMemoryIsNamed) {
  using Bound = MachineMemory::Bound;
  const auto sentence = [](Bound bound) {
    return to_string(MachineMemory{std::int64_t{2} << 30, 512 << 20, bound});
  };
  EXPECT_EQ(sentence(Bound::Machine), "this machine has 2 GiB, of which 512 MiB are free");
  EXPECT_EQ(sentence(Bound::AddressSpace),
            "this process may have 2 GiB of address space (ulimit -v), of which 512 MiB are free");
  EXPECT_EQ(sentence(Bound::Data),
            "this process may have 2 GiB of data (ulimit -d), of which 512 MiB are free");
  EXPECT_EQ(sentence(Bound::ControlGroup),
            "this container or service may have 2 GiB (its control group's limit), of which 512 "
            "MiB are free");
}

TEST(MemoryBudget, BytesAreReadable) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(std::int64_t{5} << 40), "5 TiB");
}

}  // namespace
}  // namespace loopglass::runtime
