#include "tests/schedule/compiled.h"

#include "core/codegen/kernel.h"
#include "core/default_schedule/default_schedule.h"
#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "core/machine/host.h"
#include "core/pass/runner.h"
#include "passes/pipeline.h"
#include "tests/random/time_limit.h"
#include "tests/schedule/nests.h"

#include <cstring>

namespace loopglass::schedule {

Result<loop::Func> lowered(const loop::Func& func, const std::string& script) {
  const Trace trace =
      TRY(script.empty() ? default_schedule(func, host_machine()) : parse_script(script));
  const auto steps = TRY(replay(func, trace));
  const auto passes = passes::loop_passes();
  return TRY(pass::run(std::make_shared<const loop::Func>(steps.empty() ? func : steps.back().func),
                       passes))
      .last();
}

void expect_compiled_right(const loop::Func& func, runtime::ThreadPool& pool,
                           const std::string& script) {
  const auto final = lowered(func, script);
  ASSERT_TRUE(final) << to_string(final.error());
  std::optional<test::TimeLimit> limit(loop::to_text(*final));
  const auto kernel = codegen::compile(*final);
  limit.reset();
  ASSERT_TRUE(kernel) << to_string(kernel.error()) << "\n" << loop::to_text(*final);
  std::vector<Tensor> expected, actual;
  std::vector<void*> pointers;
  for (std::size_t p = 0; p < func.parameters.size(); ++p) {
    const loop::Buffer &given = func.parameters[p], &wanted = final->parameters[p];
    const bool output = given.role == loop::Role::Output;
    const Shape shape = te::concrete(wanted.shape);
    expected.push_back(output ? Tensor({given.type, te::concrete(given.shape)})
                              : small_numbers({given.type, te::concrete(given.shape)}, p + 1));
    actual.push_back(output ? Tensor({given.type, shape})
                            : loop::pack(wanted, expected.back()).reshaped(shape));
    if (output) std::memset(actual.back().data(), 0xff, actual.back().bytes());
    pointers.push_back(actual.back().data());
  }
  loop::interpret(func, expected);
  Tensor workspace(TensorType{
      DataType::UInt8, {std::max<std::int64_t>(64, (*kernel)->workspace().bytes({}).value())}});
  std::memset(workspace.data(), 0xff, workspace.bytes());
  (*kernel)->entry()(pointers.data(), nullptr, workspace.data(), pool.parallel_runtime());
  for (std::size_t p = 0; p < func.parameters.size(); ++p) {
    if (func.parameters[p].role != loop::Role::Output) continue;
    for (std::int64_t i = 0; i < expected[p].elements(); ++i)
      ASSERT_EQ(actual[p].double_at(i), expected[p].double_at(i))
          << func.parameters[p].name << "[" << i << "]\n"
          << loop::to_text(*final);
  }
}

}  // namespace loopglass::schedule
