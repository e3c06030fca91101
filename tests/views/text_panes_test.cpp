// The text panes: what they show of a kernel, how lines are coloured and marked, and that a click
// on a line reaches the others.
#include "tests/views/opened.h"
#include "views/assembly/assembly_view.h"
#include "views/code/bands.h"
#include "views/code/changed_lines.h"
#include "views/code/code_pane.h"
#include "views/code/hot_line.h"
#include "views/code/lexer.h"
#include "views/code/line_notes.h"
#include "views/code/step_chooser.h"
#include "views/document/lookup.h"
#include "views/llvm/llvm_view.h"
#include "views/loops/loop_view.h"
#include "views/loops/script_editor.h"
#include "views/text.h"
#include "views/theme.h"

#include <Qsci/qsciscintilla.h>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolTip>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "for:k in 4:n" : tokens with the first letter of their style.
std::string styled(Language language, std::string_view line) {
  static constexpr std::string_view letters = "-ktnscl";
  std::string text;
  for (const Token& token : tokens_of(language, line)) {
    if (!text.empty()) text += ' ';
    text += std::string(line.substr(token.begin, token.length)) + ':' +
            letters[static_cast<std::size_t>(token.style)];
  }
  return text;
}

TEST(Lexer, LoopNests) {
  EXPECT_EQ(styled(Language::LoopNest, "  for i0 in 16 vectorized {"),
            "for:k in:k 16:n vectorized:t");
  EXPECT_EQ(styled(Language::LoopNest, "Y[i0, 3] = X[i0] * 0.5f  // scaled"),
            "3:n 0.5f:n // scaled:c");
}

TEST(Lexer, ScheduleScripts) {
  EXPECT_EQ(styled(Language::Script, "yo, yi = split(y, [-1, 8], \"a b\")"),
            "split:k 1:n 8:n \"a b\":s");
}

TEST(Lexer, LlvmIr) {
  EXPECT_EQ(styled(Language::LlvmIr, "  %3 = fmul contract <16 x float> %1, %2  ; three"),
            "%3:- fmul:k contract:k 16:n x:t float:t %1:- %2:- ; three:c");
  EXPECT_EQ(styled(Language::LlvmIr, "loop.body:"), "loop.body:l");
}

TEST(Lexer, Assembly) {
  EXPECT_EQ(styled(Language::Assembly, "    vfmadd231ps zmm0, zmm1, dword ptr [rax + 8]  # more"),
            "vfmadd231ps:k zmm0:t zmm1:t rax:t 8:n # more:c");
  EXPECT_EQ(styled(Language::Assembly, ".LBB0_2:"), ".LBB0_2:l");
}

// An unfinished string ends with its line.
TEST(Lexer, SurvivesAnOpenString) { EXPECT_EQ(styled(Language::Script, "x = \"abc"), "\"abc:s"); }

TEST(ChangedLines, AreThoseThatWereNotThereBefore) {
  EXPECT_THAT(changed_lines({"a", "b"}, {"a", "c", "b"}), ElementsAre(2));
  EXPECT_THAT(changed_lines({"a"}, {"a", "a"}), ElementsAre(2));
  EXPECT_THAT(changed_lines({"a", "b"}, {"b"}), IsEmpty());
  EXPECT_THAT(changed_lines({"a", "b"}, {"b", "a"}), IsEmpty());
  EXPECT_EQ(changed_or_moved_lines({"a", "b"}, {"b", "a"}).size(), 1u);
  EXPECT_THAT(
      changed_or_moved_lines({"for a {", "x", "}"}, {"for a {", "  for b {", "x", "}", "}"}),
      ElementsAre(2));
  EXPECT_THAT(changed_or_moved_lines({"a", "b"}, {"    a", "b"}), IsEmpty());
}

TEST(ChangedLines, IgnoreIndentationAndNumbersOfUnnamedValues) {
  EXPECT_THAT(changed_lines({"for i in 4 {"}, {"    for i in 4 {"}), IsEmpty());
  EXPECT_THAT(changed_lines({"%1 = load ptr %x"}, {"%7 = load ptr %x"}), IsEmpty());
}

// The longest run of products is the inner loop; a counter among them does not end it, and the
// longer run of stores is only where the results are written.
TEST(HotLine, IsWhereTheInnerLoopBegins) {
  std::vector<codegen::SourceLine> lines{{"push rbp"}, {"vmulps zmm0, zmm1, zmm2"}};
  for (int i = 0; i < 6; ++i) lines.push_back({"mov rax, rbx"});
  for (const char* text :
       {"vfmadd231ps zmm0, zmm1, zmm2", "add rax, 4", "vfmadd231ps zmm3, zmm1, zmm2"})
    lines.push_back({text});
  for (int i = 0; i < 9; ++i) lines.push_back({"vmovups zmmword ptr [rax], zmm0"});
  EXPECT_EQ(hot_line(lines), 9);
  EXPECT_EQ(hot_line({{"ret"}}), 1);
  EXPECT_EQ(hot_line({{"ret"}, {"  %1 = fadd <8 x float> %a, %b"}}), 2);
}

