// What the window shows, as commands of `loopglassc`: whatever is done with the mouse can be done
// again without it.
#pragma once

#include "views/document/document.h"

namespace loopglass::views {

// All that is asked, by names; edges by number while there is no graph.
Request request_of(const Document& document);
// A word as a shell takes it for one.
QString shell_word(const QString& text);
// "model.onnx --passes '...' --memory-limit 64MiB": the model and what makes its graphs; with
// "--target x86-64-v3" where this window is held to so many instructions.
QString model_words(const Document& document);
// " --strategy dp", where it is not the default.
QString strategy_words(const Document& document);
// " --strategy dp --force conv1:relu1 --edit '...'": all that is asked of the plan in use.
QString plan_words(const Document& document);
// What a session that was never saved is called where nobody says otherwise: "model.loopglass".
QString suggested_session_file(const Document& document);
// What computes the kernels as they are: model_words() and plan_words(), or, since schedules are no
// words, the file of the session. `note`, a shell's remark, says then that it is to be saved.
struct KernelWords {
  QString model, note;
};
KernelWords kernel_words(const Document& document);

struct FuseWords {
  std::optional<fusion::Edge> edge = {};  // whose verdict alone is wanted
  bool with_edits = false;                // also where they are not in use
};
// The fusion plan with what is asked of it, or the verdict on one of its edges.
QString fuse_command(const Document& document, const FuseWords& words = {});
// "loopglassc passes model.onnx --passes '...' --memory-limit 64MiB"
QString passes_command(const Document& document);
// The dominator tree of the graph at the position, or its post-dominator tree.
QString dominators_command(const Document& document, graph::Direction direction);
// The graph at the position, or its difference from the place that a person compares it with.
QString place_command(const Document& document);
// What changed from another place to it.
QString difference_command(const Document& document, const pass::Position& other);

}  // namespace loopglass::views
