#include "views/roofline/verdict_html.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/roofline/roofline_picture.h"
#include "views/text.h"
#include "views/theme.h"

#include <QObject>

#include <cmath>

namespace loopglass::views {

namespace {

QString ms(double milliseconds) { return text(readable_time(Milliseconds(milliseconds))); }

QString bytes(double count) { return text(readable_bytes(static_cast<std::int64_t>(count))); }

QString row(const QString& name, const QString& time, const QString& words) {
  return QString("<tr><td>%1&nbsp;</td><td align='right'>&nbsp;%2&nbsp;</td><td>%3</td></tr>")
      .arg(name, time, words);
}

QString trail_html(const ScheduleTrail& trail) {
  QString html = "<p>" + QObject::tr("Its schedule, step by step:") + "</p><table>";
  for (const TrailStep& step : trail.steps)
    html += QString(
                "<tr><td align='right'>%1&nbsp;</td><td align='right'>&nbsp;%2&nbsp;</td>"
                "<td align='right'>&nbsp;%3&nbsp;%&nbsp;</td>"
                "<td><span style='color:%4'>●</span>&nbsp;%5&nbsp;</td><td>%6</td></tr>")
                .arg(QString::number(step.step), ms(step.verdict.milliseconds),
                     QString::number(100 * step.verdict.share_of_roof(), 'f', 0),
                     color_of(step.verdict.bound).name(), text(roofline::name(step.verdict.bound)),
                     text(step.line).toHtmlEscaped());
  html += "</table>";
  for (const std::string& problem : trail.left_out)
    html += QString("<p style='color:%1'>%2</p>")
                .arg(theme().muted.name(), text(problem).toHtmlEscaped());
  return html;
}

}  // namespace

QString verdict_html(const KernelVerdict& kernel) {
  const roofline::Verdict& verdict = kernel.verdict;
  const roofline::Traffic& traffic = verdict.traffic;
  QString html = QString("<p><b>%1</b>: %2")
                     .arg(text(kernel.kernel).toHtmlEscaped(), ms(verdict.milliseconds));
  if (kernel.network_ms > 0)
    html += QObject::tr(" by itself, %1 in the network").arg(ms(kernel.network_ms));
  html += ", " + text(readable_speed(verdict.gflops()));
  constexpr double the_same = 0.01;
  if (std::abs(traffic.flops - traffic.useful_flops) > the_same * traffic.useful_flops)
    html += QObject::tr(" (of what is asked for; it computes %1)")
                .arg(text(readable_speed(traffic.flops / verdict.milliseconds * 1e-6)));
  html += "</p>";
  html += QString("<p><span style='color:%1'>●</span> <b>%2</b> %3<br>%4</p>")
              .arg(color_of(verdict.bound).name(), text(roofline::name(verdict.bound)),
                   text(roofline::doc(verdict.bound)), text(kernel.sentence()).toHtmlEscaped());
  for (const std::string& note : verdict.notes)
    html +=
        QString("<p style='color:%1'>%2</p>").arg(theme().muted.name(), text(note).toHtmlEscaped());
  if (kernel.pipeline)
    html += "<p>" +
            QObject::tr("Main loop: %1.").arg(text(kernel.pipeline->words()).toHtmlEscaped()) +
            "</p>";
  html += "<p>" + QObject::tr("If this alone were in the way:") + "</p><table>";
  for (const roofline::Ceiling& ceiling : verdict.ceilings)
    html += row(text(roofline::name(ceiling.bound)), ms(ceiling.milliseconds),
                QString("%1 %").arg(100 * ceiling.share, 0, 'f', 0));
  html += "</table>";
  if (!verdict.trials.empty())
    html += "<p>" + QObject::tr("Experiments: the same nest, changed.") + "</p><table>";
  for (const roofline::Trial& trial : verdict.trials)
    html += row(text(roofline::name(trial.experiment)), ms(trial.milliseconds),
                text(roofline::words(trial, verdict)).toHtmlEscaped());
  if (!verdict.trials.empty()) html += "</table>";
  html += QObject::tr(
              "<p>%1 of %2; %3 loaded from L1; fetched %4 from L2, %5 from L3, %6 from memory in "
              "one run.</p>")
              .arg(text(readable_flops(traffic.useful_flops)), text(name(traffic.type)),
                   bytes(traffic.l1), bytes(traffic.l2), bytes(traffic.l3), bytes(traffic.memory));
  html += (verdict.bound == roofline::Bound::Compute
               ? QObject::tr("<p>At the peak: %1 at the least. Try: %2</p>")
               : QObject::tr("<p>Without what binds it: %1 at the least. Try: %2</p>"))
              .arg(ms(verdict.otherwise_ms), text(roofline::advice(verdict.bound)));
  if (kernel.trail) html += trail_html(*kernel.trail);
  return html;
}

}  // namespace loopglass::views