TEST(OpeningLine, IsTheLabelOfTheInnerLoopOrTheHeadOfTheFunction) {
  const codegen::SourceLines assembly{{".text"},
                                      {"conv:"},
                                      {"    push rbp"},
                                      {".LBB0_1:  # outer"},
                                      {"    mov rax, rbx"},
                                      {".LBB0_2:"},
                                      {"    add rcx, 4"},
                                      {"    vfmadd231ps zmm0, zmm1, zmm2"},
                                      {"    jne .LBB0_2"}};
  EXPECT_EQ(opening_line(assembly), 6);
  const codegen::SourceLines llvm{{"; ModuleID = 'conv'"},
                                  {""},
                                  {"declare void @callee()"},
                                  {"define void @conv(ptr %0) {"},
                                  {"entry:"},
                                  {"  br label %loop"},
                                  {"loop:                 ; preds = %loop, %entry"},
                                  {"  %4 = fmul <8 x float> %2, %3"}};
  EXPECT_EQ(opening_line(llvm), 7);
  EXPECT_EQ(opening_line({{"; ModuleID"}, {"define void @copy() {"}, {"  ret void"}}), 2);
  EXPECT_EQ(opening_line({{".text"}, {"copy:"}, {"    ret"}}), 2);
  EXPECT_EQ(opening_line({{"    ret"}}), 1);
}

TEST(Bands, BelongToLoopLinesAndNothingElse) {
  EXPECT_FALSE(band_of(0));
  EXPECT_EQ(band_of(12), band_of(12));
  EXPECT_NE(band_of(12), band_of(13));
}

TEST(CodePane, MarksAndFindsLines) {
  CodePane pane(Language::LoopNest);
  pane.resize(400, 300);
  pane.show();
  pane.set_text("func f() {\n  for i in 4 {\n  }\n}", true);
  EXPECT_EQ(pane.line_count(), 4);
  pane.set_highlight({2, 3}, 2);
  EXPECT_THAT(pane.highlighted(), ElementsAre(2, 3));
  pane.find();
  pane.findChild<QLineEdit*>("findLine")->setText("for");
  QTest::keyClick(pane.findChild<QLineEdit*>("findLine"), Qt::Key_Return);
  EXPECT_EQ(pane.findChild<QsciScintilla*>()->selectedText(), "for");
}

TEST(CodePane, KeepsItsPlaceUnlessTheTextIsFresh) {
  CodePane pane(Language::LoopNest);
  pane.resize(400, 200);
  pane.show();
  pane.set_text(QString("line\n").repeated(200), true);
  auto* editor = pane.findChild<QsciScintilla*>();
  editor->setFirstVisibleLine(50);
  pane.set_text(QString("other\n").repeated(200), false);
  EXPECT_EQ(editor->firstVisibleLine(), 50);
  pane.set_text(QString("fresh\n").repeated(200), true);
  EXPECT_EQ(editor->firstVisibleLine(), 0);
}

TEST(CodePane, LineNumbersHaveRoomInTextOfAnySize) {
  CodePane pane(Language::LoopNest);
  pane.set_text(QString("line\n").repeated(1200), true);
  const auto* editor = pane.findChild<QsciScintilla*>();
  const double before = text_scale();
  for (const double scale : {1.0, 1.8, 0.8}) {
    set_text_scale(scale);
    EXPECT_GE(editor->marginWidth(0), QFontMetrics(theme().code_font()).horizontalAdvance("1201"))
        << scale;
  }
  const int small = editor->marginWidth(0);
  set_text_scale(before);
  EXPECT_GT(editor->marginWidth(0), small);
}

// A note is told where the pointer rests on its line, beside the words of it.
TEST(CodePane, TellsTheNotesOfItsLines) {
  CodePane pane(Language::LoopNest);
  pane.resize(400, 200);
  pane.show();
  pane.set_text("for i in 4 {\n}", true);
  pane.set_notes({{1, {"not <b>vectorised</b>", true}}});
  auto* editor = pane.findChild<QsciScintilla*>();
  const auto rest_at = [&](int line) {
    const QPoint place(350, editor->textHeight(0) * line - editor->textHeight(0) / 2);
    QHelpEvent rest(QEvent::ToolTip, place, editor->viewport()->mapToGlobal(place));
    QCoreApplication::sendEvent(editor->viewport(), &rest);
  };
  // A tip goes with some delay.
  const auto goes = [] { return QTest::qWaitFor([] { return !QToolTip::isVisible(); }); };
  rest_at(1);
  EXPECT_EQ(QToolTip::text(), "not <b>vectorised</b>");
  rest_at(2);
  EXPECT_TRUE(goes());
  rest_at(1);
  EXPECT_TRUE(QToolTip::isVisible());
  pane.set_text("for j in 4 {\n}", false);
  EXPECT_TRUE(pane.notes().empty()) << "another text has other notes";
  rest_at(1);
  EXPECT_TRUE(goes());
}

