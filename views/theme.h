// Colours and fonts, in one place. The dark and the light theme are two values of one struct; the
// application's palette and style sheet derive from it. Operator families have colours that differ
// in lightness as well as hue, so that they stay apart for colour-blind eyes; nothing is told by
// colour alone.
#pragma once

#include "core/ops/op_def.h"

#include <QColor>
#include <QFont>
#include <QObject>
#include <QString>

namespace loopglass::views {

enum class Tone : std::uint8_t { Dark, Light };

struct Theme {
  Tone tone;

  QColor window;   // around the panes
  QColor surface;  // inside them: canvas, lists, text
  QColor raised;   // headers, tool bars, cards
  QColor border;
  QColor text;
  QColor muted;      // secondary text; still 4.5:1 on surface
  QColor accent;     // links, focus, active buttons
  QColor on_accent;  // text upon accent
  QColor selected;   // fill of the selected thing
  QColor related;    // fill of things related to it
  QColor mark;       // outline of the selected thing on a canvas; stands out from every family
  QColor edge;       // graph edges
  QColor good, warning, error;

  // Program text.
  QColor keyword, type, number, string, comment, label;

  // A node's fill; text on it is `family_text`.
  QColor family(ops::Family family) const;
  QColor family_text(ops::Family family) const;
  // Outline of the index-th fused group, from a short cycle.
  QColor group(std::size_t index) const;
  // Of a scale from little (0) to much (1), the same way in lightness in every eye. Of one that
  // goes both ways from the middle, below 0, too: as far to -1, in cold colours.
  QColor heat(double part) const;

  // Of a canvas, which is drawn to its own scale.
  QFont canvas_font() const;
  QFont canvas_small_font() const;

  QFont text_font() const;
  QFont small_font() const;
  QFont heading_font() const;
  QFont code_font() const;  // fixed width
};

// Black or white, whichever is read better upon it.
QColor text_on(const QColor& fill);

// Part of the way from one to the other: from 0, `a`, to 1, `b`.
QColor mixed(const QColor& a, const QColor& b, double part);

const Theme& theme();

// How large text is, for a projector or tired eyes; all fonts but those of the canvas, which zooms.
inline constexpr double least_text_scale = 0.7, largest_text_scale = 2.5;
double text_scale();
void set_text_scale(double scale);  // clamped; then as set_theme()

// Sets palette, font and style sheet of the application, then emits ThemeNotifier::changed.
void set_theme(Tone tone);

// Views with colours of their own (scenes, editors, charts) listen to this.
class ThemeNotifier : public QObject {
  Q_OBJECT

 public:
  static ThemeNotifier& instance();

 signals:
  void changed();
};

}  // namespace loopglass::views
