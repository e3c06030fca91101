// A session in the window as it was left, and what is told of it then.
#include "app/window/earlier_sessions.h"
#include "app/window/main_window.h"
#include "app/window/session_capture.h"
#include "app/window/session_keeper.h"
#include "views/dominators/dominator_view.h"
#include "views/fusion/fusion_view.h"
#include "views/graph/graph_view.h"
#include "views/iterations/iterations_view.h"
#include "views/text.h"

#include <fmt/format.h>

#include <QStatusBar>
#include <QTabWidget>

#include <algorithm>
#include <span>

namespace loopglass::app {

void SessionKeeper::resume(const SavedSession& session, const std::vector<Diagnostic>& problems) {
  resuming_ = false;
  const bool goes_on = opening_ && opening_->goes_on;
  if (opening_ && opening_->session.get() == &session) opening_.reset();
  if (!goes_on) {
    window_->panes().graph()->set_switches({session.kernels, session.verdicts, session.ghosts,
                                            session.follow, session.marks, session.folds,
                                            session.colors, session.map_corner, session.beside});
    document_->fusion().resume(session.guesses);
    window_->panes().dominators()->resume(session.dominators);
    window_->panes().iterations()->resume(session.iterations, session.kernel, session.loop_step);
    if (!session.workspace.empty()) window_->workspaces().use(views::text(session.workspace));
    const auto page = views::FusionView::tab_names().indexOf(views::text(session.fusion_page));
    if (page >= 0) window_->panes().fusion()->tabs()->setCurrentIndex(static_cast<int>(page));
  }
  const SavedGraph graph = graph_of(session, subgraph_path(document_->source()));
  places_->look_at(graph.place);
  places_->show({graph.kernel, graph.loop_step, graph.llvm_step});
  // Of another content measurements say nothing.
  const bool same_content = !session.stamp || session.stamp == stamp_of_source(document_->source());
  if (graph.times && same_content) document_->benchmark().recall(*graph.times);
  if (graph.roofline && same_content) document_->roofline().recall(*graph.roofline);
  std::vector<Diagnostic> all = problems;
  if (!goes_on) std::ranges::move(unknown_in_view(session), std::back_inserter(all));
  tell_of(session, all);
  changed();
}

void SessionKeeper::tell_of(const SavedSession& session, const std::vector<Diagnostic>& problems) {
  const auto stamp = stamp_of_source(document_->source());
  const bool other = session.stamp && stamp && *session.stamp != *stamp;
  if (!problems.empty()) {
    constexpr std::size_t most = 5;
    Diagnostic first = problems.front();
    first.what = fmt::format("{}{} of what the session asks for {} left out: {}",
                             other ? "the model has changed since the session was saved; " : "",
                             problems.size(), problems.size() == 1 ? "is" : "are", first.what);
    for (const Diagnostic& next :
         std::span(problems).first(std::min(most, problems.size())).subspan(1))
      first.what += "\n" + code_name(next.code) + " " + next.what;
    if (problems.size() > most) first.what += fmt::format("\nand {} more", problems.size() - most);
    window_->show_diagnostic(first);
  } else if (other) {
    window_->statusBar()->showMessage(
        tr("The model has changed since the session was saved; what it asks for still fits."),
        note_shown_ms);
  }
}

// What was asked of edges and kernels stays with its session; passes and strategy go along.
void SessionKeeper::tell_of_earlier(const SavedSession* left) {
  QString words;
  const std::string model = model_name_of(*document_);
  constexpr std::size_t most = 20;
  for (const EarlierSession& earlier : earlier_sessions(most)) {
    const std::string by_hand = by_hand_words(earlier.session.asked);
    if (earlier.session.asked.request.model != model || by_hand.empty()) continue;
    words = tr("It was left with %1, which %2 brings back")
                .arg(views::text(by_hand), "File > Earlier Sessions");
    break;
  }
  if (left && words.isEmpty())
    if (const std::string by_hand = by_hand_words(left->asked); !by_hand.empty())
      words = tr("%1 keeps its %2: File > Earlier Sessions")
                  .arg(views::text(left->asked.request.model), views::text(by_hand));
  if (!words.isEmpty()) window_->statusBar()->showMessage(words, note_shown_ms);
}

}  // namespace loopglass::app
