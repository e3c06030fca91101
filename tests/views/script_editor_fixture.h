// The script of a matrix product, beside its nest.
#pragma once

#include "samples/kernel_samples.h"
#include "tests/views/opened.h"
#include "views/code/code_pane.h"
#include "views/loops/loop_view.h"
#include "views/loops/script_editor.h"
#include "views/text.h"

#include <Qsci/qsciscintilla.h>
#include <QLabel>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

namespace loopglass::views {

inline ModelSource kernel_source(const std::string& name) {
  const samples::KernelSample& sample = *samples::find_kernel_sample(name);
  return {text(name),
          [&sample] { return Result<onnx::Source>(kernel_sample_source(sample)); },
          {},
          text(name)};
}

class ScriptEditorTest : public ::testing::Test {
 protected:
  ScriptEditorTest() : document_(passes::toolchain(), {}), loops_(&document_) {
    document_.open(kernel_source("matmul"));
    EXPECT_TRUE(settled(document_));
    loops_.resize(700, 900);
    loops_.show();
  }

  ScriptEditor& editor() { return *loops_.script(); }
  QsciScintilla& typed() { return *editor().code()->editor(); }
  std::string state() { return editor().findChild<QLabel*>("scriptState")->text().toStdString(); }
  QToolButton* button(const char* name) { return editor().findChild<QToolButton*>(name); }
  // As who types and waits for the verdict.
  void write(const QString& script) {
    typed().setText(script);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !QString::fromStdString(state()).contains("…"); }));
    ASSERT_TRUE(settled(document_));
  }
  void click(int line) {
    typed().setCursorPosition(line - 1, 0);
    emit editor().code()->lineClicked(line);
  }
  std::string nest() { return loops_.code()->text().toStdString(); }
  std::size_t schedule_steps() { return document_.kernels().kernel()->stages->schedule.size(); }

  Document document_;
  LoopView loops_;
};

}  // namespace loopglass::views
