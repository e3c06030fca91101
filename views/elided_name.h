// Names in little room.
#pragma once

#include <QFontMetricsF>
#include <QString>

namespace loopglass::views {

// An operator's name in little room, so that it is still told from others like it: first the outer
// scopes go, but for the last number if that would go with them, then a last part that only says
// which operator it is, as the title does.
// "attention.query.matmul" is "…query.matmul", then "…query…"; "block10.pointwise" "block10…wise".
QString elided_name(const QString& name, const QString& title, const QFontMetricsF& metrics,
                    double width);

// Whether what is left of a text still tells something: whole parts of it, or most of its letters.
// From afar two letters about dots are no more than a stain.
bool is_telling(const QString& shown, const QString& whole);

}  // namespace loopglass::views
