#include "views/document/asked_history.h"

#include "core/support/check.h"
#include "core/support/readable_bytes.h"
#include "views/counted.h"
#include "views/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace loopglass::views {
namespace {

QString translated(const char* source) {
  return QCoreApplication::translate("AskedHistory", source);
}

std::vector<fusion::Edge> only_in(const std::set<fusion::Edge>& some,
                                  const std::set<fusion::Edge>& others) {
  std::vector<fusion::Edge> found;
  std::ranges::set_difference(some, others, std::back_inserter(found));
  return found;
}

QString edge_words(const std::vector<fusion::Edge>& edges, const graph::Graph* graph) {
  if (edges.size() != 1) return counted(edges.size(), "edge");
  const auto name = [&](graph::NodeId id) {
    const graph::Node* node = graph ? graph->find(id) : nullptr;
    return node ? text(node->name) : QString("?");
  };
  return name(edges.front().producer) + ":" + name(edges.front().consumer);
}

QString constraint_words(const fusion::Constraints& from, const fusion::Constraints& to,
                         const graph::Graph* graph) {
  if (const auto forced = only_in(to.forced, from.forced); !forced.empty())
    return translated("force %1").arg(edge_words(forced, graph));
  if (const auto forbidden = only_in(to.forbidden, from.forbidden); !forbidden.empty())
    return translated("forbid %1").arg(edge_words(forbidden, graph));
  std::vector<fusion::Edge> left = only_in(from.forced, to.forced);
  std::ranges::copy(only_in(from.forbidden, to.forbidden), std::back_inserter(left));
  return translated("leave %1 to the strategy").arg(edge_words(left, graph));
}

QString edit_words(const fusion::EditScript& from, const fusion::EditScript& to) {
  const auto begin = std::ranges::mismatch(from.edits, to.edits);
  const std::span gone(from.base == to.base ? begin.in1 : from.edits.begin(), from.edits.end());
  const std::span made(from.base == to.base ? begin.in2 : to.edits.begin(), to.edits.end());
  if (made.size() == 1 && (gone.empty() || from.base != to.base))
    return text(fusion::to_text(made.front()));
  const bool one_less = gone.size() == made.size() + 1 && std::ranges::equal(gone.subspan(1), made);
  if (one_less) return translated("remove %1").arg(text(fusion::to_text(gone.front())));
  return to.edits.empty() ? translated("remove all") : counted(made.size(), "edit");
}

// A pipeline of twenty passes says nothing of the one that was switched off.
QString pipeline_words(const Asked& from, const Asked& to, const PassesOf& passes_of) {
  std::vector<std::string> before = passes_of(from.pipeline), after = passes_of(to.pipeline);
  std::ranges::sort(before);
  std::ranges::sort(after);
  std::vector<std::string> gone, made;
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  std::ranges::set_difference(after, before, std::back_inserter(made));
  if (gone.size() == 1 && made.empty())
    return translated("passes without %1").arg(text(gone.front()));
  if (made.size() == 1 && gone.empty()) return translated("passes with %1").arg(text(made.front()));
  return translated("passes %1").arg(text(to.pipeline));
}

QString pass_words(const Asked& from, const Asked& to, const PassesOf& passes_of) {
  if (from.pipeline != to.pipeline) return pipeline_words(from, to, passes_of);
  return to.settings.memory_limit
             ? translated("memory limit %1").arg(text(readable_bytes(*to.settings.memory_limit)))
             : translated("no memory limit");
}

// The rows that only one of the two lists has, in their order.
template <class Row>
std::vector<const Row*> rows_only_in(const std::vector<Row>& some, const std::vector<Row>& others) {
  std::vector<const Row*> found;
  for (const Row& row : some)
    if (std::ranges::find(others, row) == others.end()) found.push_back(&row);
  return found;
}

QString breakpoint_words(const Asked& from, const Asked& to) {
  const auto gone = rows_only_in(from.breakpoints, to.breakpoints);
  const auto made = rows_only_in(to.breakpoints, from.breakpoints);
  if (made.empty() && gone.size() == 1)
    return translated("remove breakpoint %1").arg(text(to_text(*gone.front())));
  if (made.size() != 1) return counted(std::max(made.size(), gone.size()), "breakpoint");
  const QString words = text(to_text(*made.front()));
  const bool switched = gone.size() == 1 && to_text(*gone.front()) == to_text(*made.front());
  if (switched)
    return (made.front()->enabled ? translated("switch on breakpoint %1")
                                  : translated("switch off breakpoint %1"))
        .arg(words);
  return translated("breakpoint %1").arg(words);
}

QString bookmark_words(const Asked& from, const Asked& to) {
  const auto gone = rows_only_in(from.bookmarks, to.bookmarks);
  const auto made = rows_only_in(to.bookmarks, from.bookmarks);
  if (gone.size() == 1 && made.size() == 1)
    return translated("rename bookmark %1 to %2")
        .arg(text(gone.front()->name), text(made.front()->name));
  if (made.size() == 1 && gone.empty())
    return translated("bookmark %1").arg(text(made.front()->name));
  if (gone.size() == 1 && made.empty())
    return translated("remove bookmark %1").arg(text(gone.front()->name));
  return counted(std::max(made.size(), gone.size()), "bookmark");
}

QString schedule_words(const Asked& from, const Asked& to) {
  const auto gone = rows_only_in(from.schedules, to.schedules);
  const auto made = rows_only_in(to.schedules, from.schedules);
  if (std::max(gone.size(), made.size()) != 1)
    return counted(std::max(gone.size(), made.size()), "schedule");
  return made.empty() ? translated("default schedule of %1").arg(text(gone.front()->kernel))
                      : translated("schedule of %1").arg(text(made.front()->kernel));
}

}  // namespace

QString change_words(const Asked& from, const Asked& to, const graph::Graph* graph,
                     const PassesOf& passes_of) {
  if (!from.same_passes(to)) return pass_words(from, to, passes_of);
  if (from.same_network(to))
    return from.breakpoints != to.breakpoints ? breakpoint_words(from, to)
                                              : bookmark_words(from, to);
  if (from.same_plan(to)) return schedule_words(from, to);
  const PlanAsked &before = from.plan, &after = to.plan;
  const bool edited = before.edits.edits != after.edits.edits;
  const bool constrained = before.constraints != after.constraints;
  if (edited && constrained) return translated("remove all");
  if (edited) return edit_words(before.edits, after.edits);
  if (constrained) return constraint_words(before.constraints, after.constraints, graph);
  return translated("strategy %1").arg(text(after.strategy));
}

AskedHistory::AskedHistory(Asked first) { states_.push_back(std::move(first)); }

AskedHistory::AskedHistory(std::vector<Asked> states, std::size_t at)
    : states_(std::move(states)), at_(at) {
  CHECK(at_ < states_.size(), "what is asked now is one of the states");
}

void AskedHistory::add(Asked asked) {
  if (asked == now()) return;
  states_.resize(at_ + 1);
  states_.push_back(std::move(asked));
  ++at_;
}

void AskedHistory::amend(Asked asked) { states_[at_] = std::move(asked); }

void AskedHistory::share_with_model() {
  std::vector<Asked> states;
  std::size_t at = 0;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    Asked state = states_[i];
    state.breakpoints = now().breakpoints;
    state.bookmarks = now().bookmarks;
    if (states.empty() || states.back() != state) states.push_back(std::move(state));
    if (i == at_) at = states.size() - 1;
  }
  states_ = std::move(states);
  at_ = at;
}

}  // namespace loopglass::views
