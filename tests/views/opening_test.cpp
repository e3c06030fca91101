// Opening models in the window: what is open stays until another one is, recent models, and what is
// asked where a model leaves dimensions open.
#include "app/window/main_window.h"
#include "app/window/recent_models.h"
#include "app/window/shape_dialog.h"
#include "tests/onnx/proto_model.h"
#include "tests/views/opened.h"
#include "views/dominators/dominator_view.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace loopglass::app {
namespace {

class OpeningTest : public testing::Test {
 protected:
  OpeningTest()
      : settings_(folder_.filePath("settings.ini"), QSettings::IniFormat),
        document_(passes::toolchain()),
        window_(&document_, &settings_) {
    window_.resize(1280, 720);
    window_.show();
    window_.workspaces().use("explore");
  }
  QString file(const char* name) const { return folder_.filePath(name); }

  QTemporaryDir folder_;
  QSettings settings_;
  views::Document document_;
  MainWindow window_;
};

// What later stages make comes with the model: nobody is asked to open one meanwhile.
TEST_F(OpeningTest, PagesWaitForTheModelThatIsOnItsWay) {
  const auto* tree = window_.panes().dominators();
  const auto says = [&](const QString& words) {
    return std::ranges::any_of(tree->findChildren<QLabel*>(),
                               [&](const QLabel* label) { return label->text().contains(words); });
  };
  EXPECT_TRUE(says("Open a model"));
  document_.open(views::sample_source("mlp"));
  ASSERT_EQ(document_.state(views::Stage::Model), views::StageState::Working);
  EXPECT_FALSE(says("Open a model"));
  EXPECT_TRUE(says("Working…"));
  ASSERT_TRUE(views::settled(document_));
}

TEST_F(OpeningTest, WhatCannotBeOpenedLeavesTheModelAndTheRecentOnes) {
  window_.open_and_ask("mlp");
  ASSERT_TRUE(views::settled(document_));
  const auto model = document_.model();
  ASSERT_TRUE(model);
  std::ofstream(file("broken.onnx").toStdString()) << "no model";
  std::vector<Diagnostic> told;
  QObject::connect(&window_, &MainWindow::told, &window_,
                   [&](const Diagnostic& problem) { told.push_back(problem); });
  for (const QString& bad :
       {file("broken.onnx"), file("missing.onnx"), QString("no-such-sample")}) {
    window_.open_and_ask(bad);
    ASSERT_TRUE(views::settled(document_));
    EXPECT_EQ(document_.model(), model) << bad.toStdString();
    EXPECT_TRUE(document_.fusion().plan());
    EXPECT_EQ(document_.source().argument, "mlp");
  }
  EXPECT_EQ(told.size(), 3u);
  const auto recent = window_.recent_models().all();
  ASSERT_EQ(recent.size(), 1u);
  EXPECT_EQ(recent.front().model, "mlp");
}

TEST_F(OpeningTest, RecentModelsKeepTheirInputs) {
  RecentModels recent(&settings_);
  std::ofstream(file("a=b, c.onnx").toStdString()) << "x";
  const onnx::InputBindings inputs{{{"x", {1, 3, 8, 8}}, {"n", {}}}, {{"rate", -3}}};
  recent.add({file("a=b, c.onnx"), inputs});
  recent.add({"lenet", {}});
  const auto all = RecentModels(&settings_).all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].model, "lenet");
  EXPECT_EQ(all[1].model, file("a=b, c.onnx"));
  EXPECT_TRUE(all[1].inputs == inputs);
  QFile::remove(file("a=b, c.onnx"));
  EXPECT_EQ(recent.all().size(), 1u) << "what is gone is not offered";
}

// batch and an unnamed height are open, the same batch in both inputs.
std::vector<onnx::Signature> open_inputs() {
  onnx::Signature x{.name = "x", .type = DataType::Float32};
  x.shape = {{-1, "batch"}, {3, ""}, {-1, "x.2"}, {16, ""}};
  onnx::Signature mask{.name = "mask", .type = DataType::Bool};
  mask.shape = {{-1, "batch"}};
  return {x, mask};
}

