#include "views/roofline/roofline_run.h"

#include "views/document/lanes.h"
#include "views/text.h"
#include "views/widgets/work_page.h"

#include <algorithm>

namespace loopglass::views {

namespace {

constexpr std::size_t most_earlier = 12;

}  // namespace

RooflineRun::RooflineRun(Document* document, QObject* parent)
    : QObject(parent), document_(document) {
  // Other kernels, of which nothing is known.
  connect(&document->fusion(), &FusionStage::planChanged, this, &RooflineRun::forget);
  connect(document, &Document::modelChanged, this, &RooflineRun::forget);
}

QString RooflineRun::hindrance() const {
  if (!document_->session() || !document_->fusion().plan())
    return tr("Open a model to hold its kernels against the machine.");
  if (!document_->workers()) return tr("There is nothing to measure with here.");
  return {};
}

bool RooflineRun::is_working() const { return document_->jobs().busy(lanes::roofline); }

int RooflineRun::row_of(fusion::GroupId group) const {
  const auto found =
      std::ranges::find(kernels_, group, [](const Judged& judged) { return judged.newest.group; });
  return found == kernels_.end() ? -1 : static_cast<int>(found - kernels_.begin());
}

void RooflineRun::forget() {
  document_->jobs().cancel(lanes::roofline);
  kernels_.clear();
  problem_.clear();
  emit changed();
}

void RooflineRun::start(int threads) {
  if (!hindrance().isEmpty()) return;
  // Times on other threads are not to be compared with.
  if (threads != threads_) kernels_.clear();
  std::vector<fusion::GroupId> groups;
  for (const fusion::Group& group : document_->fusion().plan()->groups) groups.push_back(group.id);
  begin(tr("Holding kernels against the machine"), std::move(groups), threads);
}

void RooflineRun::start_kernel(fusion::GroupId group, int threads) {
  if (!hindrance().isEmpty()) return;
  if (threads != threads_) kernels_.clear();
  begin(tr("Holding a kernel against the machine"), {group}, threads);
}

void RooflineRun::begin(const QString& title, std::vector<fusion::GroupId> groups, int threads) {
  threads_ = threads;
  problem_.clear();
  was_stopped_ = false;
  using News = std::pair<roofline::Roofs, KernelVerdict>;
  const auto plan = document_->fusion().plan();
  const auto tell = handed_over<News>(document_->jobs(), this, [this, plan](const News& news) {
    // What comes late, of another plan, is of nobody.
    if (document_->fusion().plan() == plan) take(news.first, news.second);
  });
  const auto work = [session = document_->session(), workers = document_->workers(), plan,
                     groups = std::move(groups), threads,
                     tell](const JobContext& context) -> Result<bool> {
    std::vector<const fusion::Group*> chosen;
    for (const fusion::GroupId id : groups) chosen.push_back(&plan->group(id));
    TRY(network_roofline(*session, chosen, threads, *workers, context.progress,
                         context.cancellation,
                         [&](const roofline::Roofs& roofs, const KernelVerdict& kernel) {
                           tell({roofs, kernel});
                         }));
    return true;
  };
  document_->jobs().run<bool>(
      lanes::roofline, title, work, [this](bool) { emit changed(); },
      [this](const Diagnostic& problem) {
        problem_ = text(problem.what);
        emit changed();
      },
      this);
  emit changed();
}

void RooflineRun::take(const roofline::Roofs& roofs, const KernelVerdict& kernel) {
  roofs_ = roofs_.threads == roofs.threads && !roofs_.levels.empty() && !kernels_.empty()
               ? higher(roofs_, roofs)
               : roofs;
  if (const int row = row_of(kernel.group); row >= 0) {
    Judged& judged = kernels_[static_cast<std::size_t>(row)];
    judged.earlier.push_back(std::move(judged.newest.verdict));
    if (judged.earlier.size() > most_earlier) judged.earlier.erase(judged.earlier.begin());
    const double in_network = judged.newest.network_ms;
    judged.newest = kernel;
    // By itself it was not timed among the others.
    if (kernel.network_ms == 0 && in_network > 0 && judged.earlier.back().milliseconds > 0)
      judged.newest.network_ms =
          in_network * kernel.verdict.milliseconds / judged.earlier.back().milliseconds;
  } else {
    kernels_.push_back({kernel, {}});
  }
  emit changed();
}

void RooflineRun::stop() {
  was_stopped_ = is_working();
  document_->jobs().cancel(lanes::roofline);
  emit changed();
}

}  // namespace loopglass::views
