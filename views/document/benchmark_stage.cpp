#include "views/document/benchmark_stage.h"

#include "views/document/fusion_stage.h"
#include "views/document/lanes.h"
#include "views/text.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace loopglass::views {

BenchmarkStage::BenchmarkStage(const StageTools& tools, const FusionStage& fusion, QObject* parent)
    : DocumentStage(tools, parent), fusion_(fusion) {
  connect(board_, &StageBoard::gaveUp, this, [this](Stage stage) {
    if (stage == Stage::Model || stage == Stage::Plan) forget_wish();
  });
}

MeasuredOf BenchmarkStage::measured_of() const {
  MeasuredOf of = fusion_.measured_of();
  of.schedules = schedules_;
  return of;
}

void BenchmarkStage::start(int threads, int rounds) {
  if (jobs_->busy(lanes::opening)) {
    wanted_ = {threads, rounds};
    return emit benchmarkChanged();
  }
  if (!fusion_.plan()) return;
  using Report = runtime::BenchmarkReport;
  round_times_.clear();
  rounds_ = rounds;
  stopped_after_.reset();
  enough_ = {};
  const int run = ++run_;
  board_->set(Stage::Benchmark, StageState::Working);
  emit benchmarkChanged();
  jobs_->run<Report>(
      lanes::benchmark, tr("Benchmark"),
      [this, session = session_, threads, rounds, run,
       enough = enough_](const JobContext& context) {
        runtime::BenchmarkOptions options;
        options.threads = threads;
        options.rounds = rounds;
        options.cancellation = context.cancellation;
        options.enough = enough;
        options.on_round = [this, run](int round, double milliseconds) {
          QMetaObject::invokeMethod(
              this,
              [this, run, round, milliseconds] {
                if (run != run_) return;
                round_times_.push_back(milliseconds);
                emit benchmarkRound(round, milliseconds);
              },
              Qt::QueuedConnection);
        };
        return session->benchmark(options, context.progress);
      },
      [this](Report report) {
        is_part_kept_ = report.network.rounds < rounds_;
        if (is_part_kept_) stopped_after_ = static_cast<std::size_t>(report.network.rounds);
        keep(std::move(report));
        board_->set(Stage::Benchmark, StageState::Ready);
        emit benchmarkChanged();
      },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::Benchmark, diagnostic); });
}

void BenchmarkStage::forget_wish() {
  if (std::exchange(wanted_, {})) emit benchmarkChanged();
}

void BenchmarkStage::stop() {
  const bool works = board_->state(Stage::Benchmark) == StageState::Working;
  if (!works || round_times_.empty() || enough_.requested()) return cancel();
  forget_wish();
  enough_.request();
  emit benchmarkChanged();
}

void BenchmarkStage::cancel() {
  forget_wish();
  if (board_->state(Stage::Benchmark) != StageState::Working) return;
  jobs_->cancel(lanes::benchmark);
  ++run_;
  stopped_after_ = round_times_.size();
  is_part_kept_ = false;
  // The rounds are those of the report that stays.
  round_times_ = report_ && last_times_ ? last_times_->rounds : std::vector<double>();
  board_->set(Stage::Benchmark, report_ ? StageState::Ready : StageState::Empty);
  emit benchmarkChanged();
}

bool BenchmarkStage::is_stopping() const {
  return board_->state(Stage::Benchmark) == StageState::Working && enough_.requested();
}

void BenchmarkStage::keep(runtime::BenchmarkReport report) {
  report_ = std::make_shared<const runtime::BenchmarkReport>(std::move(report));
  is_recalled_ = false;
  last_times_ = {QDateTime::currentDateTime().toString("yyyy-MM-dd hh:mm").toStdString(),
                 measured_of(), *report_, round_times_};
}

void BenchmarkStage::recall(SavedTimes times) {
  last_times_ = std::move(times);
  show_recalled();
  emit benchmarkChanged();
}

void BenchmarkStage::show_recalled() {
  if (!fusion_.plan() || report_ || !last_times_ || last_times_->of != measured_of() ||
      board_->state(Stage::Benchmark) == StageState::Working)
    return;
  report_ = std::make_shared<const runtime::BenchmarkReport>(last_times_->report);
  round_times_ = last_times_->rounds;
  is_recalled_ = true;
  board_->set(Stage::Benchmark, StageState::Ready);
  emit benchmarkChanged();
}

QString BenchmarkStage::measured_words() const {
  return report_ && is_recalled_ ? tr("measured on %1").arg(text(last_times_->when)) : QString();
}

QString BenchmarkStage::stopped_words() const {
  if (!stopped_after_) return {};
  const QString words = is_part_kept_
                            ? tr("stopped after %1 of %2 rounds")
                            : tr("the last run was cancelled after %1 of %2 rounds, of which "
                                 "nothing is kept");
  return words.arg(*stopped_after_).arg(rounds_);
}

QString BenchmarkStage::other_times_words() const {
  if (!fusion_.plan() || report_ || !last_times_) return {};
  const std::string words = difference_words(last_times_->of, measured_of());
  return words.empty() ? QString()
                       : tr("the times of %1 are of %2").arg(text(last_times_->when), text(words));
}

const runtime::KernelTiming* BenchmarkStage::timing_of(fusion::GroupId group) const {
  if (!report_) return nullptr;
  const auto& kernels = report_->kernels;
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.group == group; });
  return found == kernels.end() ? nullptr : &*found;
}

void BenchmarkStage::start_if_wished() {
  if (const auto wish = std::exchange(wanted_, {})) start(wish->threads, wish->rounds);
}

void BenchmarkStage::drop() {
  jobs_->cancel(lanes::benchmark);
  ++run_;
  stopped_after_.reset();
  report_.reset();
  is_recalled_ = false;
  round_times_.clear();
  board_->set(Stage::Benchmark, StageState::Empty);
}

}  // namespace loopglass::views
