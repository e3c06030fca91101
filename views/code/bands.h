// Colour bands that connect the text panes: lines that came from one line of the lowered loop nest
// have the same pale background in all of them. Neighbouring loop lines have different colours, and
// as there are more lines than colours that eyes tell apart, colours repeat; a click says which
// line it really is.
#pragma once

#include "views/document/document.h"

#include <QColor>

#include <optional>
#include <vector>

namespace loopglass::views {

constexpr int band_count = 9;

// The band of a line of the loop nest, in [0, band_count); nothing for 0 (no mapping).
std::optional<int> band_of(int loop_line);
QColor band_color(int band);  // in the current theme

// Bands for every line of a listing.
std::vector<std::optional<int>> bands_of(const std::vector<codegen::SourceLine>& lines);
// For the loop nest at the document's loop step: lines that machine code was made from, and only if
// the step is the one that was compiled.
std::vector<std::optional<int>> loop_bands(const Document& document);

}  // namespace loopglass::views
