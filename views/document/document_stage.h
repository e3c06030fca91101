// What the stages of the document have in common: each asks the session in a background job, keeps
// what has arrived as immutable shared values, and knows the stages above it. The document conducts
// them: it says when one begins and what falls with it.
#pragma once

#include "core/session.h"
#include "views/document/selection.h"
#include "views/document/stage_board.h"
#include "views/jobs.h"

#include <memory>
#include <utility>

namespace loopglass::views {

// What a stage works with; all of it the document's.
struct StageTools {
  JobQueue* jobs;
  StageBoard* board;
  Selection* selection;
};

class DocumentStage : public QObject {
 public:
  DocumentStage(const StageTools& tools, QObject* parent)
      : QObject(parent), jobs_(tools.jobs), board_(tools.board), selection_(tools.selection) {}

  // What it asks; null: nothing is open.
  void set_session(std::shared_ptr<Session> session) { session_ = std::move(session); }

 protected:
  JobQueue* jobs_;
  StageBoard* board_;
  Selection* selection_;
  std::shared_ptr<Session> session_;
};

}  // namespace loopglass::views
