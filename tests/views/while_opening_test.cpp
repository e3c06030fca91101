// What somebody asks for while another model is being opened is about that one.
#include "tests/views/session_window.h"
#include "views/document/lanes.h"
#include "views/document/stage_page.h"
#include "views/fusion/fusion_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"

#include <QLabel>
#include <QSignalSpy>

namespace loopglass::app {
namespace {

class WhileOpening : public WithSessions {
 protected:
  std::unique_ptr<SessionWindow> with(const char* sample) {
    auto used = window();
    used->window.open(sample);
    EXPECT_TRUE(used->settled());
    EXPECT_TRUE(used->document.fusion().plan());
    return used;
  }
  static void begin_opening(SessionWindow& used, const QString& model) {
    used.window.open(model);
    ASSERT_TRUE(used.document.jobs().busy(views::lanes::opening));
    ASSERT_TRUE(used.document.model()) << "what is open stays until the other one is there";
  }
};

TEST_F(WhileOpening, ABenchmarkWaitsForTheModelThatComes) {
  auto used = with("lenet");
  begin_opening(*used, "mlp");
  used->document.benchmark().start(1, 3);
  EXPECT_TRUE(used->document.benchmark().waits());
  EXPECT_NE(used->document.state(views::Stage::Benchmark), views::StageState::Working);
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(used->document.benchmark().waits());
  EXPECT_EQ(used->document.title(), "MLP");
  ASSERT_TRUE(used->document.benchmark().report());
  EXPECT_EQ(used->document.benchmark().report()->kernels.size(),
            used->document.fusion().plan()->groups.size());
}

TEST_F(WhileOpening, ABenchmarkOfWhatDoesNotOpenIsForgotten) {
  auto used = with("mlp");
  begin_opening(*used, folder_.filePath("none.onnx"));
  used->document.benchmark().start(1, 3);
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(used->document.benchmark().waits());
  EXPECT_FALSE(used->document.benchmark().report()) << "nobody asked for one of what is open";
  begin_opening(*used, "lenet");
  used->document.benchmark().start(1, 3);
  used->document.benchmark().stop();
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(used->document.benchmark().report());
}

TEST_F(WhileOpening, ASecondCanvasOpensWithTheModelThatComes) {
  auto used = with("lenet");
  views::BesideCanvas& beside = *used->window.panes().graph()->beside();
  begin_opening(*used, "mlp");
  beside.toggle();
  EXPECT_FALSE(beside.is_open());
  ASSERT_TRUE(used->settled());
  EXPECT_TRUE(beside.is_open());
  // And not with another one, where nothing came of this one.
  beside.toggle();
  ASSERT_FALSE(beside.is_open());
  begin_opening(*used, folder_.filePath("none.onnx"));
  beside.toggle();
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(beside.is_open());
  used->window.open("lenet");
  ASSERT_TRUE(used->settled());
  EXPECT_FALSE(beside.is_open());
}

// One sentence, and a way to do it; the pages behind it say nothing of their own.
TEST_F(WhileOpening, WithoutAModelAPaneSaysOnceHowToOpenOne) {
  views::Document document(passes::toolchain());
  views::FusionView view(&document);
  view.resize(900, 600);
  view.show();
  QLabel* message = nullptr;
  for (QLabel* label : view.findChildren<QLabel*>())
    if (label->text().contains("Open a model")) {
      EXPECT_EQ(message, nullptr) << label->text().toStdString();
      message = label;
    }
  ASSERT_TRUE(message);
  QSignalSpy wanted(&document, &views::Document::modelWanted);
  emit message->linkActivated("open");
  EXPECT_EQ(wanted.count(), 1);
}

// A window that goes while its kernel's code is being made again keeps the step it stands at.
TEST_F(WhileOpening, TheStepOfTheNestIsKeptWhileCodeIsMade) {
  {
    auto used = with("lenet");
    used->document.kernels().set_loop_step(3);
    used->sessions().flush();
  }
  auto again = window();
  int seen = 0;
  QObject::connect(&again->document.kernels(), &views::KernelStage::loopStepChanged, &again->window,
                   [&] {
                     if (again->document.kernels().loop_step() != 3) return;
                     ++seen;
                     EXPECT_EQ(again->sessions().session()->loop_step, 3u);
                   });
  QObject::connect(&again->document, &views::Document::stageChanged, &again->window, [&] {
    if (seen > 0) {
      EXPECT_EQ(again->sessions().session()->loop_step, 3u);
    }
  });
  ASSERT_TRUE(again->sessions().restore());
  ASSERT_TRUE(again->settled());
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace loopglass::app
