#include "app/window/recent_models.h"

#include "app/common/model_argument.h"
#include "samples/samples.h"

#include <QFileInfo>
#include <QSettings>
#include <QStringList>

#include <algorithm>

namespace loopglass::app {
namespace {

constexpr auto key = "recentFiles";
constexpr std::size_t most = 10;

QString absolute(const QString& model) {
  return QFileInfo::exists(model) ? QFileInfo(model).absoluteFilePath() : model;
}

constexpr auto set = "--set ";

// The model in the first line, and in each that follows a shape as --shape takes it, or, marked, a
// value as --set does.
QString to_text(const RecentModel& recent) {
  QStringList lines{recent.model};
  for (const auto& [name, shape] : recent.inputs.shapes)
    lines << QString::fromStdString(name + "=" + loopglass::to_string(shape));
  for (const auto& [name, value] : recent.inputs.symbols)
    lines << QString("%1%2=%3").arg(set, QString::fromStdString(name)).arg(value);
  return lines.join('\n');
}

RecentModel from_text(const QString& text) {
  QStringList lines = text.split('\n');
  RecentModel recent{lines.takeFirst(), {}};
  std::vector<std::string> shapes, symbols;
  for (const QString& line : lines)
    if (line.startsWith(set)) symbols.push_back(line.mid(QString(set).size()).toStdString());
    else shapes.push_back(line.toStdString());
  // What somebody wrote there by hand and is no shape binds nothing.
  if (auto parsed = parse_shapes(shapes)) recent.inputs.shapes = *std::move(parsed);
  if (auto parsed = parse_symbols(symbols)) recent.inputs.symbols = *std::move(parsed);
  return recent;
}

bool exists(const RecentModel& recent) {
  return QFileInfo::exists(recent.model) || samples::find_sample(recent.model.toStdString());
}

}  // namespace

QString RecentModel::words() const {
  QString words = model;
  for (const std::string& bound : onnx::words_of(inputs))
    words += ", " + QString::fromStdString(bound);
  return words;
}

RecentModels::RecentModels(QSettings* settings, QObject* parent)
    : QObject(parent), settings_(settings) {}

std::vector<RecentModel> RecentModels::all() const {
  std::vector<RecentModel> all;
  for (const QString& text : settings_->value(key).toStringList())
    if (RecentModel recent = from_text(text); exists(recent)) all.push_back(std::move(recent));
  return all;
}

std::optional<RecentModel> RecentModels::find(const QString& model) const {
  for (RecentModel& recent : all())
    if (recent.model == absolute(model)) return std::move(recent);
  return {};
}

void RecentModels::add(const RecentModel& model) {
  RecentModel added{absolute(model.model), model.inputs};
  std::vector<RecentModel> models = all();
  std::erase_if(models, [&](const RecentModel& recent) { return recent.model == added.model; });
  models.insert(models.begin(), std::move(added));
  QStringList texts;
  for (std::size_t i = 0; i < std::min(most, models.size()); ++i) texts << to_text(models[i]);
  settings_->setValue(key, texts);
}

void RecentModels::clear() { settings_->remove(key); }

}  // namespace loopglass::app
