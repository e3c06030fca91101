// What a process may take of the machine, and threads where it may have few.
#include "core/support/concurrently.h"
#include "core/support/control_groups.h"
#include "core/support/machine_processors.h"
#include "tests/support/few_threads.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <fstream>
#include <stdexcept>

namespace loopglass {
namespace {

namespace fs = std::filesystem;

// A file tree in which a process is in control groups.
class System : public ::testing::Test {
 protected:
  System() {
    std::string pattern = (fs::temp_directory_path() / "loopglass-system-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~System() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void write_mounts(const std::string& lines) const {
    write("proc/self/mountinfo", "22 27 0:21 / /proc rw,relatime - proc proc rw\n" + lines);
  }
  std::optional<double> quota() const { return machine_processors(root_).quota; }

  fs::path root_;
};

TEST_F(System, WithoutControlGroupsThereIsNoQuota) {
  EXPECT_TRUE(control_groups("cpu", root_).empty());
  EXPECT_FALSE(quota());
}

// Version 2: every group on the way out counts, the tightest decides.
TEST_F(System, TheTightestQuotaOnTheWayOutDecides) {
  write("proc/self/cgroup", "0::/jobs/mine\n");
  write_mounts("31 23 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  write("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
  EXPECT_FALSE(quota());
  write("sys/fs/cgroup/jobs/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("sys/fs/cgroup/jobs/mine/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 1.5);
  write("sys/fs/cgroup/cpu.max", "20000 100000\n");
  EXPECT_EQ(quota(), 0.2);
}

// A container without a namespace of its own: its group's path is the host's, of which only the
// group itself is mounted.
TEST_F(System, AGroupIsFoundWhereItIsMounted) {
  write("proc/self/cgroup", "4:memory:/box/7\n3:cpu,cpuacct:/box/7/inner\n0::/\n");
  write_mounts("32 31 0:29 /box/7 /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(quota());
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/inner/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 2.5);
  const auto groups = control_groups("cpu", root_);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].version, 1);
  EXPECT_EQ(groups[0].folder, root_ / "sys/fs/cgroup/cpu,cpuacct/inner");
}

// A container that sees itself as the top, or whose group lies outside of what is mounted.
TEST_F(System, OfWhatLiesOutsideOnlyTheTopCanBeSeen) {
  write("proc/self/cgroup", "0::/../../other\n");
  write_mounts("31 23 0:28 / /sys/fs/cgroup\\0402 rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup 2/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(System, NonsenseIsNoQuota) {
  write("proc/self/cgroup", "\n:\n0::/\n");
  write_mounts("31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n31 - \n");
  for (const char* text : {"", "fast", "0 100000", "100000", "100000 0", "-5 100000"}) {
    write("sys/fs/cgroup/cpu.max", text);
    EXPECT_FALSE(quota()) << text;
  }
}

TEST(MachineProcessors, AffinityAndQuotaDecide) {
  EXPECT_EQ((MachineProcessors{8, 8, {}}).usable(), 8);
  EXPECT_EQ((MachineProcessors{8, 3, {}}).usable(), 3);
  EXPECT_EQ((MachineProcessors{8, 8, 1.5}).usable(), 2);
  EXPECT_EQ((MachineProcessors{8, 1, 1.5}).usable(), 1);
  EXPECT_EQ((MachineProcessors{8, 8, 0.01}).usable(), 1);
  EXPECT_EQ((MachineProcessors{8, 8, 1e30}).usable(), 8);
  EXPECT_EQ(to_string(MachineProcessors{8, 3, 1.5}),
            "2 of 8 processors usable (affinity 3, quota 1.5)");
  EXPECT_EQ(to_string(MachineProcessors{1, 1, {}}), "1 of 1 processor usable");
}

TEST(MachineProcessors, FollowTheAffinityOfTheProcess) {
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(machine_processors().allowed, CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(machine_processors().allowed, 1);
  EXPECT_EQ(machine_processors().usable(), 1);
  ::sched_setaffinity(0, sizeof before, &before);
}

TEST(RunOnThreads, TheWorkIsDoneOnAnyNumberOfThreads) {
  for (const int threads : {-1, 0, 1, 2, 5}) {
    std::atomic<int> next = 0, done = 0;
    run_on_threads(threads, [&] {
      while (next++ < 100) ++done;
    });
    EXPECT_EQ(done, 100) << threads;
  }
}

TEST(RunOnThreads, WhereNoMoreThreadsCanBeMadeThoseThatThereAreDo) {
  if (!test::FewThreads::possible()) GTEST_SKIP();
  std::atomic<int> next = 0, done = 0, threads = 0;
  {
    const test::FewThreads few(24 << 20);
    run_on_threads(500, [&] {
      ++threads;
      while (next++ < 100) ++done;
    });
  }
  EXPECT_EQ(done, 100);
  EXPECT_GE(threads, 1);
  EXPECT_LT(threads, 500);
}

TEST(RunOnThreads, AnExceptionComesOutWhenAllHaveEnded) {
  std::atomic<int> ended = 0;
  EXPECT_THROW(run_on_threads(3,
                              [&] {
                                if (ended++ == 0) throw std::runtime_error("no");
                              }),
               std::runtime_error);
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace loopglass
