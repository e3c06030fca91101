#include "views/loops/line_times.h"

#include "core/line_ceilings.h"
#include "core/network_roofline.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/timing_words.h"
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
#include <utility>

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
  using measure::ScriptTimes;
  begin(workload, pane_->text());
  const auto keep = [this, workload](Progress progress) {
    return [this, workload, progress](ScriptTimes times) {
      times_[workload].last.times = std::move(times);
      times_[workload].last.progress = progress;
      emit changed();
    };
  };
  const auto tell = handed_over<ScriptTimes>(document_->jobs(), this, keep(Progress::Measuring));
  document_->jobs().run<ScriptTimes>(
      lanes::script_times, tr("Measuring lines"),
      [asked, tell, workers = document_->workers(), toolchain = document_->toolchain(),
       kept =
           document_->roofline().kept_roofs()](const JobContext& context) -> Result<ScriptTimes> {
        ScriptTimes times = TRY(
            measure::time_script(asked, *workers, context.progress, context.cancellation, tell));
        if (!kept.find) return times;
        const int threads = times.lines.front().threads;
        auto roofs = kept.find(threads);
        if (!roofs) {
          roofs = TRY(
              measure_roofs(toolchain, threads, *workers, context.progress, context.cancellation));
          kept.keep(*roofs);
        }
        TRY_VOID(add_roofs(asked, toolchain, *roofs, times.lines, context.cancellation));
        return times;
      },
      keep(Progress::Done),
      [this, workload](const Diagnostic& problem) {
        end_early(workload);
        emit changed();
        if (problem.code != loopglass::Code::Cancelled) emit document_->failed(problem);
      },
      this);
}

// What was measured to its end of another script is what this one is held against.
void LineTimes::begin(const std::string& workload, const QString& script) {
  Times& times = times_[workload];
  const bool is_whole = times.last.progress == Progress::Done && !times.last.times.lines.empty();
  if (is_whole && !is_of_text(times.last)) times.before = std::move(times.last);
  if (!is_of_text(times.last)) times.last = {script, {}, Progress::Measuring};
}

void LineTimes::end_early(const std::string& workload) {
  Times& times = times_[workload];
  if (times.last.times.lines.empty() && times.before) times.last = *std::exchange(times.before, {});
  else if (times.last.progress == Progress::Measuring) times.last.progress = Progress::Cancelled;
}

namespace {

// One that says something, without its comment: also where it does not parse, as while it is typed.
struct Line {
  int number;
  QString words;
};

std::vector<Line> lines_of(const QString& script) {
  std::vector<Line> lines;
  int number = 0;
  for (const QString& line : script.split('\n')) {
    ++number;
    if (const QString words = line.section("//", 0, 0).trimmed(); !words.isEmpty())
      lines.push_back({number, words});
  }
  return lines;
}

// Half of the middle half's width, where that is worth a word: " ±12 %".
QString noise_words(const runtime::Statistics& time) {
  constexpr double worth_a_word = 0.05;
  const double part = (time.upper_quartile_ms - time.lower_quartile_ms) / 2 / time.median_ms;
  return part < worth_a_word ? QString() : QString(" ±%1 %").arg(100 * part, 0, 'f', 0);
}

bool is_quicker(const runtime::Statistics& one, const runtime::Statistics& other) {
  return one.upper_quartile_ms < other.lower_quartile_ms;
}

// Where a line of an earlier script stands now, and whether what was measured of it holds: all
// lines up to it are the same.
struct Place {
  int line = 0;
  bool holds = false;
};

// By line. Between what both begin and end with, the first goes with the first, and so on.
std::map<int, Place> places_now(const QString& script, const QString& other) {
  const std::vector<Line> before = lines_of(script), now = lines_of(other);
  const auto first = static_cast<std::size_t>(
      std::ranges::mismatch(before, now, {}, &Line::words, &Line::words).in1 - before.begin());
  std::size_t last = 0;  // so many from the end
  while (last < before.size() - first && last < now.size() - first &&
         before[before.size() - 1 - last].words == now[now.size() - 1 - last].words)
    ++last;
  std::map<int, Place> places;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const bool is_end = k >= before.size() - last;
    const std::size_t there = is_end ? k + now.size() - before.size() : k;
    if (is_end || there < now.size() - last)
      places[before[k].number] = {now[there].number, k < first};
  }
  return places;
}

}  // namespace

