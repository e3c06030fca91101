// Colours for the languages of the text panes. They are regular enough for a scanner of words; what
// it does not know keeps the text's colour.
#pragma once

#include <Qsci/qscilexercustom.h>

#include <string_view>

namespace loopglass::views {

enum class Language : std::uint8_t { LoopNest, Script, LlvmIr, Assembly };

enum class TokenStyle : std::uint8_t { Text, Keyword, Type, Number, String, Comment, Label };

struct Token {
  std::size_t begin, length;
  TokenStyle style;
};

// The tokens of a line that are not plain text, from left to right.
std::vector<Token> tokens_of(Language language, std::string_view line);

class CodeLexer : public QsciLexerCustom {
  Q_OBJECT

 public:
  CodeLexer(Language language, QObject* parent);

  const char* language() const override { return "Loopglass"; }
  QString description(int style) const override;
  void styleText(int start, int end) override;
  void take_theme();  // colours and font

 private:
  Language language_;
};

}  // namespace loopglass::views
