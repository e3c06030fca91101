#include "views/loops/line_times.h"

#include "core/line_ceilings.h"
#include "core/network_roofline.h"
#include "core/runtime/thread_pool.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/code/code_pane.h"
#include "views/counted.h"
#include "views/document/lanes.h"
#include "views/loops/script_margins.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/work_page.h"

#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>

#include <algorithm>
#include <array>
#include <map>

namespace loopglass::views {

LineTimes::LineTimes(Document* document, CodePane* pane, QObject* parent)
    : QObject(parent), document_(document), pane_(pane) {
  pane->editor()->setMarginType(time_margin, QsciScintilla::TextMarginRightJustified);
}

void LineTimes::measure(const std::string& workload) {
  const auto kernel = document_->kernels().kernel();
  if (!kernel || !document_->workers()) return;
  measure::ScriptAsked asked{kernel->stages->initial, pane_->text().toStdString()};
  asked.extents = kernel->stages->program.extents;
  asked.machine = document_->toolchain().machine;
  asked.threads = runtime::hardware_threads();
  // Someone waits, and the first lines of a script are slow.
  asked.rounds_at_least = 2;
  asked.warm_up = 0;
  using Lines = std::vector<measure::LineTime>;
  const auto keep = [this, workload, script = pane_->text()](Lines lines) {
    times_[workload] = {script, std::move(lines)};
    emit changed();
  };
  const auto tell = handed_over<Lines>(document_->jobs(), this, keep);
  document_->jobs().run<Lines>(
      lanes::script_times, tr("Measuring lines"),
      [asked, tell, workers = document_->workers(), toolchain = document_->toolchain(),
       kept = document_->roofline().kept_roofs()](const JobContext& context) -> Result<Lines> {
        Lines lines = TRY(
            measure::time_script(asked, *workers, context.progress, context.cancellation, tell));
        if (!kept.find) return lines;
        const int threads = lines.front().threads;
        auto roofs = kept.find(threads);
        if (!roofs) {
          roofs = TRY(
              measure_roofs(toolchain, threads, *workers, context.progress, context.cancellation));
          kept.keep(*roofs);
        }
        TRY_VOID(add_roofs(asked, toolchain, *roofs, lines, context.cancellation));
        return lines;
      },
      keep,
      [this](const Diagnostic& problem) {
        if (problem.code != loopglass::Code::Cancelled) emit document_->failed(problem);
      },
      this);
}

namespace {

// Where the lines of a script stand in another that begins with the same ones: what was measured of
// a line holds for what it follows.
std::map<int, int> lines_in_common(const QString& script, const QString& other) {
  const auto before = schedule::begin_script(script.toStdString()).trace.instructions,
             now = schedule::begin_script(other.toStdString()).trace.instructions;
  std::map<int, int> lines;
  for (std::size_t k = 0; k < std::min(before.size(), now.size()); ++k) {
    if (to_script(before[k]) != to_script(now[k])) break;
    lines[before[k].line] = now[k].line;
  }
  return lines;
}

}  // namespace

void LineTimes::show(const std::string& workload) {
  QsciScintilla* editor = pane_->editor();
  editor->clearMarginText();
  editor->setMarginWidth(time_margin, 0);
  const auto known = times_.find(workload);
  if (known == times_.end()) return;
  const Theme& t = theme();
  const bool is_past = known->second.script != pane_->text();
  const QFont font = pane_->lexer()->defaultFont();
  enum Kind : std::uint8_t { Past, Quicker, Slower, Same };
  const std::array colors{t.muted, t.good, t.error, t.text};
  const std::vector<measure::LineTime>& lines = known->second.lines;
  const std::map<int, int> now = lines_in_common(known->second.script, pane_->text());
  int widest = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto line = now.find(lines[i].line);
    // Against the last line that could be measured.
    std::size_t last = i;
    do --last;
    while (last > 0 && lines[last].time.rounds == 0);
    const bool is_timed = lines[i].time.rounds > 0 && lines[last].time.rounds > 0;
    if (!is_timed || line == now.end()) continue;
    const double before = lines[last].time.median_ms, after = lines[i].time.median_ms;
    const double factor = after > 0 ? before / after : 1;
    const QString words = QString("%1  %2×")
                              .arg(lines[i].gflops > 0 ? text(readable_speed(lines[i].gflops))
                                                       : text(readable_time(Milliseconds(after))))
                              .arg(factor, 0, 'f', 2);
    constexpr double clear = 1.1;  // more than one minute differs from the next
    const Kind kind = is_past              ? Past
                      : factor > clear     ? Quicker
                      : factor < 1 / clear ? Slower
                                           : Same;
    editor->setMarginText(line->second - 1, words,
                          QsciStyle(time_style + kind, "time", colors[kind], t.surface, font));
    widest = std::max(widest, QFontMetrics(font).horizontalAdvance(words + "  "));
  }
  editor->setMarginWidth(time_margin, widest);
}

QString LineTimes::words(const std::string& workload) const {
  const auto known = times_.find(workload);
  if (known == times_.end()) return {};
  const std::vector<measure::LineTime>& lines = known->second.lines;
  const bool is_past = known->second.script != pane_->text();
  if (lines.back().gflops <= 0)
    return is_past ? tr(" · in grey: measured before the script was changed") : QString();
  return (is_past ? tr(" · before the change %1 → %2 on %3") : tr(" · %1 → %2 on %3"))
      .arg(text(readable_speed(lines.front().gflops)), text(readable_speed(lines.back().gflops)),
           counted(lines.front().threads, "thread"));
}

const std::vector<schedule::LimitRemark>* LineTimes::limits(const std::string& workload,
                                                            int line) const {
  const auto known = times_.find(workload);
  if (known == times_.end() || known->second.script != pane_->text()) return nullptr;
  const measure::LineTime* last = nullptr;
  for (const measure::LineTime& timed : known->second.lines)
    if (timed.line <= line && timed.time.rounds > 0) last = &timed;
  return last ? &last->limits : nullptr;
}

}  // namespace loopglass::views
