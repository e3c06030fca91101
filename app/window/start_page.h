// What the window shows before a model is open: the samples to click, networks and kernels,
// sessions that were left, recent models, and a word on dropping a file.
#pragma once

#include "samples/samples.h"

#include <QScrollArea>

#include <functional>
#include <vector>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace loopglass::app {

class RecentModels;

class StartPage : public QScrollArea {
  Q_OBJECT

 public:
  explicit StartPage(const RecentModels* recent, QWidget* parent = nullptr);

 signals:
  void modelChosen(const QString& model, const loopglass::onnx::InputBindings& inputs);
  void openWanted();
  void sessionChosen(const QString& file);  // one that a window kept

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* make_sample_card(const samples::Sample& sample);
  QWidget* make_kernels();
  void place_cards();
  void fill_recent();
  void add_sessions();
  void add_link(const QString& words, const QString& tip, const std::function<void()>& open);
  void apply_theme();

  const RecentModels* recent_;
  std::vector<QLabel*> greeting_;
  std::vector<QWidget*> cards_;
  QGridLayout* grid_;
  int columns_ = 0;  // of cards
  QVBoxLayout* recent_rows_;
};

}  // namespace loopglass::app