TEST_F(OpeningTest, TheDialogAsksForEachSymbolOnce) {
  ShapeDialog dialog("net", open_inputs(), {}, &window_);
  const auto fields = dialog.findChildren<QSpinBox*>();
  ASSERT_EQ(fields.size(), 2);
  EXPECT_EQ(fields[0]->value(), 1) << "a batch";
  EXPECT_EQ(fields[1]->value(), 224) << "a picture";
  fields[0]->setValue(2);
  fields[1]->setValue(32);
  const std::map<std::string, Shape> shapes{{"x", {2, 3, 32, 16}}, {"mask", {2}}};
  EXPECT_EQ(dialog.bindings().shapes, shapes);
  ShapeDialog again("net", open_inputs(), {shapes, {}}, &window_);
  EXPECT_EQ(again.bindings().shapes, shapes);
}

TEST_F(OpeningTest, TheDialogTakesAWholeNumberThatIsAlwaysTheSame) {
  auto inputs = open_inputs();
  inputs.push_back({.name = "rate", .type = DataType::Int64});
  ShapeDialog dialog("net", inputs, {}, &window_);
  EXPECT_TRUE(dialog.bindings().symbols.empty());
  auto* rate = dialog.findChild<QLineEdit*>("rate");
  ASSERT_TRUE(rate);
  auto* open = dialog.findChild<QDialogButtonBox*>()->buttons().back();
  for (QAbstractButton* button : dialog.findChild<QDialogButtonBox*>()->buttons())
    if (button->text().contains("Open")) open = button;
  rate->setText("fast");
  EXPECT_FALSE(open->isEnabled());
  rate->setText("16000");
  EXPECT_TRUE(open->isEnabled());
  EXPECT_EQ(dialog.bindings().symbols, (std::map<std::string, std::int64_t>{{"rate", 16000}}));
  EXPECT_TRUE(dialog.findChild<QLabel*>("shapePreview")->text().contains("--set rate=16000"));
  ShapeDialog again("net", inputs, dialog.bindings(), &window_);
  EXPECT_TRUE(again.bindings() == dialog.bindings());
}

TEST_F(OpeningTest, AModelWithOpenDimensionsAsksFirstAndRemembersTheAnswer) {
  onnx::ProtoModel model;
  model.input("x", {"batch", 4}).output("y", {"batch", 4});
  model.node("Relu", {"x"}, {"y"});
  std::ofstream(file("open.onnx").toStdString(), std::ios::binary) << model.bytes();
  const auto dialog = [this] { return window_.findChild<ShapeDialog*>("shapeDialog"); };

  window_.open_and_ask(file("open.onnx"));
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(dialog());
  EXPECT_FALSE(document_.model());
  dialog()->reject();
  QTest::qWait(1);
  EXPECT_FALSE(document_.model());
  EXPECT_TRUE(window_.recent_models().all().empty());

  window_.open_and_ask(file("open.onnx"));
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(dialog());
  dialog()->findChild<QSpinBox*>()->setValue(7);
  dialog()->accept();
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(document_.history().graph());
  const auto& input =
      document_.history().graph()->value(document_.history().graph()->inputs().front());
  EXPECT_EQ(input.type.shape, (Shape{7, 4}));
  ASSERT_EQ(window_.recent_models().all().size(), 1u);
  EXPECT_EQ(window_.recent_models().all().front().inputs.shapes,
            (std::map<std::string, Shape>{{"x", {7, 4}}}));

  window_.open_and_ask(file("open.onnx"));  // again, as from a file dialog
  ASSERT_TRUE(views::settled(document_));
  ASSERT_TRUE(dialog());
  EXPECT_EQ(dialog()->findChild<QSpinBox*>()->value(), 7);
  EXPECT_TRUE(document_.model()) << "what is open stays while one is asked";
}

}  // namespace
}  // namespace loopglass::app
