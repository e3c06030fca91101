#include "views/document/undo_actions.h"

#include "views/text.h"

#include <QAction>

namespace loopglass::views {
namespace {

constexpr int most_words = 60;  // of what is undone, in a menu

void name_after(QAction* action, const QString& title, const QString& words, const char* keys) {
  const QString all = words.isEmpty() ? title : title + " " + words;
  const QString some = words.size() > most_words ? words.left(most_words) + "…" : words;
  action->setText("&" + title + (some.isEmpty() ? QString() : " " + plain(some)));
  action->setIconText(title);
  action->setToolTip(QString("%1 (%2)").arg(all, keys));
  action->setEnabled(!words.isEmpty());
}

constexpr const char *undo_keys = "Ctrl+Z", *redo_keys = "Ctrl+Shift+Z";

}  // namespace

UndoActions::UndoActions(Document* document, bool with_keys, QObject* parent)
    : QObject(parent), document_(document), undo_(new QAction(this)), redo_(new QAction(this)) {
  if (with_keys) {
    undo_->setShortcut(QKeySequence(undo_keys));
    redo_->setShortcuts({QKeySequence(redo_keys), QKeySequence("Ctrl+Y")});
  }
  connect(undo_, &QAction::triggered, this, [this] {
    const QString words = document_->undo_words();
    document_->undo();
    emit done(tr("Undone: %1").arg(words));
  });
  connect(redo_, &QAction::triggered, this, [this] {
    const QString words = document_->redo_words();
    document_->redo();
    emit done(tr("Done again: %1").arg(words));
  });
  connect(document, &Document::askedChanged, this, &UndoActions::follow);
  connect(&document->history(), &HistoryStage::historyChanged, this, &UndoActions::follow);
  follow();
}

void UndoActions::follow() {
  name_after(undo_, tr("Undo"), document_->undo_words(), undo_keys);
  name_after(redo_, tr("Redo"), document_->redo_words(), redo_keys);
}

}  // namespace loopglass::views
