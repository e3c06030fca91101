// Undo and redo of what is asked of the fusion plan, as actions that name what they would do.
#pragma once

#include "views/document/document.h"

class QAction;

namespace loopglass::views {

class UndoActions : public QObject {
  Q_OBJECT

 public:
  // With their keys in one place only; elsewhere they are told.
  UndoActions(Document* document, bool with_keys, QObject* parent);

  QAction* undo() const { return undo_; }
  QAction* redo() const { return redo_; }

 signals:
  void done(const QString& words);  // "Undone: force conv1 → relu1"

 private:
  void follow();

  Document* document_;
  QAction *undo_, *redo_;
};

}  // namespace loopglass::views
