// A text pane: program text with line numbers, colours, search, and lines that stand out because
// they belong to the selection. A click on a line is a wish to select it. The text is for reading,
// unless somebody makes it editable (views/loops/script_editor.h).
#pragma once

#include "views/code/lexer.h"
#include "views/code/line_notes.h"

#include <QPoint>
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
  // Marked in the margin, and told where the pointer rests on a line beside its words.
  void set_notes(LineNotes notes);
  const LineNotes& notes() const { return notes_; }
  // What part of the kernel's time each line takes, in the margin; empty: nobody knows. May be
  // shorter than the text.
  void set_shares(const std::vector<double>& shares);
  // While something is dragged: where it may be dropped, and where it would be refused. 1-based.
  void set_targets(const std::vector<int>& legal, const std::vector<int>& refused);
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

  // Whether a click with the right button asks for a menu of the line.
  void offer_menus(bool offer) { offers_menus_ = offer; }
  // For typing in: the caret shows, and the arrow keys move it.
  void set_editable();
  QsciScintilla* editor() const { return editor_; }
  CodeLexer* lexer() const { return lexer_; }

  void find();
  int line_count() const;
  // Of which a place in the editor's viewport is, also left and right of its text; 1-based, 0: of
  // none.
  int line_at(const QPoint& place) const;
  QString text() const;
  const std::vector<int>& highlighted() const { return highlighted_; }

 signals:
  void lineClicked(int line);                      // 1-based; also by the arrow keys
  void menuWanted(int line, const QPoint& place);  // 1-based; on the screen

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void take_theme();
  void fit_numbers();
  void search(const QString& text);
  void go(bool forward);
  QPoint place_of(int line) const;  // from 0
  QString help_at(const QPoint& place) const;

  QsciScintilla* editor_;
  CodeLexer* lexer_;
  FindBar* find_bar_;
  std::function<QString(const QString&)> helper_;
  std::vector<std::optional<int>> bands_;
  std::vector<int> highlighted_;
  LineNotes notes_;
  bool offers_menus_ = false;
};

}  // namespace loopglass::views
