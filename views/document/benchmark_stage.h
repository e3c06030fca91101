// Stage 10 of the document: the network's measured times, of this plan or recalled from an earlier
// measurement of the same.
#pragma once

#include "core/saved_times.h"
#include "views/document/document_stage.h"

#include <optional>
#include <vector>

namespace loopglass::views {

class FusionStage;

class BenchmarkStage : public DocumentStage {
  Q_OBJECT

 public:
  BenchmarkStage(const StageTools& tools, const FusionStage& fusion, QObject* parent);

  // Of what is open; while another model is being opened, of that one, as soon as it has a plan.
  void start(int threads, int rounds = 20);
  // Rounds that ran are kept, and the one that runs; where there are none, or when it is asked
  // again, cancels.
  void stop();
  void cancel();                                      // at once, and without a result
  bool is_stopping() const;                           // after the round that runs
  bool waits() const { return wanted_.has_value(); }  // for a model
  const std::vector<double>& round_times() const { return round_times_; }  // ms, of the last run
  std::shared_ptr<const runtime::BenchmarkReport> report() const { return report_; }
  const runtime::KernelTiming* timing_of(fusion::GroupId group) const;  // null: not measured
  // What was measured last, of this plan or of another one, and when. It is shown again wherever
  // the plan is one of which it is true.
  const std::optional<SavedTimes>& last_times() const { return last_times_; }
  void recall(SavedTimes times);  // of the same model, measured by an earlier window
  // "measured on 2026-11-23 14:02" of a report that was not measured just now; else empty.
  QString measured_words() const;
  // "stopped after 13 of 20 rounds", where these are the report, or "the last run was
  // cancelled after ..., of which nothing is kept"; else empty.
  QString stopped_words() const;
  // Why nothing is shown of what was measured: "the times of 2026-11-23 14:02 are of another plan";
  // empty: nothing was.
  QString other_times_words() const;

  // --- for the document ---

  void drop();  // says nothing until tell()
  void tell() { emit benchmarkChanged(); }
  void forget_last_times() { last_times_.reset(); }
  void forget_wish();  // to measure what is being opened
  void show_recalled();
  void start_if_wished();
  // The schedules in use, as a digest; nullopt: the default ones.
  void set_schedules(std::optional<std::string> digest) { schedules_ = std::move(digest); }

 signals:
  void benchmarkRound(int round, double milliseconds);
  void benchmarkChanged();

 private:
  MeasuredOf measured_of() const;  // what is measured now
  void keep(runtime::BenchmarkReport report);

  const FusionStage& fusion_;
  int run_ = 0;
  int rounds_ = 0;                            // that the last run was to have
  std::optional<std::size_t> stopped_after_;  // so many of them
  bool is_part_kept_ = false;
  Cancellation enough_;  // of the last run
  std::vector<double> round_times_;
  std::shared_ptr<const runtime::BenchmarkReport> report_;
  struct Wish {
    int threads, rounds;
  };
  std::optional<Wish> wanted_;  // of the model that is being opened
  std::optional<std::string> schedules_;
  std::optional<SavedTimes> last_times_;
  bool is_recalled_ = false;  // the report is of the last times, and was not measured for this plan
};

}  // namespace loopglass::views
