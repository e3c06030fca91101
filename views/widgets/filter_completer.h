// Completion of a small language in a line edit: what the completion finds at the cursor is offered
// in a list, and the choice replaces only the word it belongs to.
#pragma once

#include "core/support/filter.h"

#include <QObject>

#include <functional>

class QCompleter;
class QLineEdit;
class QModelIndex;
class QStandardItemModel;

namespace loopglass::views {

class FilterCompleter : public QObject {
  Q_OBJECT

 public:
  using Complete = std::function<Completions(std::string_view text, std::size_t cursor)>;
  FilterCompleter(QLineEdit* line, Complete complete);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void offer();
  void take(const QModelIndex& choice);

  QLineEdit* line_;
  Complete complete_;
  QCompleter* completer_;
  QStandardItemModel* items_;
  std::string offered_for_;
  std::size_t begin_ = 0, end_ = 0;  // bytes of the text that a choice replaces
};

}  // namespace loopglass::views
