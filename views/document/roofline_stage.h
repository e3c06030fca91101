// What is known of a plan's kernels under the roofs: judged in the background, each shown as soon
// as it is known, the older verdicts of a kernel kept beside its newest. What was judged of another
// plan comes back with that plan.
#pragma once

#include "core/network_roofline.h"
#include "core/saved_roofline.h"
#include "views/document/document_stage.h"

#include <functional>
#include <optional>
#include <vector>

namespace loopglass::views {

class FusionStage;

// The roofs of this machine as they are kept from one run to the next. Called in jobs.
struct KeptRoofs {
  std::function<std::optional<roofline::Roofs>(int threads)> find;
  std::function<void(const roofline::Roofs&)> keep;
};

class RooflineStage : public DocumentStage {
  Q_OBJECT

 public:
  // `workers`: null where there is nothing to measure with.
  RooflineStage(const StageTools& tools, const FusionStage& fusion,
                std::shared_ptr<measure::WorkerPool> workers, QObject* parent);

  // Why nothing can be judged now; empty: it can.
  QString hindrance() const;
  bool is_working() const;
  void start(int threads);                                // all kernels of the plan
  void start_kernel(fusion::GroupId group, int threads);  // that one again
  void start_trail(fusion::GroupId group, int threads);   // and all steps of its schedule
  void stop();

  const roofline::Roofs& roofs() const { return shown_.roofs; }
  const std::vector<JudgedKernel>& kernels() const { return shown_.kernels; }  // as they came
  int row_of(fusion::GroupId group) const;                                     // -1: none
  bool was_stopped() const { return was_stopped_; }
  const QString& problem() const { return problem_; }  // why it came to nothing
  // "measured on 2026-11-23 14:02" of what was not judged just now; else empty.
  QString measured_words() const;

  // Empty functions: nothing is kept.
  const KeptRoofs& kept_roofs() const { return kept_roofs_; }
  void set_kept_roofs(KeptRoofs kept) { kept_roofs_ = std::move(kept); }

  // What was judged last, of this plan or of another one; nullopt: nothing.
  std::optional<SavedRoofline> last() const;
  void recall(SavedRoofline roofline);  // of the same model, judged by an earlier window

  // --- for the document ---

  void forget();  // all of it: it is of another model

 signals:
  void changed();

 private:
  void begin(const QString& title, std::vector<fusion::GroupId> groups, int threads,
             bool with_trail = false);
  void take(const roofline::Roofs& roofs, const KernelVerdict& kernel);
  void follow_plan();
  void show_recalled();

  const FusionStage& fusion_;
  const std::shared_ptr<measure::WorkerPool> workers_;
  KeptRoofs kept_roofs_;
  SavedRoofline shown_;
  std::optional<SavedRoofline> other_;  // of another plan
  QString problem_;
  bool was_stopped_ = false, is_recalled_ = false;
};

}  // namespace loopglass::views
