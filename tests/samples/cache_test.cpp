// Sample files: written on first use, complete or not at all, and the same network when read again.
#include "core/graph/text.h"
#include "core/loop/interpreter.h"
#include "core/onnx/import.h"
#include "samples/samples.h"

#include <gtest/gtest.h>
#include <cstdlib>
#include <fstream>

namespace loopglass::samples {
namespace {

namespace fs = std::filesystem;

class Cache : public ::testing::Test {
 protected:
  Cache() {
    std::string pattern = (fs::temp_directory_path() / "loopglass-cache-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("LOOPGLASS_CACHE", folder_.c_str(), 1);
  }
  ~Cache() override {
    ::unsetenv("LOOPGLASS_CACHE");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(Cache, KeepsTheFileOfTheFirstUse) {
  const auto first = sample_path(*find_sample("lenet"));
  ASSERT_TRUE(first) << to_string(first.error());
  EXPECT_TRUE(first->string().starts_with(folder_.string()));
  const auto written = fs::last_write_time(*first);
  EXPECT_EQ(*sample_path(*find_sample("lenet")), *first);
  EXPECT_EQ(fs::last_write_time(*first), written);
  // Nothing half-written is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(first->parent_path()), fs::directory_iterator()),
            1);
}

TEST_F(Cache, FilesReadBackAsTheSameNetwork) {
  onnx::ImportOptions options;
  options.evaluate = loop::evaluate;
  for (const char* name : {"mlp", "lenet", "mobilenet_v1", "encoder"}) {
    const auto model = onnx::import(*sample_path(*find_sample(name)), options);
    ASSERT_TRUE(model) << to_string(model.error());
    const auto built = find_sample(name)->build(0);
    ASSERT_EQ(model->graph.nodes().size(), built->nodes().size()) << name;
    for (std::size_t i = 0; i < built->nodes().size(); ++i) {
      const graph::Node &read = *model->graph.nodes()[i], &made = *built->nodes()[i];
      EXPECT_EQ(read.name, made.name);
      EXPECT_EQ(read.op, made.op);
      EXPECT_EQ(model->graph.value(read.outputs[0]).type, built->value(made.outputs[0]).type)
          << made.name;
    }
  }
}

TEST_F(Cache, SaysWhereItCannotWrite) {
  std::ofstream(folder_ / "file") << "in the way";
  ::setenv("LOOPGLASS_CACHE", (folder_ / "file").c_str(), 1);
  const auto path = sample_path(*find_sample("lenet"));
  ASSERT_FALSE(path);
  EXPECT_EQ(path.error().code, Code::FileUnwritable);
}

// Made in memory, it is the same network, and whoever opens it is told.
TEST_F(Cache, SamplesOpenWhereItCannotBeWritten) {
  onnx::ImportOptions options;
  options.evaluate = loop::evaluate;
  const onnx::Source kept = *sample_source(*find_sample("lenet"));
  EXPECT_FALSE(kept.bytes);
  const auto from_file = onnx::import(kept, options);
  ASSERT_TRUE(from_file) << to_string(from_file.error());

  std::ofstream(folder_ / "file") << "in the way";
  ::setenv("LOOPGLASS_CACHE", (folder_ / "file").c_str(), 1);
  const auto made = sample_source(*find_sample("lenet"));
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_TRUE(made->bytes);
  const auto from_memory = onnx::import(*made, options);
  ASSERT_TRUE(from_memory) << to_string(from_memory.error());
  EXPECT_EQ(graph::to_text(from_memory->graph), graph::to_text(from_file->graph));
  ASSERT_EQ(from_memory->notes.size(), from_file->notes.size() + 1);
  EXPECT_NE(from_memory->notes[0].text.find((folder_ / "file").string()), std::string::npos);
}

// Whoever was killed while writing left it; whoever writes another sample removes it.
TEST_F(Cache, WhatKilledWritersLeftIsRemoved) {
  const fs::path cache = sample_path(*find_sample("lenet"))->parent_path();
  std::ofstream(cache / "vgg16.onnx.4711.partial") << "half";
  ASSERT_TRUE(sample_path(*find_sample("lenet")));
  ASSERT_TRUE(sample_path(*find_sample("mlp")));
  EXPECT_FALSE(fs::exists(cache / "vgg16.onnx.4711.partial"));
  EXPECT_EQ(std::distance(fs::directory_iterator(cache), fs::directory_iterator()), 2);
}

}  // namespace
}  // namespace loopglass::samples
