// Products of a few rows by a matrix that comes from memory: read along, in chunks of its columns.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/lower.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct FewRows {
  std::int64_t batch, rows, terms, columns;
  bool biased = false;
};
// C[b, m, n] = sum over k of A[b, m, k] * B[b, k, n], and what is added to each column.
loop::Func product_of(const FewRows& s) {
  te::Builder builder;
  const auto placeholder = [&](const std::string& name, Shape shape) {
    return builder.placeholder(name, TensorType{DataType::Float32, std::move(shape)});
  };
  const te::Tensor a = placeholder("A", {s.batch, s.rows, s.terms}),
                   b = placeholder("B", {s.batch, s.terms, s.columns}),
                   bias = placeholder("bias", {s.columns});
  const te::Tensor sum = builder.reduce("C", {s.batch, s.rows, s.columns}, {s.terms},
                                        te::Reducer::Sum, [&](const auto& i, const auto& r) {
                                          return a({i[0], i[1], r[0]}) * b({i[0], r[0], i[2]});
                                        });
  const te::Tensor y =
      s.biased
          ? builder.compute("Y", sum.shape, [&](const auto& i) { return sum(i) + bias({i[2]}); })
          : sum;
  return loop::lower(std::move(builder).finish({y}), "product");
}

Machine of_third_cache(Machine machine, std::int64_t bytes) {
  machine.l3.bytes = bytes;
  return machine;
}

TEST(RowStreams, RowsOfAMatrixInMemoryAreReadAlong) {
  const auto script = [](const FewRows& shape) {
    return default_script(product_of(shape), of_third_cache(avx512, 1 << 20));
  };
  EXPECT_THAT(script({1, 1, 512, 1024}), HasSubstr("cache_write(C, \"stack\")"));
  EXPECT_THAT(script({1, 8, 512, 1024, true}), HasSubstr("set_scope(\"C\", \"stack\")"));
  EXPECT_THAT(script({1, 40, 512, 1024}), Not(HasSubstr("\"stack\""))) << "tiles read it seldom";
  EXPECT_THAT(script({1, 1, 64, 1024}), Not(HasSubstr("\"stack\""))) << "it lies in a cache";
  EXPECT_THAT(script({1, 1, 512, 1023}), Not(HasSubstr("\"stack\""))) << "no whole vectors";
  EXPECT_THAT(script({1, 1, 5000, 1024}), HasSubstr("cache_write(C_parts, \"stack\")"));
}

TEST(RowStreams, StayRightAtEveryStep) {
  for (const Machine& machine : {avx512, avx2, sse})
    for (const FewRows& shape :
         {FewRows{1, 1, 40, 512}, {1, 3, 21, 560, true}, {2, 2, 9, 768}, {3, 1, 16, 528, true}})
      expect_every_step_right(product_of(shape), of_third_cache(machine, 1 << 12));
}

TEST(RowStreams, StayRightInMachineCode) {
  runtime::ThreadPool pool(3);
  for (const FewRows& shape :
       {FewRows{1, 1, 300, 1040}, {1, 5, 101, 2064, true}, {2, 2, 64, 512}}) {
    const loop::Func func = product_of(shape);
    const std::string script = default_script(func, of_third_cache(avx512, 1 << 14));
    EXPECT_THAT(script, HasSubstr("\"stack\""));
    expect_compiled_right(func, pool, script);
  }
}

}  // namespace

}  // namespace loopglass::schedule
