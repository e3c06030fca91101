// Stage 4 of the document: the fusion plan of the last graph, what it amounts to, and how somebody
// looks at it. What a person asks of it is the document's (asked_history.h).
#pragma once

#include "core/fusion/compare.h"
#include "core/fusion/saving.h"
#include "core/saved_session.h"
#include "core/saved_times.h"
#include "views/document/document_stage.h"
#include "views/document/groups_by_origin.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace loopglass::views {

class HistoryStage;

// Two plans of the last graph that are laid over it to be compared.
struct ComparedPlans {
  QString first_name, second_name;  // of their strategies
  std::shared_ptr<const fusion::Plan> first, second;
};

// An event of a plan that was told, where someone steps through it.
struct PlanMoment {
  std::shared_ptr<const fusion::Plan> plan;
  std::size_t event;
  friend bool operator==(const PlanMoment&, const PlanMoment&) = default;
};

class FusionStage : public DocumentStage {
  Q_OBJECT

 public:
  FusionStage(const StageTools& tools, const HistoryStage& history, QObject* parent)
      : DocumentStage(tools, parent), history_(history) {}

  std::shared_ptr<const fusion::Plan> plan() const { return plan_; }  // null until ready
  // What the plan amounts to; there when the plan is.
  const fusion::PlanSummary* summary() const { return plan_ ? &summary_ : nullptr; }
  // What its kernels save against one for each operator.
  const fusion::Saving& saving() const { return saving_; }
  // The group a node of the current step ends up in, by id or by origin; invalid: none (yet).
  fusion::GroupId group_of(graph::NodeId node) const;
  fusion::GroupId group_of(const graph::Node& node) const;  // a node of any step

  const std::optional<ComparedPlans>& compared() const { return compared_; }
  void compare(std::optional<ComparedPlans> plans);

  const std::optional<PlanMoment>& moment() const { return moment_; }
  void show_moment(std::optional<PlanMoment> moment);

  // Guess first: nothing shows what the plan does with an edge until a person has said what they
  // would do.
  bool is_guessing() const { return guessing_; }
  void set_guessing(bool guessing);
  void forget_guesses();  // of another model
  bool is_hidden(const fusion::Edge& edge) const { return guessing_ && !revealed_.contains(edge); }
  void reveal(const fusion::Edge& edge);
  struct Score {
    int right = 0, guesses = 0;
  };
  const Score& score() const { return score_; }
  void count_guess(bool right);
  // As a session keeps it, nullopt where nobody guesses; and taken up again, of the next plan too.
  std::optional<SavedGuesses> saved_guesses() const;
  void resume(const std::optional<SavedGuesses>& guesses);

  // --- for the document ---

  void derive();
  // By another cost model: what there is stays until that plan has arrived, mostly the same.
  void weigh();
  // `drop_rest` drops what was made of it, before anybody is told.
  void drop(const std::function<void()>& drop_rest);
  // What is measured now is of these.
  const MeasuredOf& measured_of() const { return measured_of_; }

 signals:
  void made();                              // plan(), for the document, before anybody else is told
  void ready();                             // and after
  void refused(const Diagnostic& problem);  // the session has no such plan
  void replacing();  // the plan by another cost model has other kernels: all falls with the old one
  void planChanged();
  void comparedPlansChanged();
  void planMomentChanged();
  void guessingChanged();  // what of the plan is hidden

 private:
  std::optional<bool> is_fused(const fusion::Edge& edge) const;  // in the plan; nullopt: no edge
  void remember_told(const fusion::Edge& edge);
  struct Planned {
    std::shared_ptr<const fusion::Plan> plan;
    fusion::PlanSummary summary;
    GroupsByOrigin group_of_origin;
    MeasuredOf measured_of;
    fusion::Saving saving;
  };
  static Result<Planned> plan_by(Session& session);
  void ask(const QString& title, std::function<void(Planned)> done);
  void accept(Planned planned);
  void replace(Planned planned);

  const HistoryStage& history_;
  std::shared_ptr<const fusion::Plan> plan_;
  fusion::PlanSummary summary_;
  fusion::Saving saving_;
  GroupsByOrigin group_of_origin_;
  MeasuredOf measured_of_;
  std::optional<ComparedPlans> compared_;
  std::optional<PlanMoment> moment_;
  bool guessing_ = false;
  std::set<fusion::Edge> revealed_;
  std::vector<std::string> to_reveal_;  // once there is a plan
  std::map<std::string, bool> told_;    // edges, and whether they were fused in the last plan
  Score score_;
};

}  // namespace loopglass::views
