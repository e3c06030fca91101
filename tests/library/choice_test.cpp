// Networks some of whose kernels a library computes: the same results, and why each kernel is whose
// it is.
#include "core/library/choice.h"

#include "core/ops/registry.h"
#include "core/runtime/executor.h"
#include "samples/samples.h"
#include "tests/library/plain_library.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::library {
namespace {

using testing::HasSubstr;
using Groups = std::vector<fusion::GroupId>;

// Whose kernels are all the library's, as far as it computes them whole.
Groups whole_groups(Session& session) {
  Groups groups;
  for (const fusion::Group& group : (*session.plan())->groups)
    if (const auto part = part_of(**session.graph(), group); part && part->is_whole())
      groups.push_back(group.id);
  return groups;
}

Result<Chosen> chosen(Session& session, Library& library, const Groups& wanted) {
  const auto network = TRY(session.network());
  runtime::ThreadPool pool(1);
  ChoiceOptions options;
  options.comparison.blocks = 1;
  options.wanted = wanted;
  return choose(*network, *TRY(session.placement()), *TRY(session.plan()), library, pool, options);
}

Result<std::vector<Tensor>> outputs_of(const runtime::CompiledNetwork& network) {
  const auto executor = TRY(runtime::Executor::create(network));
  runtime::ThreadPool pool(1);
  const std::vector<Tensor> inputs = runtime::random_inputs(*network.graph);
  TRY(executor->run(inputs, pool));  // what is left of a run must not show in the next
  return executor->run(inputs, pool);
}

// Runs the network with all kernels that the library computes, and by generated code.
void expect_same(Session& session, Library& library, std::size_t least) {
  const Groups wanted = whole_groups(session);
  ASSERT_GE(wanted.size(), least);
  const auto mixed = chosen(session, library, wanted);
  ASSERT_TRUE(mixed) << to_string(mixed.error());
  ASSERT_EQ(mixed->choices.size(), wanted.size());
  for (const Choice& choice : mixed->choices) EXPECT_TRUE(choice.is_taken);
  const auto ours = outputs_of(**session.network()), theirs = outputs_of(mixed->network);
  ASSERT_TRUE(ours) << to_string(ours.error());
  ASSERT_TRUE(theirs) << to_string(theirs.error());
  for (std::size_t o = 0; o < ours->size(); ++o) {
    const auto same = runtime::compare((*theirs)[o], (*ours)[o], 1e-5, 1e-4);
    EXPECT_TRUE(same) << to_string(same.error());
  }
}

class NetworkBuilder {
 public:
  graph::ValueId input(const char* name, const Shape& shape) {
    return builder_.add_input(name, {DataType::Float32, shape});
  }
  graph::ValueId constant(const char* name, const Shape& shape) {
    return builder_.add_constant(name, runtime::random_tensor({DataType::Float32, shape}, ++seed_));
  }
  graph::ValueId add(const char* op, std::vector<graph::ValueId> inputs,
                     ops::Attributes attributes = {}) {
    const auto node = builder_.add_node(fmt::format("{}{}", op, ++seed_), *ops::find_operator(op),
                                        std::move(inputs), std::move(attributes));
    if (!node) throw std::invalid_argument(to_string(node.error()));
    return builder_.output(*node);
  }
  std::unique_ptr<Session> finish(graph::ValueId output, const char* pipeline) && {
    builder_.set_outputs({output});
    SessionOptions options;
    options.pipeline = pipeline;
    return session_on(*std::move(builder_).finish(), options);
  }

