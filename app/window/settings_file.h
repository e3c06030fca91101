// What the window keeps from one start to the next: how panes lie, recent files, colours.
#pragma once

#include "core/support/diagnostic.h"

#include <QSettings>

#include <memory>
#include <optional>

namespace loopglass::app {

struct SettingsFile {
  std::unique_ptr<QSettings> settings;
  std::optional<Diagnostic> note;  // what was put aside, and where it lies now
};

// A file that is none of settings is put aside ("loopglass.conf.aside", "...aside-2") and begun
// anew. Of one from another version the recent files, folder and colours are kept, and how the
// panes lay is not.
SettingsFile open_settings(const QString& path);

}  // namespace loopglass::app
