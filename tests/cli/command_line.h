// Runs the built loopglassc and keeps what it said, with a sample cache of its own.
#pragma once

#include "tests/schemas/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace loopglass::app {

using Json = nlohmann::json;

struct Said {
  int exit_code = -1;
  std::string out, error;
  Json json() const { return Json::parse(out); }
};

class CommandLine : public ::testing::Test {
 protected:
  CommandLine() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "loopglass-cli-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("LOOPGLASS_CACHE", (folder_ / "cache").c_str(), 1);
  }
  ~CommandLine() override { std::filesystem::remove_all(folder_); }

  Said run(const std::string& words) const {
    const auto out = folder_ / "out", error = folder_ / "error";
    const std::string command =
        std::string(LOOPGLASSC) + " " + words + " >" + out.string() + " 2>" + error.string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(out), read(error)};
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
};

}  // namespace loopglass::app
