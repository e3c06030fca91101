// The ways through the history as actions: over a pass, into its rewrites, forward and back, to
// either end. Enabled where they lead somewhere.
#pragma once

#include "views/document/document.h"

#include <QAction>

#include <array>

namespace loopglass::views {

class WalkActions : public QObject {
  Q_OBJECT

 public:
  // Keys belong to one set of actions in the window.
  WalkActions(Document* document, bool with_keys, QObject* parent);
  QAction* action(Walk walk) const { return actions_[static_cast<std::size_t>(walk)]; }

 private:
  void enable();

  Document* document_;
  std::array<QAction*, 6> actions_;
};

// "5/7  fold-batch-norm", "5/7  fold-batch-norm, rewrite 3 of 53"; what is shown where there is no
// history: "no steps".
QString position_text(const Document& document);
// What it is at the places of each step where it is longest.
QStringList longest_position_texts(const Document& document);

}  // namespace loopglass::views
