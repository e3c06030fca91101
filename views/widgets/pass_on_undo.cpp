#include "views/widgets/pass_on_undo.h"

#include <Qsci/qsciscintilla.h>

#include <QKeyEvent>
#include <QLineEdit>
#include <QSpinBox>

namespace loopglass::views {
namespace {

// Of a text that says what of it can be taken back: QLineEdit and QsciScintilla do.
template <typename Text>
class PassingOn : public QObject {
 public:
  PassingOn(QWidget* watched, Text* text) : QObject(watched), text_(text) {
    watched->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
      return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool undo = key->matches(QKeySequence::Undo), redo = key->matches(QKeySequence::Redo);
    const bool is_own = undo ? text_->isUndoAvailable() : text_->isRedoAvailable();
    if (!undo && !redo) return QObject::eventFilter(watched, event);
    // By all keys that stand for it, of which a text of its own may know one alone.
    if (is_own && event->type() == QEvent::KeyPress) {
      undo ? text_->undo() : text_->redo();
      return true;
    }
    if (is_own) event->accept();
    else event->ignore();
    return event->type() == QEvent::ShortcutOverride;
  }

 private:
  Text* text_;
};

}  // namespace

void pass_on_undo(QLineEdit* line) { new PassingOn<QLineEdit>(line, line); }

void pass_on_undo(QSpinBox* box) { new PassingOn<QLineEdit>(box, box->findChild<QLineEdit*>()); }

void pass_on_undo(QsciScintilla* editor) { new PassingOn<QsciScintilla>(editor, editor); }

}  // namespace loopglass::views