TEST(LineNotes, StandOnTheFirstOfTheLinesThatCameFromTheirs) {
  const pass::Remark missed{pass::RemarkKind::Missed, "C", "f", {}, "a < b"},
      applied{pass::RemarkKind::Applied, "C", "f", {}, "done"};
  const LineNotes notes =
      notes_on_loops({{"inline", 0, 1, missed}, {"licm", 3, 2, applied}, {"licm", 4, 1, missed}});
  ASSERT_EQ(notes.size(), 2u) << "what is said of no line has none";
  EXPECT_FALSE(notes.at(3).is_missed);
  EXPECT_EQ(notes.at(3).words, "+ <b>licm</b>: done (2 times)");
  EXPECT_TRUE(notes.at(4).is_missed);
  EXPECT_TRUE(notes.at(4).words.contains("a &lt; b"));
  const LineNotes on_lines =
      notes_on_lines(notes, {{"a", 0}, {"b", 4}, {"c", 3}, {"d", 4}, {"e", 1}});
  ASSERT_EQ(on_lines.size(), 2u);
  EXPECT_EQ(on_lines.at(2).words, notes.at(4).words);
  EXPECT_EQ(on_lines.at(3).words, notes.at(3).words);
}

TEST(AssemblyView, CountsInstructionsOnly) {
  const InstructionCount count = count_instructions({{"main:", 0},
                                                     {"\tpush rbp", 1},
                                                     {"  .p2align 4", 0},
                                                     {"# comment", 0},
                                                     {"\tvaddps ymm0, ymm0, ymm1", 2},
                                                     {"", 0},
                                                     {".LBB0_1:  # loop", 0}});
  EXPECT_EQ(count.all, 2);
  EXPECT_EQ(count.vector, 1);
}

class TextPanesTest : public testing::Test {
 protected:
  TextPanesTest()
      : opened_("lenet"),
        loops_(&opened_.document),
        llvm_(&opened_.document),
        assembly_(&opened_.document) {
    EXPECT_TRUE(opened_.document.kernels().machine_code()) << "the kernel does not compile";
  }
  Document& document() { return opened_.document; }
  Selection& selection() { return opened_.document.selection(); }

  Opened opened_;
  LoopView loops_;
  LlvmView llvm_;
  AssemblyView assembly_;
};

TEST_F(TextPanesTest, ShowTheKernelsListings) {
  EXPECT_EQ(loops_.code()->text().toStdString(), document().kernels().loop_listing()->text());
  EXPECT_TRUE(llvm_.code()->text().contains("define"));
  EXPECT_EQ(assembly_.code()->text().count('\n') + 1,
            static_cast<qsizetype>(document().kernels().assembly_lines()->size()));
}

// Nobody has chosen a line: whatever the selection touches, one begins at the inner loop.
TEST_F(TextPanesTest, OpenAtTheInnerLoopAndSayWhichKernelTheyShow) {
  for (QWidget* view : std::initializer_list<QWidget*>{&loops_, &llvm_, &assembly_}) {
    view->resize(400, 260);
    view->show();
  }
  selection().select_node(opened_.node("MaxPool")->id);
  ASSERT_TRUE(settled(document()));
  selection().select_node(opened_.node("Conv")->id);
  ASSERT_TRUE(settled(document()));
  const auto top = [](CodePane* code) {
    return code->findChild<QsciScintilla*>()->firstVisibleLine() + 1;
  };
  ASSERT_GT(document().kernels().assembly_lines()->size(), 60u) << "it is longer than the pane";
  EXPECT_EQ(top(assembly_.code()), opening_line(*document().kernels().assembly_lines()));
  EXPECT_EQ(top(llvm_.code()), opening_line(*document().kernels().llvm_lines()));
  const fusion::GroupId shown = document().kernels().group();
  const QString title = QString("Kernel %1, %2")
                            .arg(shown.value)
                            .arg(text(document().fusion().plan()->group(shown).name));
  for (const QWidget* view : std::initializer_list<QWidget*>{&loops_, &llvm_, &assembly_})
    EXPECT_EQ(view->findChild<QLabel*>("kernelTitle")->text(), title);
}

