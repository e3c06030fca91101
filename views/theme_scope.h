// Another theme for what one thread does: pictures for paper are light, whatever the window is.
#pragma once

#include "views/theme.h"

namespace loopglass::views {

// While it lives, theme() is that of this tone on the thread that made it. Palette, style sheet and
// other threads keep theirs. Scopes of a thread end in the opposite order of their beginning.
class ThemeScope {
 public:
  explicit ThemeScope(Tone tone);
  ~ThemeScope();
  ThemeScope(const ThemeScope&) = delete;
  ThemeScope& operator=(const ThemeScope&) = delete;

 private:
  const Theme* before_;
};

// Both, for what has a dark and a light form at once.
const Theme& theme_of(Tone tone);

}  // namespace loopglass::views
