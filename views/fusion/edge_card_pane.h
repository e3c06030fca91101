// All there is about the chosen edge: its verdict, the ways to argue with it, and its card; as much
// of it as fits, the rest by scrolling.
#pragma once

#include "core/fusion/plan.h"

#include <QScrollArea>

namespace loopglass::views {

class Document;
class EdgeCardView;
class EdgeTrial;
class VerdictPanel;

class EdgeCardPane : public QScrollArea {
  Q_OBJECT

 public:
  explicit EdgeCardPane(Document* document, QWidget* parent = nullptr);

  void show_decision(const fusion::Decision& decision, bool hidden);

  QSize minimumSizeHint() const override;

 signals:
  void guessed(const fusion::Edge& edge);
  void stepWanted(std::size_t event);

 private:
  VerdictPanel* verdict_;
  EdgeTrial* trial_;
  EdgeCardView* card_;
};

}  // namespace loopglass::views
