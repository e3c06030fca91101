// A text pane: read-only program text with line numbers, colours, search, and lines that stand out
// because they belong to the selection. A click on a line is a wish to select it.
#pragma once

#include "views/code/lexer.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <string>
#include <vector>

class QsciScintilla;

namespace loopglass::views {

class FindBar;

class CodePane : public QWidget {
  Q_OBJECT

 public:
  explicit CodePane(Language language, QWidget* parent = nullptr);

  // Another state of the same text keeps the place where one was reading; `fresh` text begins at
  // the top. Lines without a band have none; `bands` may be shorter than the text.
  void set_text(const QString& text, bool fresh);
  void set_bands(std::vector<std::optional<int>> bands);
  // Lines that the step made, marked + in the margin. 1-based.
  void set_changed(const std::vector<int>& lines);
  // Scrolls so that the line (1-based) is the first one.
  void begin_at(int line);
  // So that it stands in the upper part.
  void reveal(int line);
  // 1-based. The first of them comes into view unless some are, or `reveal` is off.
  void set_highlight(const std::vector<int>& lines, std::optional<int> primary, bool reveal = true);

  // What the word under the pointer means; empty: nobody knows.
  void set_helper(std::function<QString(const QString& word)> helper) {
    helper_ = std::move(helper);
  }

  void find();
  int line_count() const;
  QString text() const;
  const std::vector<int>& highlighted() const { return highlighted_; }

 signals:
  void lineClicked(int line);  // 1-based; also by the arrow keys

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take_theme();
  void fit_numbers();
  void search(const QString& text);
  void go(bool forward);

  QsciScintilla* editor_;
  CodeLexer* lexer_;
  FindBar* find_bar_;
  std::function<QString(const QString&)> helper_;
  std::vector<std::optional<int>> bands_;
  std::vector<int> highlighted_;
};

}  // namespace loopglass::views
