// What becomes of kernels of more loads and stores than LLVM takes well in one function.
#include "passes/loop/cut_functions.h"

#include "core/loop/text.h"
#include "tests/schedule/nests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Cut {
  std::string text;
  std::vector<pass::Remark> remarks;
  std::size_t rewrites;
};

// The same results, and not a second time something to do.
Cut cut(const std::string& text) {
  const auto func = loop::parse(text);
  if (!func) return {"does not parse: " + to_string(func.error()), {}, 0};
  pass::Report report, again;
  const loop::Func result = passes::cut_functions(*func, report).value();
  EXPECT_TRUE(loop::verify(result));
  EXPECT_TRUE(same_results(*func, result));
  EXPECT_EQ(passes::cut_functions(result, again)->body, result.body);
  EXPECT_THAT(again.remarks, IsEmpty());
  EXPECT_THAT(again.rewrites, IsEmpty());
  return {loop::to_text(result), report.remarks, report.rewrites.size()};
}

// `count` loops of two accesses each, in the scope of a buffer.
std::string loops(int count, const std::string& scope) {
  std::string text =
      "func many(X: float32[8] input, Y: float32[8] output) {\nalloc A: float32[8] " + scope +
      " {\nfor a in 8 { A[a] = X[a] }\n";
  for (int i = 0; i < count; ++i)
    text += fmt::format("for l{0} in 8 {{ A[l{0}] = A[l{0}] + {0}.0f }}\n", i);
  return text + "for y in 8 { Y[y] = A[y] }\n}\n}\n";
}

TEST(CutFunctions, LeavesAloneWhatFits) {
  const Cut few = cut(loops(126, "workspace"));  // 256 accesses
  EXPECT_THAT(few.text, Not(HasSubstr("@")));
  EXPECT_THAT(few.remarks, IsEmpty());
}

TEST(CutFunctions, SaysHowManyThereAreAndByWhichNumbers) {
  const Cut many = cut(loops(300, "workspace"));  // 604 accesses
  EXPECT_THAT(many.text, HasSubstr("@function for l127 in 8 {"));
  EXPECT_THAT(many.text, HasSubstr("@function for l255 in 8 {"));
  EXPECT_EQ(many.rewrites, 2u);
  ASSERT_EQ(many.remarks.size(), 1u);
  const pass::Remark& remark = many.remarks.front();
  EXPECT_EQ(remark.kind, pass::RemarkKind::Applied);
  EXPECT_EQ(remark.code, "MANY_ACCESSES");
  EXPECT_EQ(remark.entity, "many");
  EXPECT_THAT(remark.numbers, ElementsAre(std::pair<std::string, double>{"accesses", 604},
                                          std::pair<std::string, double>{"budget", 256},
                                          std::pair<std::string, double>{"functions", 3}));
  EXPECT_EQ(remark.text,
            "'many' becomes 3 functions: it has 604 loads and stores, and LLVM takes long for more "
            "than 256 in one");
}

TEST(CutFunctions, ABufferOnTheStackIsOfOneFunction) {
  EXPECT_THAT(cut(loops(300, "stack")).text, Not(HasSubstr("@")));
}

}  // namespace

}  // namespace loopglass::schedule
