#include "views/loops/loop_drag.h"

#include "views/code/code_pane.h"
#include "views/document/lanes.h"
#include "views/text.h"

#include <Qsci/qsciscintilla.h>

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace loopglass::views {

using schedule::Drop;

LoopDrag::LoopDrag(Document* document, CodePane* pane, Source source)
    : QObject(pane), document_(document), pane_(pane), source_(std::move(source)) {
  pane->editor()->viewport()->installEventFilter(this);
  pane->editor()->installEventFilter(this);
}

bool LoopDrag::eventFilter(QObject* watched, QEvent* event) {
  if (letting_go_) return false;
  const auto* mouse = static_cast<QMouseEvent*>(event);
  switch (event->type()) {
    case QEvent::MouseButtonPress:
      if (watched != pane_->editor()->viewport() || mouse->button() != Qt::LeftButton) break;
      pressed_ = mouse->pos();
      pressed_entity_ = mouse->modifiers() == Qt::NoModifier
                            ? source_.entity_of(pane_->line_at(mouse->pos()))
                            : std::string();
      break;
    case QEvent::MouseMove: {
      if (watched != pane_->editor()->viewport() || !(mouse->buttons() & Qt::LeftButton)) break;
      if (!dragged_.empty()) {
        follow(mouse->pos());
        return true;
      }
      if (pressed_entity_.empty()) break;
      // Along a line one selects its text; from line to line one drags what stands in it.
      const QPoint way = mouse->pos() - pressed_;
      if (way.manhattanLength() < QApplication::startDragDistance()) return true;
      if (std::abs(way.x()) >= std::abs(way.y())) pressed_entity_.clear();
      else begin(mouse->pos());
      return !pressed_entity_.empty();
    }
    case QEvent::MouseButtonRelease:
      if (watched != pane_->editor()->viewport() || mouse->button() != Qt::LeftButton) break;
      pressed_entity_.clear();
      if (dragged_.empty()) break;
      end(mouse->pos());
      return true;
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
      if (dragged_.empty() || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) break;
      event->accept();
      stop();
      return true;
    default: break;
  }
  return QObject::eventFilter(watched, event);
}

// The editor has seen the button go down, and is to select no text any more.
void LoopDrag::release_editor() {
  QWidget* viewport = pane_->editor()->viewport();
  QMouseEvent release(QEvent::MouseButtonRelease, pressed_, viewport->mapToGlobal(pressed_),
                      Qt::LeftButton, Qt::NoButton, Qt::NoModifier);
  letting_go_ = true;
  QCoreApplication::sendEvent(viewport, &release);
  letting_go_ = false;
}

void LoopDrag::begin(const QPoint& at) {
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return;
  dragged_ = pressed_entity_;
  drops_.clear();
  answered_ = false;
  release_editor();
  cursor_before_ = pane_->editor()->viewport()->cursor();
  document_->jobs().run<std::vector<Drop>>(
      lanes::nest_menu, QObject::tr("Asking where %1 may be dropped").arg(text(dragged_)),
      [kernel, script = source_.script(), line = source_.line(),
       entity = dragged_](const JobContext& context) -> Result<std::vector<Drop>> {
        const auto replayer =
            TRY(schedule::replayed(kernel->stages->initial, script, line, context.cancellation));
        return schedule::drops(replayer, entity, context.cancellation);
      },
      [this](std::vector<Drop> drops) {
        if (dragged_.empty()) return;
        drops_ = std::move(drops);
        answered_ = true;
        mark();
        follow(pane_->editor()->viewport()->mapFromGlobal(QCursor::pos()));
      },
      [this](const Diagnostic& problem) {
        stop();
        if (problem.code != Code::Cancelled) emit document_->failed(problem);
      },
      this);
  follow(at);
}

void LoopDrag::mark() {
  std::vector<int> legal, refused;
  for (int line = 1; line <= pane_->line_count(); ++line) {
    const auto drop = std::ranges::find(drops_, source_.entity_of(line), &Drop::target);
    if (drop != drops_.end()) (drop->verdict.refusal ? refused : legal).push_back(line);
  }
  pane_->set_targets(legal, refused);
}

const Drop* LoopDrag::drop_at(const QPoint& at) const {
  const auto drop = std::ranges::find(drops_, source_.entity_of(pane_->line_at(at)), &Drop::target);
  return drop == drops_.end() ? nullptr : &*drop;
}

void LoopDrag::follow(const QPoint& at) {
  const Drop* drop = drop_at(at);
  const QString words =
      drop ? drop->verdict.refusal
                 ? text(drop->verdict.refusal->what)
                 : text(drop->verdict.call +
                        (drop->verdict.remark.empty() ? "" : "\n" + drop->verdict.remark))
      : answered_ && drops_.empty()
          ? tr("There is no place that %1 may be dropped on").arg(text(dragged_))
          : tr("Drop %1 on a loop").arg(text(dragged_));
  const QString html = "<p>" + words.toHtmlEscaped().replace('\n', "<br>") + "</p>";
  QWidget* viewport = pane_->editor()->viewport();
  viewport->setCursor(drop && drop->verdict.refusal ? Qt::ForbiddenCursor : Qt::ClosedHandCursor);
  QToolTip::showText(viewport->mapToGlobal(at + QPoint(0, 12)), html, viewport);
}

void LoopDrag::end(const QPoint& at) {
  const Drop* drop = drop_at(at);
  const QString line = drop && !drop->verdict.refusal ? text(drop->verdict.call) : QString();
  stop();
  if (!line.isEmpty()) source_.drop(line);
}

void LoopDrag::stop() {
  dragged_.clear();
  pressed_entity_.clear();
  drops_.clear();
  document_->jobs().cancel(lanes::nest_menu);
  pane_->set_targets({}, {});
  pane_->editor()->viewport()->setCursor(cursor_before_);
  QToolTip::hideText();
}

}  // namespace loopglass::views
