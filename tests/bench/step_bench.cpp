// How long the window's thread is busy with a step on a large graph: a chain of residual blocks of
// so many operators is opened in the window, laid out, and stepped through; one line a step with
// the time from the key to the last event it caused, and the longest single event in it.
//
//   step_bench [OPERATORS]
#include "app/window/environment.h"
#include "app/window/main_window.h"
#include "core/onnx/export.h"
#include "passes/pipeline.h"
#include "samples/network.h"
#include "tests/bench/watched_application.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/graph_view.h"

#include <QSettings>
#include <QTemporaryDir>

#include <fmt/core.h>

namespace loopglass {
namespace {

// Blocks of Conv, BatchNormalization, Relu, Add.
graph::Graph network(int operators) {
  samples::Network network("blocks");
  graph::ValueId x = network.input("x", {1, 4, 8, 8});
  for (int block = 0; block * 4 < operators; ++block) {
    const std::string name = fmt::format("block{}", block);
    const auto conv = network.convolution(name + "/conv", x, {.channels = 4, .kernel = 1});
    const auto normal = network.batch_normalisation(name + "/bn", conv);
    x = network.apply(name + "/add", "Add", {network.relu(name + "/relu", normal), x});
  }
  return std::move(network).finish({x}).value();
}

int run(int argc, char** argv) {
  const int operators = argc > 1 ? std::max(8, std::atoi(argv[1])) : 10'000;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  app::prepare_environment();
  WatchedApplication application(argc, argv);
  views::set_theme(views::Tone::Dark);
  QTemporaryDir folder;
  const std::string model = folder.filePath("blocks.onnx").toStdString();
  if (const auto written = onnx::write(network(operators), model); !written) {
    fmt::print(stderr, "{}\n", to_string(written.error()));
    return 1;
  }
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  views::Document document(passes::toolchain());
  app::MainWindow window(&document, &settings);
  window.resize(1600, 1000);
  window.show();
  window.workspaces().use("passes");
  QElapsedTimer timer;
  timer.start();
  window.open(QString::fromStdString(model));
  settle(document);
  fmt::print("opened {} operators in {} ms\n", operators, timer.elapsed() - 300);
  if (!document.history().recorded()) return 1;
  // Until the graph has been redrawn: what a person waits for.
  const auto* canvas = window.panes().graph()->canvas();
  for (const views::Walk walk :
       {views::Walk::PassBack, views::Walk::PassBack, views::Walk::PassBack,
        views::Walk::RewriteForward, views::Walk::RewriteForward, views::Walk::RewriteForward,
        views::Walk::RewriteBack, views::Walk::Start, views::Walk::End}) {
    bool drawn = false;
    const auto connection =
        QObject::connect(canvas, &views::GraphCanvas::layoutChanged, [&] { drawn = true; });
    application.longest = 0;
    timer.restart();
    document.history().walk(walk);
    const double asked = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    while (!drawn && timer.elapsed() < 10'000)
      QApplication::processEvents(QEventLoop::AllEvents, 5);
    QApplication::processEvents(QEventLoop::AllEvents, 5);
    const double shown = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    settle(document);
    fmt::print("to {:<6} call {:6.1f} ms, drawn after {:7.1f} ms, longest event {:6.1f} ms\n",
               pass::to_text(document.history().position()), asked, shown, application.longest);
    QObject::disconnect(connection);
  }
  return 0;
}

}  // namespace
}  // namespace loopglass

int main(int argc, char** argv) { return loopglass::run(argc, argv); }
