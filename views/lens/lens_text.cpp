#include "views/lens/lens_text.h"

#include "views/counted.h"
#include "views/document/difference_words.h"
#include "views/theme.h"

#include <QLocale>
#include <QStringList>

namespace loopglass::views {
namespace {

QString tr(const char* text) { return QObject::tr(text); }
QString escaped(const std::string& value) { return QString::fromStdString(value).toHtmlEscaped(); }
QString six_digits(double value) { return QString::number(value, 'g', 6); }
QString count(std::int64_t value) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}
QString coloured(const QColor& color, const QString& words) {
  return QString("<span style='color:%1'>%2</span>").arg(color.name(), words);
}

// What is no number is worth a second look.
QString suspicious(std::int64_t value) {
  return value == 0 ? count(0) : coloured(theme().error, "⚠ " + count(value));
}

QStringList column(const debug::Summary& summary) {
  const bool any = summary.finite() > 0;
  const auto finite = [&](const QString& words) { return any ? words : QString("–"); };
  return {escaped(to_string(summary.type)),
          count(summary.elements),
          finite(six_digits(summary.minimum) + " … " + six_digits(summary.maximum)),
          finite(six_digits(summary.mean) + " ± " + six_digits(summary.standard_deviation)),
          suspicious(summary.nan),
          suspicious(summary.infinite)};
}

QString first_elements(const debug::Summary& summary) {
  QStringList elements;
  for (std::int64_t i = 0; i < summary.first.elements(); ++i)
    elements << escaped(debug::element_text(summary.first, i));
  return elements.join(", ") + (summary.elements > summary.first.elements() ? ", …" : "");
}

}  // namespace

QString numbers_html(const Look& look, const QString& here, const QString& there) {
  const QString muted = theme().muted.name();
  const QStringList names{tr("Type"), tr("Elements"), tr("Range"), tr("Mean ± deviation"),
                          tr("NaN"),  tr("Infinite")};
  const QStringList left = column(look.here),
                    right = look.there ? column(*look.there) : QStringList();
  QString html;
  if (look.here.is_unknown)
    html += "<p>" +
            coloured(theme().warning,
                     tr("There are no numbers: the value is too large to hold, or of a "
                        "type that nothing here computes with.")) +
            "</p>";
  else if (look.here.opaque)
    html += "<p>" +
            coloured(theme().warning, tr("These are random numbers: the value follows from an "
                                         "operator that is not computed here.")) +
            "</p>";
  html += "<table cellspacing='0' cellpadding='2'>";
  if (look.there)
    html += QString(
                "<tr><td></td><td style='color:%1'>%2&nbsp;&nbsp;</td><td "
                "style='color:%1'>%3</td></tr>")
                .arg(muted, here.toHtmlEscaped(), there.toHtmlEscaped());
  for (qsizetype i = 0; i < names.size(); ++i) {
    html += QString("<tr><td style='color:%1'>%2&nbsp;&nbsp;</td><td>%3&nbsp;&nbsp;</td>")
                .arg(muted, names[i], left[i]);
    if (look.there)
      html += "<td>" + (right[i] == left[i] ? coloured(theme().muted, "=") : right[i]) + "</td>";
    html += "</tr>";
  }
  html += "</table>";
  const QString first = first_elements(look.here);
  if (first.isEmpty()) return html;
  html += QString("<p style='margin:4px 0 0 2px'><span style='color:%1'>%2</span> %3</p>")
              .arg(muted, tr("First:"), first);
  if (look.there)
    if (const QString other = first_elements(*look.there); other != first)
      html += QString("<p style='margin:2px 0 0 2px'><span style='color:%1'>%2</span> %3</p>")
                  .arg(muted, tr("At %1:").arg(there.toHtmlEscaped()), other);
  return html;
}

QString difference_html(const Look& look, const QString& there) {
  if (!look.comparison) return {};
  const Theme& t = theme();
  const debug::Difference* d = look.difference();
  if (!d) {
    if (look.there)
      return coloured(t.good, tr("✓ a constant, the same at %1").arg(there.toHtmlEscaped()));
    return coloured(t.muted, tr("It has no counterpart at %1.").arg(there.toHtmlEscaped()));
  }
  QString html = coloured(d->diverges     ? t.error
                          : d->comparable ? t.good
                                          : t.muted,
                          (d->diverges     ? "✕ "
                           : d->comparable ? "✓ "
                                           : "⇄ ") +
                              in_words(*d).toHtmlEscaped());
  if (d->diverges && d->worst >= 0)
    html += tr("<br>worst at element %1: %2 where it was %3")
                .arg(count(d->worst), six_digits(d->worst_after), six_digits(d->worst_before));
  if (d->name_before != d->name_after || d->match != debug::Match::Id) {
    const QString how = d->match == debug::Match::Id        ? tr("the same value")
                        : d->match == debug::Match::Rewrite ? tr("by the rewrites between")
                                                            : tr("by its name");
    html +=
        "<br>" + coloured(t.muted, tr("compared with %1 (%2)").arg(escaped(d->name_before), how));
  }
  return html;
}

QString parting_html(const debug::Comparison& comparison, const QString& there) {
  const Theme& t = theme();
  std::size_t same = 0, close = 0, apart = 0, incomparable = 0;
  for (const debug::Difference& d : comparison.values)
    ++(!d.comparable ? incomparable : d.diverges ? apart : d.bitwise_different > 0 ? close : same);
  const QString against = there.toHtmlEscaped();
  QStringList parts{tr("%1 the same to the bit").arg(same)};
  if (close > 0) parts << tr("%1 within the tolerance").arg(close);
  if (apart > 0) parts << tr("%1 diverge").arg(apart);
  if (incomparable > 0) parts << tr("%1 of another type").arg(incomparable);
  if (comparison.only_after > 0) parts << tr("%1 only here").arg(comparison.only_after);
  if (comparison.only_before > 0) parts << tr("%1 only there").arg(comparison.only_before);
  const QString tally =
      coloured(t.muted, counted(comparison.values.size(), "value") +
                            tr(" compared with %1: ").arg(against) + parts.join(", "));
  if (!comparison.first_divergence)
    return coloured(t.good, incomparable > 0 ? tr("✓ No value that can be compared diverges.")
                                             : tr("✓ No value diverges.")) +
           "<br>" + tally;
  const debug::Difference& first = comparison.values[*comparison.first_divergence];
  return coloured(t.error, tr("✕ The first to diverge is ")) +
         QString("<a style='color:%1' href='value:%2'>%3</a><br>")
             .arg(t.accent.name())
             .arg(first.after.value)
             .arg(escaped(first.name_after)) +
         tally;
}

}  // namespace loopglass::views
