#include "views/code/bands.h"

#include "views/theme.h"

#include <array>
#include <set>

namespace loopglass::views {

std::optional<int> band_of(int loop_line) {
  if (loop_line < 1) return std::nullopt;
  return loop_line % band_count;
}

// Paul Tol's "light" scheme, which colour-blind eyes tell apart, mixed into the paper.
QColor band_color(int band) {
  static const std::array<QColor, band_count> hues{"#77aadd", "#ee8866", "#eedd88",
                                                   "#ffaabb", "#44bb99", "#99ddff",
                                                   "#bbcc33", "#c68fe6", "#aaaa00"};
  return mixed(theme().surface, hues[static_cast<std::size_t>(band) % hues.size()],
               theme().tone == Tone::Dark ? 0.2 : 0.25);
}

std::vector<std::optional<int>> bands_of(const std::vector<codegen::SourceLine>& lines) {
  std::vector<std::optional<int>> bands;
  for (const codegen::SourceLine& line : lines) bands.push_back(band_of(line.loop_line));
  return bands;
}

std::vector<std::optional<int>> loop_bands(const Document& document) {
  const loop::Listing* listing = document.kernels().loop_listing();
  const auto code = document.kernels().machine_code();
  if (!listing || !code ||
      document.kernels().loop_step() + 1 != document.kernels().kernel()->loops.size())
    return {};
  std::set<int> used;
  for (const codegen::SourceLine& line : code->assembly()) used.insert(line.loop_line);
  std::vector<std::optional<int>> bands(listing->lines.size());
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const int line = static_cast<int>(i) + 1;
    if (used.contains(line)) bands[i] = band_of(line);
  }
  return bands;
}

}  // namespace loopglass::views
