// Fields whose value a window keeps from one start to the next.
#pragma once

#include <QWidget>

namespace loopglass::views {

inline constexpr auto kept_value_property = "keptValue";

// The field, a spin box or a combo box, is to have a name.
inline void keep_value(QWidget* field) { field->setProperty(kept_value_property, true); }

}  // namespace loopglass::views
