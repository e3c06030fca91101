// Schedules as text that is kept: what they are for is checked, and they come back with whatever
// computes the same.
#include "core/saved_schedule.h"

#include "core/loop/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

std::string nest_named(const std::string& name, const std::string& buffer) {
  return "func " + name + "(X: float32[64] input, " + buffer +
         ": float32[64] output) {\n  for i in 64 {\n    " + buffer + "[i] = X[i] * 2.0f\n  }\n}\n";
}

std::string key_of(const std::string& nest) {
  return kernel::workload_of(loop::nameless_form(loop::parse(nest).value()));
}

TEST(SavedSchedule, GoesWithWhateverComputesTheSame) {
  const std::string nest = nest_named("f", "Y");
  EXPECT_EQ(key_of(nest), key_of(nest_named("other", "Z")));
  const SavedSchedule saved{"f", key_of(nest), "// halves\nsplit(i, [-1, 32])\n"};
  const Workloads workloads{{saved.workload, nest}};
  EXPECT_TRUE(check_schedule(saved, workloads));
  kernel::Schedules schedules;
  auto own = read_schedule(saved, workloads);
  ASSERT_TRUE(own);
  schedules.set(own->nest, std::move(own->trace));
  const auto other = loop::parse(nest_named("other", "Z")).value();
  const auto found = schedules.find(loop::nameless_form(other));
  ASSERT_TRUE(found);
  EXPECT_TRUE(schedule::replay(other, *found));
}

TEST(SavedSchedule, WhatIsWrongIsSaidWithTheKernel) {
  const std::string nest = nest_named("f", "Y");
  const Workloads workloads{{key_of(nest), nest}, {"0123456789abcdef", nest}, {"1", "func"}};
  const auto problem = [&](const std::string& workload, const std::string& script) {
    const auto checked = check_schedule({"conv1", workload, script}, workloads);
    return checked ? std::string("nothing") : to_string(checked.error());
  };
  EXPECT_EQ(problem(key_of(nest), ""), "nothing");
  EXPECT_THAT(problem("none", ""), HasSubstr("there is no loop nest 'none'"));
  EXPECT_THAT(problem("0123456789abcdef", ""), HasSubstr("another one than its name says"));
  EXPECT_THAT(problem("1", ""), HasSubstr("the schedule of conv1: line 1"));
  EXPECT_THAT(problem(key_of(nest), "spilt(i)"), HasSubstr("there is no primitive 'spilt'"));
  EXPECT_THAT(problem(key_of(nest), "\nvectorize(k)"),
              HasSubstr("the schedule of conv1: k, line 2: vectorize(k)"));
}

}  // namespace
}  // namespace loopglass
