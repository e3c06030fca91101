// The way back: what was selected before, like the pages of a browser.
#pragma once

#include "views/document/document.h"

#include <QObject>

#include <deque>

namespace loopglass::views {

class SelectionTrail : public QObject {
  Q_OBJECT

 public:
  explicit SelectionTrail(Document* document, QObject* parent = nullptr);

  bool can_go_back() const { return position_ > 0 || is_inside(); }
  bool can_go_forward() const { return position_ + 1 < visited_.size(); }
  void go_back();  // at last out of the graph that an operator runs
  void go_forward();

 signals:
  void changed();

 private:
  bool is_inside() const { return !document_->source().subgraphs.empty(); }
  void remember();
  void visit();
  void forget_all();

  Document* document_;
  std::deque<Selected> visited_{std::monostate{}};
  std::size_t position_ = 0;
  bool walking_ = false;
};

// What Escape does: nothing is selected any more; where nothing was, one goes out of the graph that
// an operator runs to the one around it.
void leave(Document& document);

}  // namespace loopglass::views
