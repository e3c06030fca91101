#include "views/tuning/lineage.h"

#include "core/support/line_diff.h"
#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/text_size.h"

#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace loopglass::views {

namespace {

const ShownTrial& trial_at(const ShownRun& run, int place) {
  return run.trials[static_cast<std::size_t>(place)];
}

QString time_words(const ShownTrial& trial) {
  if (!trial.failure.empty()) return text(trial.failure).toHtmlEscaped();
  if (std::isnan(trial.best_known_ms())) return QObject::tr("no time");
  return text(readable_time(Milliseconds(trial.best_known_ms())));
}

QString link_to(int place, const ShownTrial& trial) {
  return QString("<a href='%1' style='color:%2'>trial %3</a>")
      .arg(place)
      .arg(theme().accent.name())
      .arg(trial.number);
}

QString gain_words(const ShownTrial& parent, const ShownTrial& child) {
  const double before = parent.best_known_ms(), after = child.best_known_ms();
  if (std::isnan(before) || std::isnan(after)) return {};
  const QColor color = after < before   ? theme().good
                       : after > before ? theme().error
                                        : theme().muted;
  return QString(" <span style='color:%1'>%2x</span>")
      .arg(color.name())
      .arg(before / after, 0, 'f', 2);
}

QString difference_of(const std::string& before, const std::string& after) {
  QString lines;
  for (const Hunk& hunk : line_diff(before, after, 0))
    for (const DiffLine& line : hunk.lines) {
      if (line.kind == LineKind::Same) continue;
      const bool is_added = line.kind == LineKind::Added;
      lines += QString("<div style='color:%1; white-space:pre-wrap'>%2 %3</div>")
                   .arg((is_added ? theme().good : theme().error).name(), is_added ? "+" : "−",
                        text(line.text).toHtmlEscaped());
    }
  return lines.isEmpty() ? QString("<div style='color:%1'>%2</div>")
                               .arg(theme().muted.name(),
                                    QObject::tr("the same lines: only what it stands for differs"))
                         : lines;
}

QString page_of(const ShownRun& run, int place) {
  QString page;
  const std::vector<int> chain = lineage_of(run, place);
  for (std::size_t step = 0; step < chain.size(); ++step) {
    const ShownTrial& trial = trial_at(run, chain[step]);
    const ShownTrial* parent = step + 1 < chain.size() ? &trial_at(run, chain[step + 1]) : nullptr;
    page +=
        QString("<p style='margin:8px 0 2px 0'><b>%1</b>: %2%3 · %4")
            .arg(link_to(chain[step], trial), time_words(trial),
                 parent ? gain_words(*parent, trial) : QString(), text(trial.how).toHtmlEscaped());
    if (parent) {
      page += QObject::tr(" of %1").arg(link_to(chain[step + 1], *parent));
      for (std::size_t p = 1; p < trial.parents.size(); ++p)
        if (trial.parents[p] >= 0 && trial.parents[p] < std::ssize(run.trials))
          page += QObject::tr(" and %1").arg(
              link_to(trial.parents[p], trial_at(run, trial.parents[p])));
    } else {
      page += QObject::tr(": a first sample");
    }
    page += "</p>";
    if (parent && !trial.script.empty() && !parent->script.empty())
      page += difference_of(parent->script, trial.script);
    else if (!parent)
      page += QString("<div style='color:%1; white-space:pre-wrap'>%2</div>")
                  .arg(theme().muted.name(), text(trial.script).toHtmlEscaped());
  }
  return page;
}

}  // namespace

std::vector<int> lineage_of(const ShownRun& run, int trial) {
  std::vector<int> chain;
  // Parents are older: it ends.
  while (trial >= 0 && trial < std::ssize(run.trials) && (chain.empty() || trial < chain.back())) {
    chain.push_back(trial);
    const auto& parents = trial_at(run, trial).parents;
    trial = parents.empty() ? -1 : parents.front();
  }
  return chain;
}

LineageView::LineageView(QWidget* parent) : QTextBrowser(parent) {
  setObjectName("lineage");
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  use_code_font(this);
  connect(this, &QTextBrowser::anchorClicked, this,
          [this](const QUrl& url) { emit trialChosen(url.toString().toInt()); });
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] { shown_.clear(); });
}

void LineageView::show_trial(const ShownRun* run, int trial) {
  const bool is_there = run && trial >= 0 && trial < std::ssize(run->trials);
  const QString page =
      is_there ? page_of(*run, trial)
               : QString("<p style='color:%1'>%2</p>")
                     .arg(theme().muted.name(),
                          tr("Where a trial came from: its parents, and what each step changed."));
  if (page == shown_) return;
  shown_ = page;
  setHtml(page);
  verticalScrollBar()->setValue(0);
}

}  // namespace loopglass::views
