#include "views/widgets/pass_on_undo.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QSpinBox>

namespace loopglass::views {
namespace {

class PassingOn : public QObject {
 public:
  explicit PassingOn(QSpinBox* box) : QObject(box), text_(box->findChild<QLineEdit*>()) {
    box->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return QObject::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool is_own = (key->matches(QKeySequence::Undo) && text_->isUndoAvailable()) ||
                        (key->matches(QKeySequence::Redo) && text_->isRedoAvailable());
    const bool is_either = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
    if (is_own || !is_either) return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
  }

 private:
  QLineEdit* text_;
};

}  // namespace

void pass_on_undo(QSpinBox* box) { new PassingOn(box); }

}  // namespace loopglass::views
