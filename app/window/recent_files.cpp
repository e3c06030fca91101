#include "app/window/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace loopglass::app {
namespace {

constexpr auto key = "recentFiles";
constexpr qsizetype most = 10;

}  // namespace

RecentFiles::RecentFiles(QSettings* settings, QObject* parent)
    : QObject(parent), settings_(settings) {}

QStringList RecentFiles::paths() const {
  QStringList paths = settings_->value(key).toStringList();
  paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
  return paths;
}

void RecentFiles::add(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList all = paths();
  all.removeAll(absolute);
  all.prepend(absolute);
  settings_->setValue(key, all.mid(0, most));
}

void RecentFiles::clear() { settings_->remove(key); }

}  // namespace loopglass::app
