// Files that processes write at once, and that are killed while they do.
#include "core/support/file_lock.h"
#include "core/support/whole_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

namespace loopglass {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "loopglass-files-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  // In a process of its own.
  static pid_t start(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    work();
    ::_exit(0);
  }
  static int status_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  fs::path folder_;
};

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Files, AreThereWholeAndTakeThePlaceOfWhatWas) {
  const fs::path file = folder_ / "new" / "file";
  ASSERT_TRUE(make_folder_of(file));
  ASSERT_TRUE(write_file(file, "one"));
  EXPECT_EQ(text_of(file), "one");
  ASSERT_TRUE(write_file(file, "two"));
  EXPECT_EQ(text_of(file), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "new"), fs::directory_iterator()), 1);
}

TEST_F(Files, ALinkStaysOneAndWhatItLeadsToIsWritten) {
  ASSERT_TRUE(write_file(folder_ / "target", "old"));
  fs::create_symlink("target", folder_ / "link");
  ASSERT_TRUE(write_file(folder_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "target"), "new");
  EXPECT_THAT(names(), ElementsAre("link", "target"));
}

TEST_F(Files, WhatIsNotPutInPlaceIsDropped) {
  ASSERT_TRUE(write_file(folder_ / "file", "old"));
  {
    auto unfinished = WholeFile::create(folder_ / "file");
    ASSERT_TRUE(unfinished);
    ASSERT_TRUE(unfinished->write("half"));
    EXPECT_EQ(text_of(folder_ / "file"), "old");
  }
  EXPECT_EQ(text_of(folder_ / "file"), "old");
  EXPECT_THAT(names(), ElementsAre("file"));
}

// Also where it was killed between its writing and its renaming: the next writer tidies up.
// What is written to a pipe is read from it, and it is still one.
TEST_F(Files, PipesAreWrittenToAndStay) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(write_file(pipe, "a script"));
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 8);
  EXPECT_STREQ(text, "a script");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_TRUE(write_file("/dev/null", "nothing"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, AKilledWriterLeavesNothing) {
  for (int kill = 0; kill < 20; ++kill) {
    const int status = status_of(start([&] {
      auto file = WholeFile::create(folder_ / "file");
      if (!file || !file->write(std::string(100000, 'x'))) ::_exit(1);
      ::raise(SIGKILL);
    }));
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  ASSERT_TRUE(write_file(folder_ / "file", "whole"));
  EXPECT_THAT(names(), ElementsAre("file"));
}

// As an older version, or a file system without nameless files, leaves them; but not what somebody
// is still writing, nor what only looks like it.
TEST_F(Files, OnlyWhatNobodyWillFinishIsRemoved) {
  for (const char* name : {"a.onnx.12.partial", "a.onnx.12-3.partial", "b.onnx.7.partial",
                           "a.onnx.film.partial", "a.onnx", "alive.5-0.partial"})
    std::ofstream(folder_ / name) << "half";
  const int alive = ::open((folder_ / "alive.5-0.partial").c_str(), O_RDWR);
  ASSERT_EQ(::flock(alive, LOCK_EX), 0);
  ASSERT_TRUE(write_file(folder_ / "a.onnx", "whole"));
  EXPECT_THAT(names(), ElementsAre("a.onnx", "a.onnx.film.partial", "alive.5-0.partial",
                                   "b.onnx.7.partial"));
  remove_abandoned(folder_);
  EXPECT_THAT(names(), ElementsAre("a.onnx", "a.onnx.film.partial", "alive.5-0.partial"));
  ::close(alive);
  remove_abandoned(folder_);
  EXPECT_THAT(names(), ElementsAre("a.onnx", "a.onnx.film.partial"));
}

TEST_F(Files, WhatCannotBeWrittenIsADiagnostic) {
  ASSERT_TRUE(write_file(folder_ / "file", "in the way"));
  for (const fs::path& path : {folder_ / "file" / "below", folder_}) {
    const auto written = write_file(path, "text");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code, Code::FileUnwritable);
    EXPECT_EQ(written.error().where, path.string());
  }
  EXPECT_EQ(FileLock::take(folder_ / "file" / "below").error().code, Code::FileUnwritable);
  EXPECT_THAT(names(), ElementsAre("file"));
}

// A folder that is not there is a slip of the pen, and is not made.
TEST_F(Files, AFolderThatIsNotThereIsNamedAndNotMade) {
  const auto written = write_file(folder_ / "reports" / "may" / "file", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::FileUnwritable);
  EXPECT_EQ(written.error().what, "the file cannot be written: there is no folder '" +
                                      (folder_ / "reports" / "may").string() + "'");
  EXPECT_THAT(names(), IsEmpty());
}

// Each reads a number and writes the next one: none is lost, although some are killed, now and then
// while they hold the lock.
TEST_F(Files, ALockKeepsReadingAndWritingTogether) {
  const fs::path file = folder_ / "count";
  ASSERT_TRUE(write_file(file, "0"));
  constexpr int processes = 6, each = 40;
  std::vector<pid_t> children;
  for (int child = 0; child < processes; ++child)
    children.push_back(start([&] {
      for (int i = 0; i < each; ++i) {
        const auto lock = FileLock::take(file);
        if (!lock || !write_file(file, std::to_string(std::stoi(text_of(file)) + 1))) ::_exit(1);
      }
      const auto lock = FileLock::take(file);
      ::raise(SIGKILL);
    }));
  for (const pid_t child : children) EXPECT_TRUE(WIFSIGNALED(status_of(child)));
  EXPECT_EQ(text_of(file), std::to_string(processes * each));
  EXPECT_THAT(names(), ElementsAre("count", "count.lock"));
}

}  // namespace
}  // namespace loopglass
