#include "views/document/difference_words.h"

#include <QLocale>
#include <QObject>

namespace loopglass::views {
namespace {

QString tr(const char* text) { return QObject::tr(text); }
QString number(double value) { return QString::number(value, 'g', 6); }
QString count(std::int64_t value) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

}  // namespace

QString in_words(const debug::Difference& d) {
  if (!d.comparable)
    return tr("another type: %1 where it was %2")
        .arg(QString::fromStdString(to_string(d.type_after)),
             QString::fromStdString(to_string(d.type_before)));
  if (d.bitwise_different == 0) return tr("the same to the bit");
  const QString error = number(d.relative_error);
  if (!d.diverges)
    return tr("within the tolerance: %1 of %2 elements differ, by up to %3 of |expected| + RMS")
        .arg(count(d.bitwise_different), count(d.elements), error);
  return tr("diverges: %1 of %2 elements beyond the tolerance, by up to %3 of |expected| + RMS")
      .arg(count(d.outside), count(d.elements), error);
}

}  // namespace loopglass::views
