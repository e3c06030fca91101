// The models opened last, newest first, with what their inputs were bound to; kept in the settings.
#pragma once

#include "core/onnx/input_bindings.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

class QSettings;

namespace loopglass::app {

struct RecentModel {
  QString model;  // a file, a folder or the name of a sample, as on the command line
  onnx::InputBindings inputs = {};

  QString words() const;  // "lenet", "/models/bert.onnx, ids 1x128"
};

class RecentModels : public QObject {
  Q_OBJECT

 public:
  explicit RecentModels(QSettings* settings, QObject* parent = nullptr);

  std::vector<RecentModel> all() const;  // those that still exist
  std::optional<RecentModel> find(const QString& model) const;
  void add(const RecentModel& model);  // once it has been opened
  void clear();

 private:
  QSettings* settings_;
};

}  // namespace loopglass::app
