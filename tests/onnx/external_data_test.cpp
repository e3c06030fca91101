// Weights in files of their own: read from where the model says, and from nowhere outside its
// folder.
#include "tests/onnx/proto_model.h"

#include <sys/stat.h>

namespace loopglass::onnx {
namespace {

namespace fs = std::filesystem;

// A model of two weights whose data is external: `entries` as key and value.
Result<Model> import_with(const fs::path& folder,
                          std::vector<std::pair<std::string, std::string>> entries) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  auto& weights = model.initializer("w", {2}, {});
  weights.set_data_location(::onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : entries) {
    auto* entry = weights.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  model.node("Add", {"x", "w"}, {"y"});
  std::ofstream(folder / "model.onnx", std::ios::binary) << model.bytes();
  return import(folder / "model.onnx", {});
}

// work/model/ is the model's folder; work/secret.bin lies outside it.
class ExternalData : public ::testing::Test {
 protected:
  ExternalData() : home_(work_ / "model") {
    fs::create_directory(home_);
    const float values[] = {0, 1.5f, -2};
    const std::string bytes(reinterpret_cast<const char*>(values), sizeof values);
    work_.save("secret.bin", bytes);
    work_.save("model/weights.bin", bytes);
  }

  Folder work_;
  fs::path home_;
};

TEST_F(ExternalData, IsReadAtItsOffset) {
  const auto model =
      import_with(home_, {{"location", "weights.bin"}, {"offset", "4"}, {"length", "8"}});
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_TRUE(
      model->graph.find_value("w")->constant.same_content(Tensor::of<float>({2}, {1.5f, -2})));
}

TEST_F(ExternalData, MayLieInASubfolderAndBehindALinkThatStaysInside) {
  fs::create_directory(home_ / "data");
  fs::rename(home_ / "weights.bin", home_ / "data" / "weights.bin");
  fs::create_symlink("data/weights.bin", home_ / "link.bin");
  EXPECT_TRUE(import_with(home_, {{"location", "data/weights.bin"}}));
  EXPECT_TRUE(import_with(home_, {{"location", "./link.bin"}}));
}

TEST_F(ExternalData, NeverLeavesTheModelsFolder) {
  const auto refused = [&](const std::string& location) {
    expect_refusal(import_with(home_, {{"location", location}}), Code::ExternalDataRefused,
                   {"tensor 'w'"});
  };
  refused("../secret.bin");
  refused("../model/weights.bin");
  refused("data/../../secret.bin");
  refused((work_ / "secret.bin").string());
  refused("/etc/hostname");
  fs::create_symlink("../secret.bin", home_ / "link.bin");
  refused("link.bin");
  fs::create_directory_symlink("..", home_ / "up");
  refused("up/secret.bin");
  // A neighbour whose name begins like the folder's.
  fs::create_directory(work_ / "model2");
  fs::copy(home_ / "weights.bin", work_ / "model2");
  fs::create_symlink("../model2/weights.bin", home_ / "neighbour.bin");
  refused("neighbour.bin");
}

TEST_F(ExternalData, MustBeARegularFileThatIsLongEnough) {
  const auto refused = [&](std::vector<std::pair<std::string, std::string>> entries) {
    expect_refusal(import_with(home_, std::move(entries)), Code::ExternalDataRefused,
                   {"tensor 'w'"});
  };
  refused({});
  refused({{"location", ""}});
  refused({{"location", "."}});
  refused({{"location", "missing.bin"}});
  refused({{"location", std::string("weights.bin\0.txt", 16)}});
  refused({{"location", "weights.bin"}, {"offset", "8"}});
  refused({{"location", "weights.bin"}, {"offset", "-4"}});
  refused({{"location", "weights.bin"}, {"offset", "9223372036854775807"}});
  refused({{"location", "weights.bin"}, {"offset", "99999999999999999999"}});
  refused({{"location", "weights.bin"}, {"offset", "4x"}});
  refused({{"location", "weights.bin"}, {"length", "4"}});
  ASSERT_EQ(::mkfifo((home_ / "pipe").c_str(), 0600), 0);
  refused({{"location", "pipe"}});
}

}  // namespace
}  // namespace loopglass::onnx
