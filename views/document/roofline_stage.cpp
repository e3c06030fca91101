#include "views/document/roofline_stage.h"

#include "views/document/fusion_stage.h"
#include "views/document/lanes.h"
#include "views/text.h"
#include "views/widgets/work_page.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace loopglass::views {

namespace {

constexpr std::size_t most_earlier = 12;

}  // namespace

RooflineStage::RooflineStage(const StageTools& tools, const FusionStage& fusion,
                             std::shared_ptr<measure::WorkerPool> workers, QObject* parent)
    : DocumentStage(tools, parent), fusion_(fusion), workers_(std::move(workers)) {
  connect(&fusion, &FusionStage::planChanged, this, &RooflineStage::follow_plan);
}

QString RooflineStage::hindrance() const {
  if (!session_ || !fusion_.plan())
    return tr("Open a model to hold its kernels against the machine.");
  if (!workers_) return tr("There is nothing to measure with here.");
  return {};
}

bool RooflineStage::is_working() const { return jobs_->busy(lanes::roofline); }

int RooflineStage::row_of(fusion::GroupId group) const {
  const auto found = std::ranges::find(
      shown_.kernels, group, [](const JudgedKernel& judged) { return judged.newest.group; });
  return found == shown_.kernels.end() ? -1 : static_cast<int>(found - shown_.kernels.begin());
}

QString RooflineStage::measured_words() const {
  return is_recalled_ ? tr("measured on %1").arg(text(shown_.when)) : QString();
}

std::optional<SavedRoofline> RooflineStage::last() const {
  return shown_.kernels.empty() ? other_ : shown_;
}

void RooflineStage::recall(SavedRoofline roofline) {
  other_ = std::move(roofline);
  show_recalled();
  emit changed();
}

void RooflineStage::show_recalled() {
  if (!fusion_.plan() || !shown_.kernels.empty() || is_working() || !other_ ||
      other_->of != fusion_.measured_of())
    return;
  SavedRoofline found = *std::exchange(other_, {});
  const bool is_of_plan = std::ranges::all_of(found.kernels, [&](const JudgedKernel& judged) {
    return judged.newest.group.value < fusion_.plan()->groups.size();
  });
  if (!is_of_plan) return;  // a file that somebody has written
  shown_ = std::move(found);
  is_recalled_ = true;
}

// Other kernels, of which other things are known.
void RooflineStage::follow_plan() {
  jobs_->cancel(lanes::roofline);
  if (!shown_.kernels.empty()) other_ = std::exchange(shown_, {});
  is_recalled_ = false;
  problem_.clear();
  show_recalled();
  emit changed();
}

void RooflineStage::forget() {
  jobs_->cancel(lanes::roofline);
  shown_ = {};
  other_.reset();
  is_recalled_ = false;
  problem_.clear();
  emit changed();
}

void RooflineStage::start(int threads) {
  if (!hindrance().isEmpty()) return;
  std::vector<fusion::GroupId> groups;
  for (const fusion::Group& group : fusion_.plan()->groups) groups.push_back(group.id);
  begin(tr("Holding kernels against the machine"), std::move(groups), threads);
}

void RooflineStage::start_kernel(fusion::GroupId group, int threads) {
  if (hindrance().isEmpty()) begin(tr("Holding a kernel against the machine"), {group}, threads);
}

void RooflineStage::start_trail(fusion::GroupId group, int threads) {
  if (hindrance().isEmpty())
    begin(tr("Holding the steps of a schedule against the machine"), {group}, threads, true);
}

void RooflineStage::begin(const QString& title, std::vector<fusion::GroupId> groups, int threads,
                          bool with_trail) {
  // Times on other threads are not to be compared with.
  if (threads != shown_.threads) shown_ = {};
  shown_.threads = threads;
  problem_.clear();
  was_stopped_ = false;
  using News = std::pair<roofline::Roofs, KernelVerdict>;
  const auto plan = fusion_.plan();
  const auto tell = handed_over<News>(*jobs_, this, [this, plan](const News& news) {
    // What comes late, of another plan, is of nobody.
    if (fusion_.plan() == plan) take(news.first, news.second);
  });
  const auto work = [session = session_, workers = workers_, plan, groups = std::move(groups),
                     threads, with_trail, tell](const JobContext& context) -> Result<bool> {
    RooflineRequest request{{}, threads, with_trail};
    for (const fusion::GroupId id : groups) request.kernels.push_back(&plan->group(id));
    std::ignore =
        TRY(network_roofline(*session, request, *workers, context.progress, context.cancellation,
                             [&](const roofline::Roofs& roofs, const KernelVerdict& kernel) {
                               tell({roofs, kernel});
                             }));
    return true;
  };
  jobs_->run<bool>(
      lanes::roofline, title, work, [this](bool) { emit changed(); },
      [this](const Diagnostic& problem) {
        problem_ = text(problem.what);
        emit changed();
      },
      this);
  emit changed();
}

void RooflineStage::take(const roofline::Roofs& roofs, const KernelVerdict& kernel) {
  shown_.roofs = shown_.roofs.threads == roofs.threads && !shown_.roofs.levels.empty() &&
                         !shown_.kernels.empty()
                     ? higher(shown_.roofs, roofs)
                     : roofs;
  shown_.when = QDateTime::currentDateTime().toString("yyyy-MM-dd hh:mm").toStdString();
  shown_.of = fusion_.measured_of();
  is_recalled_ = false;
  if (const int row = row_of(kernel.group); row >= 0) {
    JudgedKernel& judged = shown_.kernels[static_cast<std::size_t>(row)];
    judged.earlier.push_back(std::move(judged.newest.verdict));
    if (judged.earlier.size() > most_earlier) judged.earlier.erase(judged.earlier.begin());
    const KernelVerdict before = std::exchange(judged.newest, kernel);
    // By itself it was not timed among the others. With another schedule it takes another time
    // there, too: as many times as long as it does by itself.
    if (const double alone = judged.earlier.back().milliseconds;
        kernel.network_ms == 0 && before.network_ms > 0 && alone > 0)
      judged.newest.network_ms = before.schedule == kernel.schedule
                                     ? before.network_ms
                                     : before.network_ms * kernel.verdict.milliseconds / alone;
  } else {
    shown_.kernels.push_back({kernel, {}});
  }
  emit changed();
}

void RooflineStage::stop() {
  was_stopped_ = is_working();
  jobs_->cancel(lanes::roofline);
  emit changed();
}

}  // namespace loopglass::views
