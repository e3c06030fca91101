#include "tests/schedule/after_pass.h"

#include "core/loop/text.h"
#include "tests/schedule/nests.h"

namespace loopglass::schedule {

std::string after(LoopPass run, const std::string& text) {
  const auto func = loop::parse(text);
  if (!func) return "does not parse: " + to_string(func.error());
  pass::Report report;
  const auto result = run(*func, report);
  if (!result) return "refused: " + to_string(result.error());
  const auto valid = loop::verify(*result);
  EXPECT_TRUE(valid) << (valid ? "" : to_string(valid.error())) << "\n" << loop::to_text(*result);
  EXPECT_TRUE(same_results(*func, *result));
  return loop::to_text(*result);
}

}  // namespace loopglass::schedule
