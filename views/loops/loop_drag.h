// Dragging a loop, or a block, of the nest onto a loop: while the button is down every loop says by
// its colour whether it may be dropped there, and why not where the pointer rests.
#pragma once

#include "core/script/drops.h"
#include "views/document/document.h"

#include <QCursor>
#include <QObject>
#include <QPoint>

#include <functional>
#include <string>
#include <vector>

namespace loopglass::views {

class CodePane;

class LoopDrag : public QObject {
 public:
  struct Source {
    // The loop or block that a line (from 1) is of; empty: none.
    std::function<std::string(int line)> entity_of;
    // What the script says up to what is shown: the lines up to `line` (from 1).
    std::function<std::string()> script;
    std::function<int()> line;
    std::function<void(const QString& line)> drop;
  };
  LoopDrag(Document* document, CodePane* pane, Source source);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void release_editor();
  void begin(const QPoint& at);
  void follow(const QPoint& at);
  void end(const QPoint& at);
  void stop();
  void mark();
  const schedule::Drop* drop_at(const QPoint& at) const;

  Document* document_;
  CodePane* pane_;
  Source source_;
  QPoint pressed_;
  std::string pressed_entity_, dragged_;  // empty: none
  QCursor cursor_before_;
  bool answered_ = false, letting_go_ = false;
  std::vector<schedule::Drop> drops_;
};

}  // namespace loopglass::views
