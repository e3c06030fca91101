// Frames come whole or not at all, whatever the other end says.
#include "core/measure/frame.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace loopglass::measure {
namespace {

class FrameTest : public ::testing::Test {
 protected:
  FrameTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~FrameTest() override {
    for (const int end : ends_)
      if (end >= 0) ::close(end);
  }
  void say(const std::string& bytes) {
    ASSERT_EQ(::write(ends_[0], bytes.data(), bytes.size()), std::ssize(bytes));
  }
  void hang_up() { ::close(std::exchange(ends_[0], -1)); }
  FrameProblem problem(const Patience& patience = {}) {
    const auto frame = read_frame(ends_[1], patience);
    EXPECT_FALSE(frame);
    return frame ? FrameProblem::Refused : frame.error().problem;
  }
  // As they stand in a header.
  static std::string header(std::uint32_t version, std::array<std::uint64_t, 4> numbers) {
    std::string bytes = "LGFR";
    bytes.append(reinterpret_cast<const char*>(&version), sizeof(version));
    return bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
  }

  std::array<int, 2> ends_{-1, -1};
};

TEST_F(FrameTest, ComeAsTheyWere) {
  const Frame frame{7, "kernel", "{}", std::string(5 << 20, '\x81')};
  std::thread writer([&] { EXPECT_TRUE(write_frame(ends_[0], frame)); });
  const auto read = read_frame(ends_[1]);
  writer.join();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->number, 7u);
  EXPECT_EQ(read->job, "kernel");
  EXPECT_EQ(read->text, "{}");
  EXPECT_EQ(read->bytes, frame.bytes);
}

TEST_F(FrameTest, TheEndBetweenTwoIsNoTear) {
  hang_up();
  EXPECT_EQ(problem(), FrameProblem::Closed);
}

TEST_F(FrameTest, WhereverOneIsTornItIsNotTaken) {
  const std::string whole = header(frame_version, {1, 3, 2, 4}) + "job{}1234";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    ASSERT_EQ(::write(ends[0], whole.data(), size), static_cast<ssize_t>(size));
    ::close(ends[0]);
    const auto frame = read_frame(ends[1]);
    ASSERT_FALSE(frame) << size;
    EXPECT_EQ(frame.error().problem, FrameProblem::Torn) << size;
    ::close(ends[1]);
  }
}

TEST_F(FrameTest, WhatIsNoneIsRefused) {
  say(std::string(100, 'x'));
  EXPECT_EQ(problem(), FrameProblem::Unreadable);
}

TEST_F(FrameTest, AnotherVersionIsSaid) {
  say(header(frame_version + 1, {}));
  const auto frame = read_frame(ends_[1]);
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().problem, FrameProblem::OtherVersion);
  EXPECT_EQ(frame.error().what, fmt::format("the other end speaks version {}, this one {}",
                                            frame_version + 1, frame_version));
}

TEST_F(FrameTest, LongerThanAnyIsRefusedBeforeItIsRead) {
  for (std::size_t part = 1; part < 4; ++part) {
    std::array<std::uint64_t, 4> numbers{};
    numbers[part] = ~std::uint64_t{0};
    say(header(frame_version, numbers));
    EXPECT_EQ(problem(), FrameProblem::Unreadable) << part;
  }
}

// Four gigabytes are promised and five bytes come: no more is allocated than a piece.
TEST_F(FrameTest, APromiseAllocatesNothing) {
  say(header(frame_version, {1, 0, 0, longest_bytes}) + "bytes");
  hang_up();
  const auto mapped = [] {
    std::uint64_t total = 0;
    std::ifstream("/proc/self/statm") >> total;  // pages of address space
    return total * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  };
  const std::uint64_t before = mapped();
  EXPECT_EQ(problem(), FrameProblem::Torn);
  EXPECT_LT(mapped(), before + (64 << 20));
}

TEST_F(FrameTest, WaitingEnds) {
  ASSERT_EQ(::fcntl(ends_[1], F_SETFL, O_NONBLOCK), 0);
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(problem({soon, {}}), FrameProblem::Late);
  const Cancellation cancelled;
  cancelled.request();
  EXPECT_EQ(problem({{}, cancelled}), FrameProblem::Cancelled);
}

TEST_F(FrameTest, AReaderThatIsGoneIsNoSignal) {
  hang_up();
  const auto said = write_frame(ends_[1], {1, "job", std::string(1 << 20, 'x'), {}});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().problem, FrameProblem::Closed);
}

}  // namespace
}  // namespace loopglass::measure
