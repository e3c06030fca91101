#include "views/code/lexer.h"

#include "core/loop/func.h"
#include "views/theme.h"

#include <Qsci/qsciscintilla.h>

#include <QFontInfo>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace loopglass::views {
namespace {

using Words = std::set<std::string_view>;

Words words_of(std::string_view list) {
  Words words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.insert(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

const Words loop_keywords{"func", "for",   "in",     "block", "alloc",  "if",     "else",
                          "init", "reads", "writes", "where", "reduce", "from",   "select",
                          "and",  "or",    "not",    "min",   "max",    "packed", "prefetch"};
// What a loop is, where a buffer lives, and of what type it is.
Words loop_kinds_and_types() {
  Words words{"input",  "constant", "output", "float16", "float32", "float64",
              "int8",   "int16",    "int32",  "int64",   "uint8",   "uint16",
              "uint32", "uint64",   "bool",   "sum",     "product"};
  for (const loop::ForKind kind : loop::all_for_kinds) words.insert(loop::name(kind));
  for (const loop::Scope scope : loop::own_scopes) words.insert(loop::name(scope));
  return words;
}
const Words loop_types = loop_kinds_and_types();
const Words llvm_keywords = words_of(
    "define declare ret br switch phi call tail load store alloca getelementptr inbounds icmp "
    "fcmp select add sub mul sdiv udiv srem urem shl lshr ashr and or xor fadd fsub fmul fdiv "
    "fneg fast contract reassoc nsw nuw exact zext sext trunc fptrunc fpext sitofp uitofp "
    "fptosi fptoui bitcast ptrtoint inttoptr insertelement extractelement shufflevector "
    "unreachable align attributes target source_filename to label nounwind noalias nocapture "
    "readonly writeonly private internal unnamed_addr global musttail");

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

std::string_view comment_sign(Language language) {
  switch (language) {
    case Language::LoopNest: return "//";
    case Language::Script: return "//";
    case Language::LlvmIr: return ";";
    case Language::Assembly: return "#";
  }
  __builtin_unreachable();
}

bool is_llvm_type(std::string_view word) {
  static const Words named{"void", "ptr",      "float",  "double",         "half",
                           "x",    "metadata", "vscale", "true",           "false",
                           "null", "undef",    "poison", "zeroinitializer"};
  if (named.contains(word)) return true;
  return word.size() > 1 && word[0] == 'i' &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool is_register(std::string_view word) {
  static const Words named{"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp",
                           "rsp", "rip", "eax", "ebx", "ecx", "edx", "esi",
                           "edi", "ebp", "esp", "al",  "bl",  "cl",  "dl"};
  if (named.contains(word)) return true;
  if (word.starts_with("xmm") || word.starts_with("ymm") || word.starts_with("zmm")) return true;
  return word.size() > 1 && (word[0] == 'r' || word[0] == 'k') &&
         std::isdigit(static_cast<unsigned char>(word[1]));
}

// `first`: the first word of the line; `call`: a parenthesis follows.
TokenStyle style_of_word(Language language, std::string_view word, bool first, char after) {
  switch (language) {
    case Language::LoopNest:
      if (loop_keywords.contains(word)) return TokenStyle::Keyword;
      return loop_types.contains(word) ? TokenStyle::Type : TokenStyle::Text;
    case Language::Script: return after == '(' ? TokenStyle::Keyword : TokenStyle::Text;
    case Language::LlvmIr:
      if (after == ':' && first) return TokenStyle::Label;
      if (llvm_keywords.contains(word)) return TokenStyle::Keyword;
      return is_llvm_type(word) ? TokenStyle::Type : TokenStyle::Text;
    case Language::Assembly:
      if (after == ':' && first) return TokenStyle::Label;
      if (first) return word.starts_with('.') ? TokenStyle::Comment : TokenStyle::Keyword;
      return is_register(word) ? TokenStyle::Type : TokenStyle::Text;
  }
  __builtin_unreachable();
}

}  // namespace

std::vector<Token> tokens_of(Language language, std::string_view line) {
  std::vector<Token> tokens;
  bool first = true;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    const char c = line[at];
    if (line.substr(at).starts_with(comment_sign(language))) {
      tokens.push_back({begin, line.size() - begin, TokenStyle::Comment});
      break;
    }
    if (c == '"') {
      at = std::min(line.find('"', at + 1), line.size() - 1) + 1;
      tokens.push_back({begin, at - begin, TokenStyle::String});
    } else if (language == Language::LlvmIr && (c == '%' || c == '@' || c == '!')) {
      while (++at < line.size() && (is_word(line[at]) || line[at] == '-')) {
      }
      tokens.push_back({begin, at - begin,
                        c == '@'   ? TokenStyle::Label
                        : c == '!' ? TokenStyle::Comment
                                   : TokenStyle::Text});
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      while (at < line.size() &&
             (is_word(line[at]) || ((line[at] == '+' || line[at] == '-') && line[at - 1] == 'e')))
        ++at;
      const bool label = first && at < line.size() && line[at] == ':';
      tokens.push_back({begin, at - begin, label ? TokenStyle::Label : TokenStyle::Number});
    } else if (is_word(c)) {
      while (at < line.size() && is_word(line[at])) ++at;
      const std::string_view word = line.substr(begin, at - begin);
      const TokenStyle style =
          style_of_word(language, word, first, at < line.size() ? line[at] : '\0');
      if (style != TokenStyle::Text) tokens.push_back({begin, at - begin, style});
    } else {
      ++at;
      if (c == ' ' || c == '\t' || c == '%') continue;  // still before the first word
    }
    first = false;
  }
  return tokens;
}

CodeLexer::CodeLexer(Language language, QObject* parent)
    : QsciLexerCustom(parent), language_(language) {
  take_theme();
}

QString CodeLexer::description(int style) const {
  static const std::array<const char*, 7> names{"Text",   "Keyword", "Type", "Number",
                                                "String", "Comment", "Label"};
  return style >= 0 && style < static_cast<int>(names.size())
             ? names[static_cast<std::size_t>(style)]
             : QString();
}

void CodeLexer::take_theme() {
  const Theme& t = theme();
  setDefaultColor(t.text);
  setDefaultPaper(t.surface);
  // Scintilla looks at a font's first family only, so it is given the one that was found.
  QFont font = t.code_font();
  font.setFamilies({QFontInfo(font).family()});
  setDefaultFont(font);
  const std::array<QColor, 7> colors{t.text,   t.keyword, t.type, t.number,
                                     t.string, t.comment, t.label};
  for (int style = 0; style < static_cast<int>(colors.size()); ++style) {
    setColor(colors[static_cast<std::size_t>(style)], style);
    setPaper(t.surface, style);
    setFont(font, style);
  }
}

// Scintilla counts in bytes and asks for whole lines.
void CodeLexer::styleText(int start, int end) {
  if (!editor() || end <= start) return;
  std::string bytes(static_cast<std::size_t>(end - start) + 1, '\0');
  editor()->SendScintilla(QsciScintilla::SCI_GETTEXTRANGE, start, end, bytes.data());
  bytes.pop_back();
  startStyling(start);
  const auto plain = [this](std::size_t length) {
    if (length) setStyling(static_cast<int>(length), static_cast<int>(TokenStyle::Text));
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t newline = std::min(bytes.find('\n', at), bytes.size());
    const std::string_view line(bytes.data() + at, newline - at);
    std::size_t styled = 0;
    for (const Token& token : tokens_of(language_, line)) {
      plain(token.begin - styled);
      setStyling(static_cast<int>(token.length), static_cast<int>(token.style));
      styled = token.begin + token.length;
    }
    const std::size_t rest = std::min(newline + 1, bytes.size()) - at;
    plain(rest - styled);
    at += rest;
  }
}

}  // namespace loopglass::views
