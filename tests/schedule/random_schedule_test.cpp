// Random schedules over random nests: the plain interpreter before, after, and the machine code of
// what it is lowered to, all the same. Without a reduction in another order to the bit; the machine
// code on numbers that no order and no contraction rounds.
#include "core/codegen/kernel.h"
#include "core/loop/interpreter.h"
#include "core/loop/reference_interpreter.h"
#include "core/loop/text.h"
#include "core/pass/runner.h"
#include "core/runtime/thread_pool.h"
#include "core/script/replayer.h"
#include "passes/pipeline.h"
#include "tests/random/random_nest.h"
#include "tests/random/time_limit.h"
#include "tests/schedule/every_call.h"
#include "tests/schedule/oracle.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <span>

namespace loopglass::schedule {

namespace {

constexpr int longest = 7;        // schedules
constexpr int compiled_each = 8;  // one in so many

struct Schedule {
  loop::Func func;
  std::string script;
  Terms terms = Terms::InOrder;
  std::set<std::string> primitives;
};

// Calls drawn from all that the nest at hand offers; what is refused is drawn again.
Schedule random_schedule(const loop::Func& nest, std::mt19937& random) {
  Schedule schedule{nest, {}, Terms::InOrder, {}};
  const int wanted = 1 + static_cast<int>(random() % longest);
  int made = 0;
  for (int tries = 0; made < wanted && tries < 10 * longest; ++tries) {
    const std::vector<Instruction> calls = every_call(schedule.func);
    const Instruction& call = calls[random() % calls.size()];
    // One of the many primitives first, then one of its calls: else those of many arguments fill
    // all.
    std::vector<const Instruction*> alike;
    const std::string primitive = all_primitives()[random() % all_primitives().size()].name;
    for (const Instruction& other : calls)
      if (other.primitive == primitive) alike.push_back(&other);
    if (alike.empty()) alike.push_back(&call);
    std::ranges::shuffle(alike, random);
    // Of some primitives one call in a hundred is legal: a few are tried, of the nest as it was
    // drawn, where most are legal that ever will be, all.
    const std::size_t tried = made == 0 ? alike.size() : 8;
    for (const Instruction* chosen : std::span(alike).first(std::min(alike.size(), tried))) {
      Replayer replayer(schedule.func);
      auto step = replayer.run(*chosen);
      if (!step) continue;
      ++made;
      schedule.func = std::move((*step)->func);
      schedule.script += to_script(*chosen) + "\n";
      schedule.primitives.insert(chosen->primitive);
      if (!(*step)->remark.empty()) schedule.terms = Terms::InAnyOrder;
      break;
    }
  }
  return schedule;
}

// What the machine code does otherwise than the nest says; empty if nothing.
std::string machine_objection(const loop::Func& nest, const loop::Func& scheduled,
                              runtime::ThreadPool& pool) {
  const auto passes = passes::loop_passes();
  const auto steps = pass::run(std::make_shared<const loop::Func>(scheduled), passes);
  if (!steps) return to_string(steps.error());
  const loop::Func lowered = steps->last();
  std::optional<test::TimeLimit> limit(loop::to_text(lowered));
  const auto kernel = codegen::compile(lowered);
  limit.reset();
  if (!kernel) return to_string(kernel.error());
  std::vector<Tensor> expected = oracle_arguments(nest, 1, Terms::InAnyOrder), actual;
  std::vector<void*> pointers;
  for (std::size_t p = 0; p < expected.size(); ++p) {
    const loop::Buffer& wanted = lowered.parameters[p];
    Tensor copy(expected[p].type());
    std::copy_n(expected[p].data(), expected[p].bytes(), copy.data());
    actual.push_back(loop::pack(wanted, copy).reshaped(te::concrete(wanted.shape)));
    pointers.push_back(actual.back().data());
  }
  loop::interpret_plainly(nest, expected);
  Tensor workspace(TensorType{
      DataType::UInt8, {std::max<std::int64_t>(64, (*kernel)->workspace().bytes({}).value())}});
  std::memset(workspace.data(), 0xff, workspace.bytes());
  (*kernel)->entry()(pointers.data(), nullptr, workspace.data(), pool.parallel_runtime());
  for (std::size_t p = 0; p < expected.size(); ++p) {
    if (nest.parameters[p].role != loop::Role::Output) continue;
    for (std::int64_t i = 0; i < expected[p].elements(); ++i) {
      const double x = expected[p].double_at(i), y = actual[p].double_at(i);
      if (x != y && (x == x || y == y))
        return fmt::format("machine code: {}[{}] is {}, should be {}\n{}", nest.parameters[p].name,
                           i, y, x, loop::to_text(lowered));
    }
  }
  return {};
}

// LOOPGLASS_SEEDS=first:last runs others.
TEST(RandomSchedules, KeepWhatRandomNestsMean) {
  unsigned long first = 1, last = 1000;
  if (const char* seeds = std::getenv("LOOPGLASS_SEEDS")) {
    ASSERT_EQ(std::sscanf(seeds, "%lu:%lu", &first, &last), 2);
  }
  runtime::ThreadPool pool(2);
  std::map<std::string, int> applied;
  int schedules = 0, compiled = 0, meaningless = 0;
  for (unsigned long seed = first; seed <= last; ++seed) {
    const loop::Func nest = test::random_nest(static_cast<std::uint32_t>(seed));
    const auto sound = loop::verify(nest);
    ASSERT_TRUE(sound) << to_string(sound.error()) << loop::to_text(nest);
    Oracle oracle(nest);
    if (!oracle.has_meaning()) {
      ++meaningless;
      continue;
    }
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    for (int k = 0; k < 3; ++k) {
      const Schedule schedule = random_schedule(nest, random);
      for (const std::string& primitive : schedule.primitives) ++applied[primitive];
      std::string found = oracle.objection(schedule.func, schedule.terms, Instances::Rearranged);
      if (found.empty() && ++schedules % compiled_each == 0) {
        ++compiled;
        found = machine_objection(nest, schedule.func, pool);
      }
      ASSERT_EQ(found, "") << "seed " << seed << ", schedule " << k << "\n"
                           << loop::to_text(nest) << "\n"
                           << schedule.script << "\n"
                           << loop::to_text(schedule.func);
    }
  }
  fmt::print("{} schedules, {} compiled; {} nests read what was never written\n", schedules,
             compiled, meaningless);
  for (const auto& [primitive, count] : applied) fmt::print("{:<24} {:>6}\n", primitive, count);
  if (last - first < 999) return;
  for (const Primitive& primitive : all_primitives())
    EXPECT_GT(applied[primitive.name], 0) << primitive.name;
}

}  // namespace

}  // namespace loopglass::schedule
