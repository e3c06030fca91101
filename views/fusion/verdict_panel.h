// One edge of a fusion plan: its verdict and why, and the ways to argue with it. While a person
// guesses first, the question stands there until they have chosen.
#pragma once

#include "views/document/document.h"
#include "views/fusion/hand_menu.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace loopglass::views {

class WrapLayout;

class VerdictPanel : public QWidget {
  Q_OBJECT

 public:
  explicit VerdictPanel(Document* document, QWidget* parent = nullptr);

  void show_decision(const fusion::Decision& decision, bool hidden);
  void add_action(QPushButton* button);  // beside those that force and forbid

 signals:
  void guessed(const fusion::Edge& edge);

 private:
  void guess(bool fused);
  void ask_for(Wish wish);
  QString edge_html() const;
  QString ends_html() const;

  Document* document_;
  fusion::Decision decision_;
  const fusion::Decision* shown_ = nullptr;  // in the plan; only to name it
  QLabel* text_;
  WrapLayout* row_;
  QPushButton *force_, *forbid_, *leave_, *by_hand_, *fuse_, *keep_;
  QString outcome_;  // of the guess just made
};

}  // namespace loopglass::views
