// What the window shows before a model is open: the samples to click, recent models, and a word on
// dropping a file.
#pragma once

#include "samples/samples.h"

#include <QScrollArea>

class QVBoxLayout;

namespace loopglass::app {

class RecentModels;

class StartPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit StartPage(const RecentModels* recent, QWidget* parent = nullptr);

 signals:
  void modelChosen(const QString& model, const std::map<std::string, loopglass::Shape>& shapes);
  void openWanted();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_sample_card(const samples::Sample& sample);
  void fill_recent();
  void apply_theme();

  const RecentModels* recent_;
  QVBoxLayout* recent_rows_;
};

}  // namespace loopglass::app
