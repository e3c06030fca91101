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

}  // namespace loopglass::views
