// The model's file under an open window: changed, cut short, replaced, gone. What was read stays
// whole, and what cannot be read again says so.
#include "core/onnx/export.h"
#include "samples/network.h"
#include "tests/views/opened.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <fstream>

namespace loopglass::views {
namespace {

namespace fs = std::filesystem;

graph::Graph layers(int count) {
  samples::Network network("layers");
  graph::ValueId x = network.input("x", {1, 32});
  for (int i = 0; i < count; ++i)
    x = network.relu("relu" + std::to_string(i), network.dense("dense" + std::to_string(i), x, 32));
  return std::move(network).finish({x}).value();
}

// Each: what may happen to the file, and what opening it again then says; None: it opens.
struct Fate {
  const char* name;
  void (*befall)(const fs::path& file);
  std::optional<Code> code;
};

class ChangedModelTest : public testing::TestWithParam<Fate> {
 protected:
  ChangedModelTest()
      : file_(folder_.filePath("model.onnx").toStdString()), document_(passes::toolchain()) {
    EXPECT_TRUE(onnx::write(layers(3), file_));
    QObject::connect(&document_, &Document::failed,
                     [this](const Diagnostic& d) { problems_.push_back(d); });
    document_.open(file_);
    EXPECT_TRUE(settled(document_));
    EXPECT_TRUE(document_.kernels().machine_code());
  }

  QTemporaryDir folder_;
  fs::path file_;
  Document document_;
  std::vector<Diagnostic> problems_;
};

// Every stage below the model goes on as before: other kernels, plans, passes, and running it.
TEST_P(ChangedModelTest, WhatWasReadStaysWhole) {
  GetParam().befall(file_);
  for (const fusion::Group& group : document_.fusion().plan()->groups) {
    document_.kernels().select(group.id);
    ASSERT_TRUE(settled(document_));
    EXPECT_TRUE(document_.kernels().machine_code());
  }
  document_.history().set_step(0);
  document_.set_strategy("none");
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.set_pipeline("fold-constants"));
  document_.benchmark().start(1, 3);
  ASSERT_TRUE(settled(document_));
  EXPECT_EQ(document_.history().last_graph()->nodes().size(), 6u);
  document_.benchmark().start(1, 3);
  ASSERT_TRUE(settled(document_));
  EXPECT_TRUE(document_.benchmark().report());
  EXPECT_TRUE(problems_.empty()) << to_string(problems_.front());
}

// While a benchmark runs, the file is another and is opened again.
TEST_P(ChangedModelTest, OpenedAgainItIsWhatTheFileIsNow) {
  document_.benchmark().start(1, 1'000'000);
  ASSERT_TRUE(eventually([&] { return !document_.benchmark().round_times().empty(); }));
  GetParam().befall(file_);
  document_.open(file_);
  if (GetParam().code) {
    ASSERT_TRUE(eventually([&] { return !problems_.empty(); }));
    document_.benchmark().stop();  // of the model that stays
  }
  ASSERT_TRUE(settled(document_));
  if (!GetParam().code) {
    ASSERT_TRUE(document_.model());
    EXPECT_EQ(document_.model()->graph.nodes().size(), 10u);
    EXPECT_TRUE(document_.kernels().machine_code());
    EXPECT_TRUE(problems_.empty()) << to_string(problems_.front());
  } else {
    ASSERT_EQ(problems_.size(), 1u);
    EXPECT_EQ(problems_.front().code, *GetParam().code) << to_string(problems_.front());
    ASSERT_TRUE(document_.model()) << "what was open stays open";
    EXPECT_EQ(document_.model()->graph.nodes().size(), 6u);
    EXPECT_TRUE(document_.kernels().machine_code());
  }
  // Whatever became of it, the next model opens.
  fs::remove_all(file_);
  ASSERT_TRUE(onnx::write(layers(2), file_));
  document_.open(file_);
  ASSERT_TRUE(settled(document_));
  ASSERT_TRUE(document_.model());
  EXPECT_EQ(document_.model()->graph.nodes().size(), 4u);
  EXPECT_TRUE(document_.kernels().machine_code());
}

const Fate fates[] = {
    {"Deleted", [](const fs::path& file) { fs::remove(file); }, Code::ModelUnreadable},
    {"Truncated", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); },
     Code::ModelCorrupt},
    {"Emptied", [](const fs::path& file) { fs::resize_file(file, 0); }, Code::ModelCorrupt},
    {"OverwrittenByGarbage",
     [](const fs::path& file) { std::ofstream(file) << "this is not a protocol buffer"; },
     Code::ModelCorrupt},
    {"ReplacedByAFolder",
     [](const fs::path& file) {
       fs::remove(file);
       fs::create_directories(file / "in");
     },
     Code::ModelUnreadable},
    {"ReplacedByAnotherNetwork",
     [](const fs::path& file) { ASSERT_TRUE(onnx::write(layers(5), file)); }, std::nullopt},
};
INSTANTIATE_TEST_SUITE_P(File, ChangedModelTest, testing::ValuesIn(fates),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace loopglass::views
