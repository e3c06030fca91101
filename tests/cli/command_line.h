// Runs loopglassc's commands and keeps what they said, with a sample cache of their own.
#pragma once

#include "tests/cli/circumstances.h"
#include "tests/schemas/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <wordexp.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace loopglass::app {

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "loopglass-cli-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("LOOPGLASS_CACHE", (folder_ / "cache").c_str(), 1);
    copy_roofs(known_roofs(), folder_ / "cache");
  }
  ~CommandLine() override {
    if (!HasFailure()) copy_roofs(folder_ / "cache", known_roofs());
    std::filesystem::remove_all(folder_);
  }

  // `line` as after "loopglassc " in a shell, which reads it where there is more in it than words.
  Said run(const std::string& line) const {
    wordexp_t expanded;
    const int problem = ::wordexp(line.c_str(), &expanded, WRDE_NOCMD);
    if (problem == 0) {
      const Words words(expanded.we_wordv, expanded.we_wordv + expanded.we_wordc);
      ::wordfree(&expanded);
      return run_in({.folder = std::filesystem::current_path()}, command_line_here, words, folder_);
    }
    return run_in({.folder = std::filesystem::current_path()}, "/bin/sh",
                  {"-c", std::string(LOOPGLASSC) + " " + line}, folder_);
  }
  // A file of this name and text: its path.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // What the command says with --json, which has the form that its schema describes.
  Json json(const std::string& words, int exit_code = 0) const {
    const Said said = run(words + " --json");
    EXPECT_EQ(said.exit_code, exit_code) << words << ": " << said.error;
    Json document = said.json();
    EXPECT_EQ(schema_problems(document), "") << words;
    return document;
  }
  // It ends so, with this among what it says on the error stream, and prints nothing.
  void refused(const std::string& words, int exit_code, const std::string& message) const {
    const Said said = run(words);
    EXPECT_EQ(said.exit_code, exit_code) << words << ": " << said.error;
    EXPECT_THAT(said.error, ::testing::HasSubstr(message)) << words;
    EXPECT_TRUE(said.out.empty()) << words;
  }
  static std::string read(const std::filesystem::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;

 private:
  // What this machine gives at most takes seconds of all its cores: measured once for all tests.
  static std::filesystem::path known_roofs() {
    return std::filesystem::path(LOOPGLASSC).parent_path().parent_path() / "roofs_for_tests";
  }
  // Those that lie in a cache, to another that lacks them.
  static void copy_roofs(const std::filesystem::path& from, const std::filesystem::path& to) {
    namespace fs = std::filesystem;
    std::error_code none;
    for (const auto& file : fs::recursive_directory_iterator(from, none)) {
      const fs::path& path = file.path();
      const fs::path copy = to / fs::relative(path, from);
      if (path.extension() != ".json" || path.string().find(".roofs-") == std::string::npos ||
          fs::exists(copy))
        continue;
      fs::create_directories(copy.parent_path());
      // Other tests look at the same time.
      const fs::path whole = copy.string() + "." + std::to_string(::getpid());
      fs::copy_file(path, whole);
      fs::rename(whole, copy);
    }
  }
};

}  // namespace loopglass::app
