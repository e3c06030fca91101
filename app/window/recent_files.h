// The models opened last, newest first, kept in the settings.
#pragma once

#include <QObject>
#include <QStringList>

class QSettings;

namespace loopglass::app {

class RecentFiles : public QObject {
  Q_OBJECT

 public:
  explicit RecentFiles(QSettings* settings, QObject* parent = nullptr);

  QStringList paths() const;  // those that still exist
  void add(const QString& path);
  void clear();

 private:
  QSettings* settings_;
};

}  // namespace loopglass::app
