// What a lens sees, in words and numbers, as rich text.
#pragma once

#include "views/lens/look.h"

#include <QString>

namespace loopglass::views {

// A table of the tensor's numbers, with a column for the other place where there is one.
QString numbers_html(const Look& look, const QString& here, const QString& there);
// By how much the value looked at differs; empty when nothing was compared.
QString difference_html(const Look& look, const QString& there);
// Where the networks part, or that they do not; the link "value:ID" leads there.
QString parting_html(const debug::Comparison& comparison, const QString& there);

}  // namespace loopglass::views