// A kernel's loops and code, and its name, are the answer to what is fused.
TEST_F(TextPanesTest, AreHiddenWhileSomebodyGuesses) {
  const auto is_told = [](const CodePane* code) { return code->isVisibleTo(code->window()); };
  const auto finds_kernel = [&] {
    return std::ranges::any_of(look_up(document(), "fused", 50),
                               [](const Found& found) { return found.kind == FoundKind::Kernel; });
  };
  for (const bool guessing : {false, true, false}) {
    document().fusion().set_guessing(guessing);
    for (const CodePane* code : {loops_.code(), llvm_.code(), assembly_.code()})
      EXPECT_NE(is_told(code), guessing);
    EXPECT_NE(finds_kernel(), guessing);
  }
}

TEST_F(TextPanesTest, StepThroughScheduleAndLowering) {
  document().kernels().set_loop_step(0);
  const QString first = loops_.code()->text();
  EXPECT_TRUE(first.contains("block"));
  document().kernels().set_loop_step(document().kernels().kernel()->loops.size() - 1);
  EXPECT_NE(loops_.code()->text(), first);
}

// They are about the nest that LLVM is given.
TEST_F(TextPanesTest, RemarksOfLlvmStandOnTheNestThatIsCompiledAndOnItsAssembly) {
  const std::size_t last = document().kernels().kernel()->loops.size() - 1;
  ASSERT_EQ(document().kernels().loop_step(), last);
  const LineNotes notes = loops_.code()->notes();
  ASSERT_FALSE(notes.empty());
  EXPECT_LE(notes.rbegin()->first, loops_.code()->line_count());
  document().kernels().set_loop_step(0);
  EXPECT_TRUE(loops_.code()->notes().empty());
  document().kernels().set_loop_step(last);
  EXPECT_EQ(loops_.code()->notes().size(), notes.size());
  const auto& lines = *document().kernels().assembly_lines();
  EXPECT_FALSE(assembly_.code()->notes().empty());
  for (const auto& [line, note] : assembly_.code()->notes())
    EXPECT_EQ(note.words, notes.at(lines[static_cast<std::size_t>(line) - 1].loop_line).words);
}

TEST_F(TextPanesTest, StepsOfLlvmGoOnIntoCodeGeneration) {
  KernelStage& kernels = document().kernels();
  const auto code = kernels.machine_code();
  EXPECT_EQ(kernels.llvm_step(), code->optimised_step()) << "one begins with LLVM IR";
  ASSERT_GT(code->step_count(), code->optimised_step() + 10);
  kernels.set_llvm_step(code->step_count() - 1);
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(llvm_.code()->text().contains("bb.0"));
  EXPECT_EQ(llvm_.findChild<StepChooser*>()->current(), static_cast<int>(code->step_count()) - 1);
  // Its lines lead to those of the nest, as all do.
  const auto& lines = *kernels.llvm_lines();
  const auto mapped =
      std::ranges::find_if(lines, [](const auto& line) { return line.loop_line > 0; });
  ASSERT_NE(mapped, lines.end());
  emit llvm_.code()->lineClicked(static_cast<int>(mapped - lines.begin()) + 1);
  EXPECT_THAT(loops_.code()->highlighted(), ElementsAre(mapped->loop_line));
}

// The script's last line is the last primitive, and leads to the step it made.
TEST_F(TextPanesTest, AScriptLineLeadsToItsStep) {
  const auto& stages = *document().kernels().kernel()->stages;
  ASSERT_FALSE(stages.schedule.empty());
  emit loops_.script()->code()->lineClicked(static_cast<int>(stages.trace.instructions.size()));
  EXPECT_EQ(document().kernels().loop_step(), stages.schedule.size());
}

// Every assembly line that came from a loop line finds it, and the loop line finds it back.
TEST_F(TextPanesTest, AnAssemblyLineLightsUpItsLoopAndBack) {
  const auto& lines = *document().kernels().assembly_lines();
  const auto mapped =
      std::find_if(lines.begin(), lines.end(), [](const auto& line) { return line.loop_line > 0; });
  ASSERT_NE(mapped, lines.end());
  const int line = static_cast<int>(mapped - lines.begin()) + 1;
  emit assembly_.code()->lineClicked(line);
  EXPECT_THAT(loops_.code()->highlighted(), ElementsAre(mapped->loop_line));
  EXPECT_THAT(assembly_.code()->highlighted(), testing::Contains(line));

  emit loops_.code()->lineClicked(mapped->loop_line);
  EXPECT_THAT(assembly_.code()->highlighted(), testing::Contains(line));
}

TEST_F(TextPanesTest, SelectingAnOperatorMarksLinesInAllPanes) {
  selection().select_node(opened_.node("Conv")->id);
  ASSERT_TRUE(settled(document()));
  EXPECT_FALSE(loops_.code()->highlighted().empty());
  EXPECT_FALSE(llvm_.code()->highlighted().empty());
  EXPECT_FALSE(assembly_.code()->highlighted().empty());
}

}  // namespace
}  // namespace loopglass::views
