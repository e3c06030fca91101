// One edge of a fusion plan: its verdict and why, and the ways to argue with it. While a person
// guesses first, the question stands there until they have chosen.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace loopglass::views {

class VerdictPanel : public QWidget {
  Q_OBJECT

 public:
  explicit VerdictPanel(Document* document, QWidget* parent = nullptr);

  void show_decision(const fusion::Decision& decision, bool hidden);
  void forget_score();

  enum class Wish : std::uint8_t { Force, Forbid, Leave };
  // What a person asks of an edge; the plan is made again.
  static void ask(Document& document, const fusion::Decision& decision, Wish wish);
  static Wish asked(const Document& document, const fusion::Decision& decision);

 signals:
  void guessed(const fusion::Decision* decision);

 private:
  void guess(bool fused);
  QString edge_html() const;
  QString verdict_html() const;

  Document* document_;
  fusion::Decision decision_;
  const fusion::Decision* shown_ = nullptr;  // in the plan; only to name it
  QLabel* text_;
  QPushButton *force_, *forbid_, *leave_, *fuse_, *keep_;
  QString outcome_;  // of the guess just made
  int right_ = 0, guesses_ = 0;
};

}  // namespace loopglass::views