 private:
  graph::GraphBuilder builder_{"network"};
  std::uint64_t seed_ = 0;
};

// What is combined with a convolution dies there, so that the plan has the result written over it.
std::unique_ptr<Session> over_its_operand(const char* combination, const char* pipeline) {
  NetworkBuilder network;
  using Integers = std::vector<std::int64_t>;
  const ops::Attributes window{{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}};
  const graph::ValueId x = network.input("x", {1, 32, 9, 9});
  const graph::ValueId other = network.add("MaxPool", {x}, window);
  const graph::ValueId sum =
      network.add("Conv", {x, network.constant("w", {32, 32, 3, 3}), network.constant("b", {32})},
                  {{"pads", Integers{1, 1, 1, 1}}});
  const graph::ValueId both = network.add(combination, {sum, other});
  return std::move(network).finish(network.add("MaxPool", {both}, window), pipeline);
}

TEST(LibraryChoice, NetworksGiveWhatTheyGave) {
  PlainLibrary plain;
  const auto mlp = session_on(*samples::find_sample("mlp")->build(0));
  expect_same(*mlp, plain, 2);
  const auto lenet = session_on(*samples::find_sample("lenet")->build(0));
  expect_same(*lenet, plain, 1);
}

// The library knows nothing of the plan of memory, which was made for generated code.
TEST(LibraryChoice, OperandsAreReadBeforeTheyAreWrittenOver) {
  for (const char* combination : {"Mul", "Add"})
    for (const char* pipeline : {"none", "default"}) {
      SCOPED_TRACE(fmt::format("{} {}", combination, pipeline));
      const auto session = over_its_operand(combination, pipeline);
      const auto plan = session->memory_plan({}, {});
      ASSERT_TRUE(plan);
      EXPECT_TRUE(std::ranges::any_of((*plan)->buffers, [](const runtime::PlannedBuffer& buffer) {
        return buffer.in_place_of.valid();
      })) << "nothing is written over anything";
      PlainLibrary hasty = PlainLibrary::hasty();
      expect_same(*session, hasty, 1);
    }
}

TEST(LibraryChoice, OperandsThatAreNotConstantAreRead) {
  NetworkBuilder network;
  const graph::ValueId a = network.input("a", {2, 5, 7}), b = network.input("b", {2, 7, 6});
  const graph::ValueId product = network.add("MatMul", {a, b});
  const auto session = std::move(network).finish(network.add("Relu", {product}), "none");
  PlainLibrary plain;
  expect_same(*session, plain, 1);
}

TEST(LibraryChoice, GeneratedCodeStaysWhereItIsFaster) {
  PlainLibrary slow;
  const auto session = session_on(*samples::find_sample("mlp")->build(0));
  const auto mixed = chosen(*session, slow, {});
  ASSERT_TRUE(mixed) << to_string(mixed.error());
  EXPECT_EQ(mixed->choices.size(), 3u);
  for (const Choice& choice : mixed->choices) {
    EXPECT_FALSE(choice.is_taken);
    ASSERT_TRUE(choice.comparison || choice.refusal);
    if (choice.comparison) {
      EXPECT_LT(choice.comparison->ratio.high, 1);
    }
  }
  for (const runtime::KernelInstance& kernel : mixed->network.kernels)
    EXPECT_EQ(kernel.outside, nullptr);
}

TEST(LibraryChoice, ALibraryThatIsWrongComputesNothing) {
  PlainLibrary wrong(1.001F);
  const auto session = session_on(*samples::find_sample("mlp")->build(0));
  const auto mixed = chosen(*session, wrong, {});
  ASSERT_TRUE(mixed) << to_string(mixed.error());
  for (const Choice& choice : mixed->choices) {
    ASSERT_TRUE(choice.refusal);
    EXPECT_FALSE(choice.is_taken);
  }
  const auto asked_for = chosen(*session, wrong, whole_groups(*session));
  ASSERT_FALSE(asked_for);
  EXPECT_EQ(asked_for.error().code, Code::LibraryRefused);
  EXPECT_THAT(asked_for.error().what, HasSubstr("what rounding explains"));
}

TEST(LibraryChoice, WhatTheLibraryHasNotIsNamed) {
  PlainLibrary plain;
  const auto session = session_on(*samples::find_sample("mlp")->build(0));
  for (const fusion::Group& group : (*session->plan())->groups) {
    const auto part = part_of(**session->graph(), group);
    if (part && part->is_whole()) continue;
    const auto mixed = chosen(*session, plain, {group.id});
    ASSERT_FALSE(mixed);
    EXPECT_EQ(mixed.error().code, Code::LibraryRefused);
    return;
  }
}

}  // namespace
}  // namespace loopglass::library
