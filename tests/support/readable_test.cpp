// Times and sizes as people read them.
#include "core/support/machine_load.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "core/support/suggestion.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <thread>

namespace loopglass {
namespace {

TEST(ReadableTime, HasThreeDigitsAndTheUnitThatSuits) {
  using namespace std::chrono_literals;
  EXPECT_EQ(readable_time(0us), "0.00 µs");
  EXPECT_EQ(readable_time(300ns), "300 ns");
  EXPECT_EQ(readable_time(Microseconds(9.994)), "9.99 µs");
  EXPECT_EQ(readable_time(Microseconds(9.996)), "10.0 µs");
  EXPECT_EQ(readable_time(Microseconds(99.96)), "100 µs");
  EXPECT_EQ(readable_time(Microseconds(999.4)), "999 µs");
  EXPECT_EQ(readable_time(Microseconds(999.6)), "1.00 ms");
  EXPECT_EQ(readable_time(Milliseconds(50.5)), "50.5 ms");
  EXPECT_EQ(readable_time(1250ms), "1.25 s");
  EXPECT_EQ(readable_time(5000s), "5000 s");
  EXPECT_EQ(readable_time(Microseconds(-0.3)), "−300 ns");
  EXPECT_EQ(readable_time(Microseconds(-0.0001)), "0.00 µs") << "no minus sign before nothing";
}

TEST(ReadableTime, TellsMoreDigitsWhereTwoTimesAreWeighed) {
  EXPECT_EQ(readable_time(Microseconds(2353.51), 5), "2.3535 ms");
  EXPECT_EQ(readable_time(Microseconds(2353.6), 5), "2.3536 ms");
}

TEST(ReadableFlops, HaveThreeDigitsAndAPrefix) {
  EXPECT_EQ(readable_flops(0), "0 FLOP");
  EXPECT_EQ(readable_flops(999), "999 FLOP");
  EXPECT_EQ(readable_flops(1000), "1.00 kFLOP");
  EXPECT_EQ(readable_flops(9996), "10.0 kFLOP");
  EXPECT_EQ(readable_flops(99960), "100 kFLOP");
  EXPECT_EQ(readable_flops(999600), "1.00 MFLOP");
  EXPECT_EQ(readable_flops(8.207e9), "8.21 GFLOP");
  EXPECT_EQ(readable_flops(6.06e13), "60.6 TFLOP");
  EXPECT_EQ(readable_flops(5e18), "5000 PFLOP");
  EXPECT_EQ(readable_speed(12.34), "12.3 GFLOP/s");
}

TEST(ReadableBytes, HaveNoExponent) {
  EXPECT_EQ(readable_bytes(1010 << 10), "1010 KiB");
  EXPECT_EQ(readable_bytes((1 << 20) - 1), "1 MiB");
  EXPECT_EQ(readable_bytes(3211264), "3.06 MiB");
  EXPECT_EQ(readable_bytes(-2048), "-2 KiB");
}

TEST(MachineLoad, IsBusyWhereOthersWantWhatThreadsNeed) {
  EXPECT_FALSE(is_busy({0.1, 2}, 2)) << "a machine at rest does this and that";
  EXPECT_TRUE(is_busy({1, 2}, 2));
  EXPECT_FALSE(is_busy({1, 2}, 1));
  EXPECT_FALSE(is_busy({0, 2}, 3)) << "threads that wait for one another wait for no others";
}

// Of this process and of those that it has waited for.
double processor_seconds() {
  double sum = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(whose, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return sum;
}

// What this process does itself is not others' work, nor what it has started.
TEST(MachineLoad, CountsOthersOnly) {
  const auto begin = std::chrono::steady_clock::now();
  const double before = processor_seconds();
  const LoadMeter meter;
  EXPECT_FALSE(meter.read()) << "too short to tell";
  const pid_t child = fork();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  volatile double sum = 0;
  while (std::chrono::steady_clock::now() < end) sum = sum + 1;
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const auto load = meter.read();
  if (!load) GTEST_SKIP() << "this system does not say";
  EXPECT_GE(load->others, 0);
  EXPECT_GE(load->processors, 1);
  // What is left of the machine, whoever else was there; counted in hundredths of a second.
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(load->others, load->processors - (processor_seconds() - before) / passed + 0.2);
}

TEST(Suggestion, IsTheNearestNameOrOneThatBeginsSo) {
  const std::vector<std::string> names{"Conv", "ConvTranspose", "mobilenet_v1"};
  EXPECT_EQ(did_you_mean("conv", names, "all"), "did you mean 'Conv'?");
  EXPECT_EQ(did_you_mean("mobile", names, "all"), "did you mean 'mobilenet_v1'?");
  EXPECT_EQ(did_you_mean("nothing", names, "all"), "all");
}

}  // namespace
}  // namespace loopglass
