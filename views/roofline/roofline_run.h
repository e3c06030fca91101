// What is known of a plan's kernels under the roofs: judged in the background, each shown as soon
// as it is known, the older verdicts of a kernel kept beside its newest.
#pragma once

#include "core/network_roofline.h"
#include "views/document/document.h"

#include <QObject>

#include <vector>

namespace loopglass::views {

class RooflineRun : public QObject {
  Q_OBJECT

 public:
  explicit RooflineRun(Document* document, QObject* parent = nullptr);

  // Why nothing can be judged now; empty: it can.
  QString hindrance() const;
  bool is_working() const;
  void start(int threads);                                // all kernels of the plan
  void start_kernel(fusion::GroupId group, int threads);  // that one again
  void stop();

  const roofline::Roofs& roofs() const { return roofs_; }
  struct Judged {
    KernelVerdict newest;
    std::vector<roofline::Verdict> earlier;  // the oldest first
  };
  const std::vector<Judged>& kernels() const { return kernels_; }  // in the order they came
  int row_of(fusion::GroupId group) const;                         // -1: none
  int threads() const { return threads_; }                         // of the last run
  bool was_stopped() const { return was_stopped_; }
  const QString& problem() const { return problem_; }  // why it came to nothing

 signals:
  void changed();

 private:
  void begin(const QString& title, std::vector<fusion::GroupId> groups, int threads);
  void take(const roofline::Roofs& roofs, const KernelVerdict& kernel);
  void forget();

  Document* document_;
  roofline::Roofs roofs_;
  std::vector<Judged> kernels_;
  int threads_ = 1;
  QString problem_;
  bool was_stopped_ = false;
};

}  // namespace loopglass::views
