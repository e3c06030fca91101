#include "views/loops/number_drag.h"

#include "core/script/factor_ladder.h"
#include "views/code/code_pane.h"

#include <Qsci/qsciscintilla.h>

#include <QMouseEvent>
#include <QRegularExpression>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int pixels_a_step = 14;

}  // namespace

NumberDrag::NumberDrag(Document* document, CodePane* pane, std::function<void()> let_go)
    : QObject(pane), document_(document), pane_(pane), let_go_(std::move(let_go)) {
  pane->editor()->viewport()->installEventFilter(this);
  pane->editor()->viewport()->setMouseTracking(true);
}

bool NumberDrag::eventFilter(QObject* watched, QEvent* event) {
  const auto* mouse = static_cast<QMouseEvent*>(event);
  QWidget* viewport = pane_->editor()->viewport();
  switch (event->type()) {
    case QEvent::MouseButtonPress: {
      if (mouse->button() != Qt::LeftButton || mouse->modifiers() != Qt::NoModifier) break;
      const auto number = number_at(mouse->pos());
      if (!number) break;
      pane_->editor()->setFocus();
      pane_->editor()->setCursorPosition(number->line, number->end);
      pressed_ = mouse->pos();
      begin(*number);
      return true;
    }
    case QEvent::MouseMove: {
      if (!held_) {
        if (mouse->buttons() != Qt::NoButton || !number_at(mouse->pos())) break;
        viewport->setCursor(Qt::SizeHorCursor);
        return true;
      }
      const int steps = (mouse->pos().x() - pressed_.x()) / pixels_a_step;
      write(*held_, schedule::rung(ladder_, first_, steps));
      return true;
    }
    case QEvent::MouseButtonRelease:
      if (!held_ || mouse->button() != Qt::LeftButton) break;
      end();
      return true;
    default: break;
  }
  return QObject::eventFilter(watched, event);
}

void NumberDrag::step(int steps) {
  int line = 0, column = 0;
  pane_->editor()->getCursorPosition(&line, &column);
  auto number = number_at(line, column);
  if (!number) number = last_number_of(line);
  if (!number || held_) return;
  begin(*number);
  write(*held_, schedule::rung(ladder_, first_, steps));
  end();
}

void NumberDrag::begin(const Number& number) {
  held_ = number;
  first_ = number.value;
  ladder_ = ladder_of(number);
  pane_->editor()->beginUndoAction();  // all the way is one
}

void NumberDrag::end() {
  pane_->editor()->endUndoAction();
  const bool changed = held_->value != first_;
  held_.reset();
  if (changed) let_go_();
}

std::optional<NumberDrag::Number> NumberDrag::number_at(int line, int column) const {
  static const QRegularExpression numbers(R"((?<![\w.-])\d{1,18}(?![\w.]))");
  const QString text = pane_->editor()->text(line);
  const qsizetype comment = text.indexOf("//");
  for (auto matches = numbers.globalMatch(text); matches.hasNext();) {
    const QRegularExpressionMatch match = matches.next();
    if (comment >= 0 && match.capturedStart() > comment) break;
    if (column < match.capturedStart() || column > match.capturedEnd()) continue;
    return Number{line, static_cast<int>(match.capturedStart()),
                  static_cast<int>(match.capturedEnd()), match.captured().toLongLong()};
  }
  return std::nullopt;
}

std::optional<NumberDrag::Number> NumberDrag::number_at(const QPoint& place) const {
  const QsciScintilla* editor = pane_->editor();
  const long position = editor->SendScintilla(QsciScintilla::SCI_CHARPOSITIONFROMPOINTCLOSE,
                                              static_cast<unsigned long>(place.x()), place.y());
  if (position < 0) return std::nullopt;
  int line = 0, column = 0;
  editor->lineIndexFromPosition(static_cast<int>(position), &line, &column);
  const auto number = number_at(line, column);
  return number && column < number->end ? number : std::nullopt;
}

std::optional<NumberDrag::Number> NumberDrag::last_number_of(int line) const {
  for (int column = pane_->editor()->lineLength(line); column >= 0; --column)
    if (const auto number = number_at(line, column)) return number;
  return std::nullopt;
}

// Without a nest, or with lines before it that are wrong, as for any number.
std::vector<std::int64_t> NumberDrag::ladder_of(const Number& number) const {
  const auto kernel = document_->kernels().kernel();
  const std::string script = pane_->text().toStdString();
  const auto begun = schedule::begin_script(script);
  const auto instruction =
      std::ranges::find(begun.trace.instructions, number.line + 1, &schedule::Instruction::line);
  if (!kernel || instruction == begun.trace.instructions.end())
    return schedule::factor_ladder(schedule::Replayer({}), {});
  const auto before = schedule::replayed(kernel->stages->initial, script, number.line);
  return before ? schedule::factor_ladder(*before, *instruction)
                : schedule::factor_ladder(schedule::Replayer({}), {});
}

void NumberDrag::write(Number& number, std::int64_t value) {
  if (value == number.value) return;
  QsciScintilla* editor = pane_->editor();
  const QString digits = QString::number(value);
  editor->setSelection(number.line, number.begin, number.line, number.end);
  editor->replaceSelectedText(digits);
  number.end = number.begin + static_cast<int>(digits.size());
  number.value = value;
}

}  // namespace loopglass::views
