// What a debugger knows beside where it is: the history of every node, breakpoints, and the places
// at which they stop. Everything is worked out in the background from what has been recorded;
// nothing runs again for it but passes that made and removed a node within one step.
#pragma once

#include "core/fusion/breakpoints.h"
#include "core/pass/breakpoints.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace loopglass::views {

class Document;

class Debugger : public QObject {
  Q_OBJECT

 public:
  explicit Debugger(Document* document);

  // Null until worked out.
  std::shared_ptr<const pass::NodeHistory> nodes() const { return nodes_; }

  // The document's, and with what else is asked there they are undone and redone.
  const std::vector<pass::Breakpoint>& breakpoints() const;
  // Refused (UsageInvalid) where it is in the list already or names a pass that there is none of.
  Result<void> add(pass::Breakpoint breakpoint);
  Result<void> replace(std::size_t index, pass::Breakpoint breakpoint);
  void remove(std::size_t index);
  void set_enabled(std::size_t index, bool enabled);

  // Of the enabled breakpoints: stops in the order of the history, and what they find in the plan.
  const std::vector<pass::Stop>& stops() const { return stops_; }
  const std::vector<fusion::FuseHit>& fuse_hits() const { return fuse_hits_; }
  const pass::Stop* stop_here() const;  // at the document's position; may be null

  // Whether a breakpoint is set that is not switched off.
  bool can_stop() const;
  // To the next stop, or to the end of the history where there is none. Without a breakpoint it
  // goes nowhere, and says so (nothingToStopAt).
  void run(pass::Direction direction);

 signals:
  void nodesChanged();
  void breakpointsChanged();
  void stopsChanged();
  // run() came to a stop; null: it came to an end without one.
  void ran(const pass::Stop* stop);
  void nothingToStopAt();

 private:
  Result<void> check(const pass::Breakpoint& breakpoint, std::optional<std::size_t> but) const;
  template <class Change>
  void change(const Change& change);
  void follow_asked();
  void derive_nodes();
  void derive_stops();
  void find_fusions();

  Document* document_;
  std::shared_ptr<const pass::NodeHistory> nodes_;
  std::vector<pass::Breakpoint> followed_;  // what was derived is of these
  std::vector<pass::Stop> stops_;
  std::vector<fusion::FuseHit> fuse_hits_;
};

}  // namespace loopglass::views
