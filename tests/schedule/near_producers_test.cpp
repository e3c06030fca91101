// Elementwise stages that are far more than the second cache holds: made where they are read, and
// what is computed stays the same.
#include "core/default_schedule/near_producers.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/lower.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using expr::Expr;
using ::testing::HasSubstr;
using ::testing::Not;
using Indices = std::vector<Expr>;

// An image made longer along its rows, then wider, by means of neighbours, then channels last.
struct Resized {
  std::int64_t channels, height, width;
  bool turned = true;
  std::int64_t rows_apart = 0;  // what the second step reads from other rows, besides
};
loop::Func resized(const Resized& s) {
  te::Builder builder;
  const DataType type = DataType::Float32;
  const te::Tensor x = builder.placeholder("X", TensorType{type, {s.channels, s.height, s.width}});
  const auto mean = [](const Expr& a, const Expr& b) { return a + b; };
  const te::Tensor longer =
      builder.compute("longer", {s.channels, 2 * s.height, s.width}, [&](const Indices& i) {
        const Expr row = expr::floor_div(i[1], 2);
        return mean(x({i[0], row, i[2]}), x({i[0], expr::min(row + 1, s.height - 1), i[2]}));
      });
  const te::Tensor wider = builder.compute(
      "wider", {s.channels, 2 * s.height - s.rows_apart, 2 * s.width}, [&](const Indices& i) {
        const Expr column = expr::floor_div(i[2], 2);
        return mean(longer({i[0], i[1], column}),
                    longer({i[0], i[1] + s.rows_apart, expr::min(column + 1, s.width - 1)}));
      });
  const te::Tensor y = s.turned
                           ? builder.compute("Y", {wider.shape[1], wider.shape[2], wider.shape[0]},
                                             [&](const Indices& i) {
                                               return wider({i[2], i[0], i[1]});
                                             })
                           : wider;
  return loop::lower(std::move(builder).finish({y}), "resized");
}

Machine of_second_cache(Machine machine, std::int64_t bytes) {
  machine.l2.bytes = bytes;
  return machine;
}

TEST(NearProducers, StagesOfLargeImagesAreMadeRowByRow) {
  const std::string turned = default_script(resized({32, 128, 128}), avx512);
  EXPECT_THAT(turned, HasSubstr("= compute_at(wider, "));
  EXPECT_THAT(turned, HasSubstr("= compute_at(longer, "));
  EXPECT_THAT(default_script(resized({32, 256, 256, false}), avx512),
              HasSubstr("= compute_at(longer, "));
  EXPECT_THAT(default_script(resized({4, 32, 32}), avx512), Not(HasSubstr("compute_at")))
      << "the second cache holds it";
}

TEST(NearProducers, WhatWouldBeMadeTwiceIsMadeAsAWhole) {
  EXPECT_THAT(default_script(resized({32, 256, 256, false, 1}), avx512),
              Not(HasSubstr("compute_at(longer, ")));
}

TEST(NearProducers, StayRightAtEveryStep) {
  for (const Machine& machine : {avx512, avx2, sse})
    for (const Resized& shape :
         {Resized{16, 12, 16}, {5, 9, 11}, {32, 8, 7, true, 1}, {3, 40, 20, false}, {1, 30, 64}})
      expect_every_step_right(resized(shape), of_second_cache(machine, 1 << 11));
}

// On several threads, each of which has parts of its own.
TEST(NearProducers, StayRightInMachineCode) {
  runtime::ThreadPool pool(3);
  for (const Resized& shape : {Resized{16, 40, 32}, {20, 33, 41}, {8, 90, 64, false}}) {
    const loop::Func func = resized(shape);
    const std::string script = default_script(func, of_second_cache(avx512, 1 << 15));
    EXPECT_THAT(script, HasSubstr("= compute_at("));
    expect_compiled_right(func, pool, script);
  }
}

}  // namespace

}  // namespace loopglass::schedule
