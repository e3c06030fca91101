// The words that complete what is typed in a script: primitives, the names of the nest, and what
// else arguments may be.
#pragma once

#include "core/loop/func.h"

#include <Qsci/qsciabstractapis.h>

#include <QStringList>

#include <initializer_list>

namespace loopglass::views {

// Asked in the window's thread alone: QsciAPIs prepares itself in one of its own, which may outlive
// it.
class ScriptWords : public QsciAbstractAPIs {
 public:
  using QsciAbstractAPIs::QsciAbstractAPIs;

  void offer_names_of(std::initializer_list<const loop::Func*> nests);
  const QStringList& all() const { return words_; }
  bool knows(const QString& word) const { return words_.contains(word); }

  void updateAutoCompletionList(const QStringList& context, QStringList& list) override;
  QStringList callTips(const QStringList& context, int commas, QsciScintilla::CallTipsStyle style,
                       QList<int>& shifts) override;

  // The caret is: nothing is offered.
  bool is_in_comment() const;

 private:
  QStringList words_;
};

}  // namespace loopglass::views
