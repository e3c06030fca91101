#include "views/document/debugger.h"

#include "views/document/document.h"
#include "views/document/lanes.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::views {
namespace {

pass::GraphAt graphs_of(std::shared_ptr<Session> session) {
  return [session = std::move(session)](std::size_t step, std::size_t rewrites) {
    return session->graph_at(step, rewrites);
  };
}

}  // namespace

Debugger::Debugger(Document* document) : QObject(document), document_(document) {
  connect(&document->history(), &HistoryStage::historyChanged, this, &Debugger::derive_nodes);
  connect(&document->fusion(), &FusionStage::planChanged, this, &Debugger::find_fusions);
  connect(document, &Document::askedChanged, this, &Debugger::follow_asked);
}

// --- breakpoints ---

const std::vector<pass::Breakpoint>& Debugger::breakpoints() const {
  return document_->asked().breakpoints;
}

template <class Change>
void Debugger::change(const Change& change) {
  std::vector<pass::Breakpoint> changed = breakpoints();
  change(changed);
  document_->set_breakpoints(std::move(changed));
}

Result<void> Debugger::check(const pass::Breakpoint& breakpoint,
                             std::optional<std::size_t> but) const {
  const auto& passes = document_->toolchain().graph_passes;
  const bool known =
      breakpoint.pass.empty() || std::any_of(passes.begin(), passes.end(), [&](const auto& pass) {
        return pass.info.name == breakpoint.pass;
      });
  if (!known)
    return fail(Code::PassUnknown, fmt::format("there is no graph pass '{}'", breakpoint.pass));
  const std::string text = to_text(breakpoint);
  for (std::size_t i = 0; i < breakpoints().size(); ++i)
    if (but != i && to_text(breakpoints()[i]) == text)
      return fail(Code::UsageInvalid, fmt::format("there is a breakpoint '{}' already", text));
  return {};
}

Result<void> Debugger::add(pass::Breakpoint breakpoint) {
  TRY_VOID(check(breakpoint, {}));
  change([&](auto& breakpoints) { breakpoints.push_back(std::move(breakpoint)); });
  return {};
}

Result<void> Debugger::replace(std::size_t index, pass::Breakpoint breakpoint) {
  TRY_VOID(check(breakpoint, index));
  change([&](auto& breakpoints) { breakpoints[index] = std::move(breakpoint); });
  return {};
}

void Debugger::remove(std::size_t index) {
  change([&](auto& breakpoints) {
    breakpoints.erase(breakpoints.begin() + static_cast<std::ptrdiff_t>(index));
  });
}

void Debugger::set_enabled(std::size_t index, bool enabled) {
  change([&](auto& breakpoints) { breakpoints[index].enabled = enabled; });
}

void Debugger::follow_asked() {
  if (followed_ == breakpoints()) return;
  followed_ = breakpoints();
  emit breakpointsChanged();
  derive_stops();
  find_fusions();
}

// --- what follows from the history ---

void Debugger::derive_nodes() {
  using Nodes = std::shared_ptr<const pass::NodeHistory>;
  nodes_ = nullptr;
  emit nodesChanged();
  derive_stops();
  document_->jobs().cancel(lanes::nodes);
  if (!document_->history().recorded()) return;
  document_->jobs().run<Nodes>(
      lanes::nodes, tr("Following the nodes"),
      [history = document_->history().recorded(),
       session = document_->session()](const JobContext&) -> Result<Nodes> {
        return std::make_shared<const pass::NodeHistory>(history, graphs_of(session));
      },
      [this](Nodes nodes) {
        nodes_ = std::move(nodes);
        emit nodesChanged();
        derive_stops();
        find_fusions();
      },
      [this](const Diagnostic& diagnostic) { emit document_->failed(diagnostic); }, this);
}

void Debugger::derive_stops() {
  using Stops = std::vector<pass::Stop>;
  document_->jobs().cancel(lanes::stops);
  const bool any =
      std::any_of(followed_.begin(), followed_.end(), [](const auto& b) { return b.enabled; });
  if (!nodes_ || !any) {
    stops_.clear();
    emit stopsChanged();
    return;
  }
  document_->jobs().run<Stops>(
      lanes::stops, tr("Looking for stops"),
      [nodes = nodes_, breakpoints = followed_](const JobContext&) -> Result<Stops> {
        return pass::all_stops(*nodes, breakpoints);
      },
      [this](Stops stops) {
        stops_ = std::move(stops);
        emit stopsChanged();
      },
      [this](const Diagnostic& diagnostic) { emit document_->failed(diagnostic); }, this);
}

void Debugger::find_fusions() {
  const auto plan = document_->fusion().plan();
  if (plan)
    fuse_hits_ =
        fusion::fuse_hits(*plan, *document_->history().last_graph(), followed_, nodes_.get());
  else fuse_hits_.clear();
  emit stopsChanged();
}

// --- running ---

const pass::Stop* Debugger::stop_here() const {
  const auto here = std::find_if(stops_.begin(), stops_.end(), [&](const pass::Stop& stop) {
    return stop.position == document_->history().position();
  });
  return here == stops_.end() ? nullptr : &*here;
}

bool Debugger::can_stop() const {
  return std::ranges::any_of(breakpoints(), &pass::Breakpoint::enabled);
}

void Debugger::run(pass::Direction direction) {
  const auto history = document_->history().recorded();
  if (!history) return;
  if (!can_stop()) return emit nothingToStopAt();
  const pass::Position from = document_->history().position();
  const pass::Stop* found = nullptr;
  for (const pass::Stop& stop : stops_) {
    if (direction == pass::Direction::Forward ? stop.position <= from : stop.position >= from)
      continue;
    found = &stop;
    if (direction == pass::Direction::Forward) break;
  }
  if (found) document_->history().set_position(found->position);
  else document_->history().walk(direction == pass::Direction::Forward ? Walk::End : Walk::Start);
  emit ran(found);
}

}  // namespace loopglass::views
