// Compiling kernels outside a network: each once, whoever asks and in whatever process.
#include "core/kernel/code_store.h"
#include "core/machine/host.h"

#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "core/runtime/executor.h"
#include "core/runtime/thread_pool.h"
#include "passes/pipeline.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

namespace loopglass::kernel {
namespace {

namespace fs = std::filesystem;

Tools tools() { return {host_machine(), passes::loop_passes()}; }

constexpr std::string_view product = R"(
  func product(A: float32[40, 30] input, B: float32[30, 50] input, C: float32[40, 50] output) {
    for i in 40 { for j in 50 { for k in 30 {
      block C(v0 = i, v1 = j, reduce v2 = k) by sum {
        init { C[v0, v1] = 0.0f }
        C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })";

loop::Func nest(std::string_view text = product) {
  auto func = loop::parse(text);
  if (!func) throw std::runtime_error(to_string(func.error()));
  return *func;
}

Lowered kernel_of(loop::Func func) {
  auto kernel = by_default(std::move(func), tools());
  if (!kernel) throw std::runtime_error(to_string(kernel.error()));
  return *std::move(kernel);
}

class CodeStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "code_store.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::shared_ptr<codegen::ObjectCache> cache() const {
    return std::make_shared<codegen::ObjectCache>(folder_);
  }

  fs::path folder_;
};

void expect_right(const codegen::CompiledKernel& code, const loop::Func& initial) {
  std::vector<Tensor> arguments;
  std::vector<void*> pointers;
  for (const loop::Buffer& parameter : initial.parameters) {
    arguments.push_back(runtime::random_tensor({parameter.type, te::concrete(parameter.shape)},
                                               arguments.size() + 1));
    pointers.push_back(arguments.back().data());
  }
  std::vector<Tensor> expected = arguments;
  expected.back() = Tensor(arguments.back().type());
  Tensor workspace(TensorType{DataType::UInt8,
                              {std::max<std::int64_t>(64, code.workspace().bytes({}).value())}});
  runtime::ThreadPool pool(2);
  code.entry()(pointers.data(), nullptr, workspace.data(), pool.parallel_runtime());
  loop::interpret(initial, expected);
  for (std::int64_t i = 0; i < expected.back().elements(); ++i)
    ASSERT_NEAR(arguments.back().double_at(i), expected.back().double_at(i), 1e-4) << i;
}

TEST_F(CodeStoreTest, WhatOneProcessCompiledAnotherLoads) {
  const Lowered kernel = kernel_of(nest());
  CodeStore first(cache());
  const auto made = first.get(kernel);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(first.counts().compiled, 1);
  EXPECT_EQ(first.counts().from_cache, 0);
  expect_right(**made, kernel.initial);

  CodeStore second(cache());
  const auto loaded = second.get(kernel_of(nest()));
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(second.counts().compiled, 0);
  EXPECT_EQ(second.counts().from_cache, 1);
  EXPECT_EQ((*loaded)->workspace(), (*made)->workspace());
  expect_right(**loaded, kernel.initial);
}

TEST_F(CodeStoreTest, EqualKernelsShareWhateverTheirNames) {
  std::string renamed(product);
  for (const auto& [from, to] : {std::pair{"product", "another"}, {"A", "Left"}, {"B", "Right"}})
    for (std::size_t at = 0; (at = renamed.find(from, at)) != std::string::npos;
         at += std::string_view(to).size())
      renamed.replace(at, std::string_view(from).size(), to);
  CodeStore store;
  const auto one = store.get(kernel_of(nest())), other = store.get(kernel_of(nest(renamed)));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(*one, *other);
  EXPECT_EQ(store.counts().compiled, 1);
}

TEST_F(CodeStoreTest, WhoeverAsksMeanwhileWaits) {
  CodeStore store(cache());
  const Lowered kernel = kernel_of(nest());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { EXPECT_TRUE(store.get(kernel)); });
  }
  EXPECT_EQ(store.counts().compiled, 1);
}

TEST_F(CodeStoreTest, ADamagedFileIsCompiledAnew) {
  const Lowered kernel = kernel_of(nest());
  ASSERT_TRUE(CodeStore(cache()).get(kernel));
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  CodeStore store(cache());
  const auto code = store.get(kernel);
  ASSERT_TRUE(code);
  EXPECT_EQ(store.counts().compiled, 1);
  expect_right(**code, kernel.initial);
  CodeStore after(cache());
  ASSERT_TRUE(after.get(kernel));
  EXPECT_EQ(after.counts().from_cache, 1);
}

TEST_F(CodeStoreTest, AFolderThatCannotBeWrittenCostsNothingButTime) {
  std::ofstream(folder_ / "file") << "in the way";
  CodeStore store(std::make_shared<codegen::ObjectCache>(folder_ / "file"));
  EXPECT_TRUE(store.get(kernel_of(nest())));
  EXPECT_EQ(store.counts().compiled, 1);
}

TEST(Stages, FollowTheTraceTheyAreGiven) {
  const auto trace =
      schedule::parse_script("c = block(\"C\")\ni, j, k = loops(c)\nreorder([j, i])\n");
  ASSERT_TRUE(trace) << to_string(trace.error());
  const auto kernel = schedule(nest(), *trace, tools());
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  EXPECT_EQ(schedule::to_script(kernel->trace), schedule::to_script(*trace));
  EXPECT_NE(loop::to_text(kernel->scheduled()), loop::to_text(kernel->initial));
  const auto lowered = lower(*kernel, tools());
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  CodeStore store;
  expect_right(**store.get(*lowered), kernel->initial);
}

TEST(Stages, AnIllegalTraceIsADiagnostic) {
  const auto trace = schedule::parse_script("c = block(\"missing\")\n");
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_FALSE(schedule(nest(), *trace, tools()));
}

}  // namespace
}  // namespace loopglass::kernel
