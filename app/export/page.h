// A session as one page for a browser: its graph step by step with hulls and verdicts, and the
// texts of every kernel, linked as in the window. The page needs no server and loads nothing; what
// it says is data in it (page_graphs.h, page_kernels.h), which the scripts below page/ show.
#pragma once

#include "core/session.h"

namespace loopglass::app {

struct PageRequest {
  std::string title;
  std::string place;  // in the history, where the page begins; a whole step. Empty: its end
  // Times to tell; null: those that were recorded on this machine, if any.
  std::shared_ptr<const runtime::BenchmarkReport> report;
  std::string measured = {};  // "measured on 2026-11-23 14:02"; empty: just now
};

// ExportTooLarge: more operators than a browser shows. UsageInvalid: there is no such step.
// Cancelled.
Result<std::string> make_page(Session& session, const PageRequest& request,
                              const Progress& progress = {}, const Cancellation& cancellation = {});
// The old file stays where it cannot be written (ExportUnwritable, DiskFull, PermissionMissing).
Result<void> write_page(Session& session, const PageRequest& request, const std::string& file,
                        const Progress& progress = {}, const Cancellation& cancellation = {});

}  // namespace loopglass::app
