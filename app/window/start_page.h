// What the window shows before a model is open: the samples to click, recent files, and a word on
// dropping a file.
#pragma once

#include "samples/samples.h"

#include <QScrollArea>

class QVBoxLayout;

namespace loopglass::app {

class RecentFiles;

class StartPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit StartPage(const RecentFiles* recent, QWidget* parent = nullptr);

 signals:
  void sampleChosen(const samples::Sample& sample);
  void fileChosen(const QString& path);
  void openWanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_sample_card(const samples::Sample& sample);
  void fill_recent();
  void apply_theme();

  const RecentFiles* recent_;
  QVBoxLayout* recent_rows_;
};

}  // namespace loopglass::app
