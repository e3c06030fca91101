// Where a kernel's time goes, beside its assembly.
#include "views/assembly/code_times.h"

#include "tests/views/measured.h"
#include "views/assembly/assembly_view.h"
#include "views/code/code_pane.h"

#include <Qsci/qsciscintilla.h>
#include <QLabel>
#include <QPushButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

TEST(CodeTimes, StandBesideTheLinesOfTheCodeThatWasMeasured) {
  Document document(passes::toolchain(), options_with_workers());
  AssemblyView view(&document);
  auto* measure = view.findChild<QPushButton*>("measureCode");
  ASSERT_TRUE(measure);
  EXPECT_FALSE(measure->isEnabled()) << "there is no kernel";
  open_product(document, 128, 256);
  ASSERT_TRUE(settled(document));
  ASSERT_TRUE(document.kernels().machine_code());
  ASSERT_TRUE(measure->isEnabled());
  EXPECT_FALSE(view.times()->profile());
  measure->click();
  ASSERT_TRUE(settled(document));
  const measure::CodeProfile* profile = view.times()->profile();
  ASSERT_TRUE(profile);
  EXPECT_GT(profile->all, 20);
  const auto* lines = document.kernels().assembly_lines();
  QsciScintilla* editor = view.code()->editor();
  std::size_t told = 0;
  for (std::size_t line = 0; line < lines->size(); ++line) {
    char shown[64] = {};
    editor->SendScintilla(QsciScintilla::SCI_MARGINGETTEXT, static_cast<unsigned long>(line),
                          shown);
    EXPECT_EQ(shown[0] != 0, profile->share(line) >= 0.001) << line;
    told += shown[0] != 0;
  }
  EXPECT_GT(told, 0u);
  EXPECT_GT(editor->marginWidth(4), 0);
  EXPECT_THAT(view.times()->words().toStdString(), ::testing::HasSubstr("an innermost loop"));

  // Another kernel's code has nothing beside it.
  open_product(document, 64, 32);
  ASSERT_TRUE(settled(document));
  EXPECT_FALSE(view.times()->profile());
  EXPECT_EQ(editor->marginWidth(4), 0);
  EXPECT_TRUE(view.times()->words().isEmpty());
}

}  // namespace
}  // namespace loopglass::views
