#include "app/window/settings_file.h"

#include <QFile>

namespace loopglass::app {
namespace {

// Raised whenever what is kept no longer means what it meant.
constexpr int version = 2;
constexpr auto version_key = "version";

// Free of what was put aside before.
QString aside(const QString& path) {
  QString name = path + ".aside";
  for (int number = 2; QFile::exists(name); ++number)
    name = QString("%1.aside-%2").arg(path).arg(number);
  return name;
}

Diagnostic note_on(const std::string& what, const QString& path, const QString& kept, bool done) {
  return {Code::SettingsUnusable, what, path.toStdString(),
          done ? "it lies in '" + kept.toStdString() + "' now"
               : "it could not be put aside; take it away"};
}

}  // namespace

SettingsFile open_settings(const QString& path) {
  SettingsFile file{std::make_unique<QSettings>(path, QSettings::IniFormat), {}};
  const bool any = !file.settings->allKeys().isEmpty();  // reads all of it, and finds what is wrong
  if (file.settings->status() == QSettings::FormatError) {
    file.settings.reset();
    const QString kept = aside(path);
    const bool done = QFile::rename(path, kept);
    file.note = note_on("the file is none of settings: the window begins with the defaults", path,
                        kept, done);
    file.settings = std::make_unique<QSettings>(path, QSettings::IniFormat);
    if (!done) file.settings->clear();
  } else if (any && file.settings->value(version_key).toInt() != version) {
    const QString kept = aside(path);
    const bool done = QFile::copy(path, kept);
    file.note =
        note_on("the settings are of another version: panes lie as they came", path, kept, done);
    for (const QString& key : file.settings->allKeys())
      if (key != "recentFiles" && key != "folder" && key != "theme") file.settings->remove(key);
  }
  file.settings->setValue(version_key, version);
  return file;
}

}  // namespace loopglass::app
