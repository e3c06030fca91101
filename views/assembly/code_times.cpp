#include "views/assembly/code_times.h"

#include "core/loop/symbols.h"
#include "core/support/readable_time.h"
#include "views/document/lanes.h"
#include "views/text.h"

namespace loopglass::views {

CodeTimes::CodeTimes(Document* document, QObject* parent) : QObject(parent), document_(document) {}

bool CodeTimes::can_measure() const {
  const auto kernel = document_->kernels().kernel();
  return kernel && !kernel->stages->is_view && document_->kernels().machine_code() &&
         document_->workers();
}

void CodeTimes::measure() {
  if (!can_measure()) return;
  const auto stages = document_->kernels().kernel()->stages;
  const std::shared_ptr<const codegen::KernelListings> listings =
      document_->kernels().machine_code()->listings;
  const Machine machine = document_->toolchain().machine;
  const auto work = [stages, listings, machine,
                     workers = document_->workers()](const JobContext& context) {
    measure::ProfileAsked asked{*stages, *listings, machine};
    asked.symbols = loop::symbol_values(stages->initial, stages->program.extents);
    return measure::profile_code(asked, *workers, context.cancellation);
  };
  document_->jobs().run<measure::CodeProfile>(
      lanes::code_times, tr("Looking where the time goes"), work,
      [this, listings](measure::CodeProfile profile) {
        of_ = listings;
        profile_ = std::move(profile);
        regions_ = measure::hot_regions(listings->assembly(), profile_);
        emit changed();
      },
      [this](const Diagnostic& problem) {
        if (problem.code != loopglass::Code::Cancelled) emit document_->failed(problem);
      },
      this);
}

const measure::CodeProfile* CodeTimes::profile() const {
  const auto code = document_->kernels().machine_code();
  return code && of_ && code->listings == of_ ? &profile_ : nullptr;
}

QString CodeTimes::words() const {
  if (!profile() || regions_.empty()) return {};
  const measure::CodeRegion& hottest = regions_.front();
  const QString where = !hottest.is_loop       ? tr("outside of loops")
                        : hottest.is_innermost ? tr("an innermost loop")
                                               : tr("a loop, without those in it");
  return tr("%1 a run on 1 thread, %2 % of it in lines %3 to %4, %5")
      .arg(text(readable_time(Milliseconds(profile_.milliseconds))))
      .arg(100.0 * static_cast<double>(hottest.samples) / static_cast<double>(profile_.all), 0, 'f',
           0)
      .arg(hottest.span.first + 1)
      .arg(hottest.span.last + 1)
      .arg(where);
}

}  // namespace loopglass::views
