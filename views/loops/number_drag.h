// Dragging a number of the script to the right or left makes it larger or smaller, from one factor
// that one would try to the next; so does a key for the number at the caret. What is typed so is
// checked like anything else, and the nest beside follows.
#pragma once

#include "views/document/document.h"

#include <QCursor>
#include <QObject>
#include <QPoint>

#include <functional>
#include <optional>

namespace loopglass::views {

class CodePane;

class NumberDrag : public QObject {
 public:
  // `let_go` once a number has been changed and is left.
  NumberDrag(Document* document, CodePane* pane, std::function<void()> let_go);

  // So many factors up or down, for the number at the caret or, if it is at none, the last of its
  // line.
  void step(int steps);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  // A number that is not negative, between bytes of a line.
  struct Number {
    int line;        // from 0
    int begin, end;  // columns
    std::int64_t value;
  };
  std::optional<Number> number_at(int line, int column) const;
  std::optional<Number> number_at(const QPoint& place) const;
  std::optional<Number> last_number_of(int line) const;
  std::vector<std::int64_t> ladder_of(const Number& number) const;
  void write(Number& number, std::int64_t value);
  void begin(const Number& number);
  void end();

  Document* document_;
  CodePane* pane_;
  std::function<void()> let_go_;
  QPoint pressed_;
  std::optional<Number> held_;
  std::int64_t first_ = 0;  // what it was
  std::vector<std::int64_t> ladder_;
};

}  // namespace loopglass::views
