// How long a person waits for the text panes: the model's longest kernel is selected in the window,
// and its loop nest, LLVM IR and assembly are stepped through and scrolled; each with the time
// until all is shown and the longest single event, in which the window did not answer.
//
//   listing_bench MODEL.onnx
#include "app/window/environment.h"
#include "app/window/main_window.h"
#include "passes/pipeline.h"
#include "tests/bench/watched_application.h"

#include <Qsci/qsciscintilla.h>
#include <QSettings>
#include <QTemporaryDir>

#include <fmt/core.h>

namespace loopglass {
namespace {

class Bench {
 public:
  Bench(WatchedApplication& application, views::Document& document)
      : application_(application), document_(document) {}

  template <class Work>
  void measure(const std::string& what, const Work& work) {
    application_.longest = 0;
    QElapsedTimer timer;
    timer.start();
    work();
    const double asked = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    double shown = 0;
    do {
      QApplication::processEvents(QEventLoop::AllEvents, 5);
      shown = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    } while (!document_.jobs().idle());
    settle(document_);
    fmt::print("{:<28} call {:8.1f} ms, shown after {:8.1f} ms, longest event {:8.1f} ms\n", what,
               asked, shown, std::max(asked, application_.longest));
    std::fflush(stdout);
  }

 private:
  WatchedApplication& application_;
  views::Document& document_;
};

fusion::GroupId longest_kernel(const fusion::Plan& plan) {
  const auto longest = std::max_element(
      plan.groups.begin(), plan.groups.end(),
      [](const auto& a, const auto& b) { return a.nodes.size() < b.nodes.size(); });
  return longest->id;
}

int run(int argc, char** argv) {
  if (argc < 2) return 2;
  if (!qEnvironmentVariableIsSet("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
  app::prepare_environment();
  WatchedApplication application(argc, argv);
  views::set_theme(views::Tone::Dark);
  QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  views::Document document(passes::toolchain());
  app::MainWindow window(&document, &settings);
  window.resize(1600, 1000);
  window.show();
  window.workspaces().use("lowering");
  Bench bench(application, document);
  bench.measure("open, first kernel", [&] { window.open(argv[1]); });
  if (!document.fusion().plan()) return 1;
  const fusion::GroupId group = longest_kernel(*document.fusion().plan());
  fmt::print("{} kernels, the longest of {} operators\n", document.fusion().plan()->groups.size(),
             document.fusion().plan()->group(group).nodes.size());
  if (group != document.kernels().group())
    bench.measure("select", [&] { document.kernels().select(group); });
  if (!document.kernels().machine_code()) return 1;
  fmt::print("loop nest {} lines, LLVM IR {}, assembly {}; {} steps of the loop nest\n",
             document.kernels().loop_listing()->lines.size(),
             document.kernels().llvm_lines()->size(), document.kernels().assembly_lines()->size(),
             document.kernels().kernel()->loops.size());
  for (const int back : {1, 2, 3})
    bench.measure(fmt::format("{} loop steps back", back), [&] {
      document.kernels().set_loop_step(document.kernels().kernel()->loops.size() - 1 - back);
    });
  bench.measure("first loop step", [&] { document.kernels().set_loop_step(0); });
  bench.measure("last loop step", [&] {
    document.kernels().set_loop_step(document.kernels().kernel()->loops.size() - 1);
  });
  const std::size_t last = document.kernels().llvm_step();
  for (const std::size_t step :
       {last - 1, last - 2, last - 3, last / 2, last / 2 - 1, std::size_t{0}})
    bench.measure(fmt::format("LLVM step {} of {}", step, last),
                  [&] { document.kernels().set_llvm_step(step); });
  bench.measure("select a line",
                [&] { document.selection().select_line(views::TextPane::Loops, 1); });
  for (auto* editor : window.findChildren<QsciScintilla*>()) {
    if (editor->lines() < 50 || !editor->isVisible()) continue;
    bench.measure(fmt::format("scroll {} lines", editor->lines()), [&] {
      for (int line = 0; line < editor->lines(); line += 40) {
        editor->setFirstVisibleLine(line);
        QApplication::processEvents(QEventLoop::AllEvents);
      }
    });
    bench.measure("jump to its end and back", [&] {
      editor->setFirstVisibleLine(editor->lines() - 20);
      QApplication::processEvents();
      editor->setFirstVisibleLine(0);
    });
  }
  return 0;
}

}  // namespace
}  // namespace loopglass

int main(int argc, char** argv) { return loopglass::run(argc, argv); }