bool LineTimes::is_of_text(const Run& run) const {
  return std::ranges::equal(lines_of(run.script), lines_of(pane_->text()), {}, &Line::words,
                            &Line::words);
}

void LineTimes::show(const std::string& workload) {
  QsciScintilla* editor = pane_->editor();
  editor->clearMarginText();
  editor->setMarginWidth(time_margin, 0);
  const auto known = times_.find(workload);
  if (known == times_.end()) return;
  const Theme& t = theme();
  const QFont font = pane_->lexer()->defaultFont();
  enum Kind : std::uint8_t { Past, Quicker, Slower, Same };
  const std::array colors{t.muted, t.good, t.error, t.text};
  const std::vector<measure::LineTime>& lines = known->second.last.times.lines;
  const std::map<int, Place> now = places_now(known->second.last.script, pane_->text());
  int widest = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto place = now.find(lines[i].line);
    // Against the last line that could be measured.
    std::size_t last = i;
    do --last;
    while (last > 0 && lines[last].time.rounds == 0);
    const bool is_timed = lines[i].time.rounds > 0 && lines[last].time.rounds > 0;
    if (!is_timed || place == now.end()) continue;
    const double before = lines[last].time.median_ms, after = lines[i].time.median_ms;
    const double factor = after > 0 ? before / after : 1;
    const QString words = QString("%1%2  %3×")
                              .arg(lines[i].gflops > 0 ? text(readable_speed(lines[i].gflops))
                                                       : text(readable_time(Milliseconds(after))),
                                   noise_words(lines[i].time))
                              .arg(factor, 0, 'f', 2);
    constexpr double clear = 1.1;  // more than one minute differs from the next
    const bool are_apart =
        is_quicker(lines[i].time, lines[last].time) || is_quicker(lines[last].time, lines[i].time);
    const Kind kind = !place->second.holds              ? Past
                      : are_apart && factor > clear     ? Quicker
                      : are_apart && factor < 1 / clear ? Slower
                                                        : Same;
    editor->setMarginText(place->second.line - 1, words,
                          QsciStyle(time_style + kind, "time", colors[kind], t.surface, font));
    widest = std::max(widest, QFontMetrics(font).horizontalAdvance(words + "  "));
  }
  editor->setMarginWidth(time_margin, widest);
}

QString LineTimes::words(const std::string& workload) const {
  const auto known = times_.find(workload);
  if (known == times_.end() || known->second.last.times.lines.empty()) return {};
  const Run& run = known->second.last;
  const std::vector<measure::LineTime>& lines = run.times.lines;
  const bool is_past = !is_of_text(run);
  const QString cancelled =
      run.progress == Progress::Cancelled ? tr(" (cancelled: of few runs)") : QString();
  if (lines.back().gflops <= 0)
    return (is_past ? tr(" · in grey: measured before the script was changed") : QString()) +
           cancelled;
  const auto& load = run.times.load;
  const int threads = lines.front().threads;
  const QString busy = !is_past && load && is_busy(*load, threads)
                           ? " · " + text(runtime::load_words(*load, threads))
                           : QString();
  const auto& before = known->second.before;
  const QString gain = !is_past && before && before->times.lines.back().gflops > 0
                           ? tr(" (%1 before the change)")
                                 .arg(text(readable_speed(before->times.lines.back().gflops)))
                           : QString();
  return (is_past ? tr(" · before the change %1 → %2 on %3") : tr(" · %1 → %2 on %3"))
             .arg(text(readable_speed(lines.front().gflops)),
                  text(readable_speed(lines.back().gflops)), counted(threads, "thread")) +
         gain + cancelled + busy;
}

const std::vector<schedule::LimitRemark>* LineTimes::limits(const std::string& workload,
                                                            int line) const {
  const auto known = times_.find(workload);
  if (known == times_.end() || !is_of_text(known->second.last)) return nullptr;
  const measure::LineTime* last = nullptr;
  for (const measure::LineTime& timed : known->second.last.times.lines)
    if (timed.line <= line && timed.time.rounds > 0) last = &timed;
  return last ? &last->limits : nullptr;
}

}  // namespace loopglass::views
