// The commands that the window offers print what it shows.
#include "tests/views/opened.h"
#include "views/document/command_line.h"
#include "views/document/kernel_commands.h"
#include "views/fusion/hand_menu.h"
#include "views/graph/edge_verdicts.h"

#include <QProcess>

namespace loopglass::views {
namespace {

QString printed_by(QString command) {
  command.replace("loopglassc", LOOPGLASSC);
  QProcess process;
  process.start("/bin/sh", {"-c", command});
  EXPECT_TRUE(process.waitForFinished(120000)) << command.toStdString();
  EXPECT_EQ(process.exitCode(), 0)
      << command.toStdString() << process.readAllStandardError().toStdString();
  return process.readAllStandardOutput();
}

TEST(KernelCommands, PrintTheNestAtEachStep) {
  Opened opened("lenet");
  KernelStage& kernels = opened.document.kernels();
  kernels.select(fusion::GroupId{0});
  ASSERT_TRUE(settled(opened.document));
  const std::size_t count = kernels.kernel()->loops.size();
  for (const std::size_t step : {std::size_t{0}, std::size_t{3}, count / 2, count - 1}) {
    kernels.set_loop_step(step);
    ASSERT_TRUE(settled(opened.document));
    const QString command = loops_command(opened.document);
    EXPECT_TRUE(
        printed_by(command).contains(QString::fromStdString(kernels.loop_listing()->text())))
        << command.toStdString();
  }
}

TEST(KernelCommands, PrintTheCode) {
  Opened opened("lenet");
  KernelStage& kernels = opened.document.kernels();
  kernels.select(fusion::GroupId{0});
  ASSERT_TRUE(settled(opened.document));
  const MachineCode& code = *kernels.machine_code();
  for (const std::size_t step :
       {std::size_t{0}, code.optimised_step(), code.optimised_step() + 2, code.step_count() - 1}) {
    kernels.set_llvm_step(step);
    ASSERT_TRUE(settled(opened.document));
    const QString command = llvm_command(opened.document), said = printed_by(command);
    for (const codegen::SourceLine& line : *kernels.llvm_lines())
      ASSERT_TRUE(said.contains(QString::fromStdString(line.text))) << command.toStdString() << "\n"
                                                                    << line.text;
  }
  const QString assembly = printed_by(assembly_command(opened.document));
  for (const codegen::SourceLine& line : *kernels.assembly_lines())
    ASSERT_TRUE(assembly.contains(QString::fromStdString(line.text))) << line.text;
  EXPECT_TRUE(printed_by(locality_command(opened.document)).contains("L1"));
}

// With all that a person asked of the plan; of schedules, which are no words, with the session.
TEST(KernelWords, HaveAllThatIsAsked) {
  Opened opened("lenet");
  Document& document = opened.document;
  EXPECT_EQ(kernel_words(document).model, "lenet");
  const fusion::Plan& plan = *document.fusion().plan();
  const auto fused = std::ranges::find_if(
      plan.decisions, [](const fusion::Decision& decision) { return decision.fused; });
  ASSERT_NE(fused, plan.decisions.end());
  ask(document, {edge_of(*fused)}, Wish::Forbid);
  ASSERT_TRUE(settled(document));
  const QString words = kernel_words(document).model;
  EXPECT_TRUE(words.startsWith("lenet --forbid ")) << words.toStdString();
  const std::size_t kernels = document.fusion().plan()->groups.size();
  EXPECT_TRUE(printed_by("loopglassc fuse " + words).contains(QString::number(kernels)));
  document.kernels().select(fusion::GroupId{0});
  ASSERT_TRUE(settled(document));
  document.set_schedule("");
  ASSERT_TRUE(settled(document));
  EXPECT_EQ(kernel_words(document).model, "lenet.loopglass");
  EXPECT_TRUE(kernel_words(document).note.contains("# the session, saved as lenet.loopglass"));
}

}  // namespace
}  // namespace loopglass::views
