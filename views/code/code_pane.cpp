#include "views/code/code_pane.h"

#include "views/code/bands.h"
#include "views/code/find_bar.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"

#include <Qsci/qscicommandset.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>

#include <QContextMenuEvent>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

// Scintilla's markers: higher numbers are drawn over lower ones. Bands are 0 to band_count - 1.
// Where something may be dropped shows over what is selected.
constexpr int said_note = 15, missed_note = 16, related_line = 17, primary_line = 18,
              changed_sign = 19, legal_target = 20, refused_target = 21, related_sign = 22,
              primary_sign = 23;
constexpr int found_indicator = 8;
constexpr double target_share = 0.3;
constexpr int number_margin = 0, sign_margin = 1, changed_margin = 2, note_margin = 3,
              share_margin = 4;
// Scintilla's own styles end at 39.
constexpr int share_style = 40;
// Of a kernel's time: what is worth a number, and what stands out.
constexpr double told_share = 0.001, large_share = 0.02;

}  // namespace

CodePane::CodePane(Language language, QWidget* parent)
    : QWidget(parent),
      editor_(new QsciScintilla),
      lexer_(new CodeLexer(language, this)),
      find_bar_(new FindBar(tr("Find in this text"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(editor_, 1);
  column->addWidget(find_bar_);
  setFocusProxy(editor_);

  editor_->setUtf8(true);
  editor_->setReadOnly(true);
  editor_->setLexer(lexer_);
  editor_->setFrameShape(QFrame::NoFrame);
  editor_->setWrapMode(QsciScintilla::WrapNone);
  editor_->setFolding(QsciScintilla::NoFoldStyle);
  editor_->setContextMenuPolicy(Qt::DefaultContextMenu);
  editor_->SendScintilla(QsciScintilla::SCI_SETCARETSTYLE, QsciScintilla::CARETSTYLE_INVISIBLE);
  editor_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTH, 1);
  editor_->SendScintilla(QsciScintilla::SCI_SETSCROLLWIDTHTRACKING, 1);
  editor_->setMarginType(number_margin, QsciScintilla::NumberMargin);
  editor_->setMarginMarkerMask(number_margin, 0);
  editor_->setMarginType(sign_margin, QsciScintilla::SymbolMargin);
  editor_->setMarginMarkerMask(sign_margin, (1 << related_sign) | (1 << primary_sign));
  editor_->setMarginWidth(sign_margin, 12);
  editor_->setMarginType(changed_margin, QsciScintilla::SymbolMargin);
  editor_->setMarginMarkerMask(changed_margin, 1 << changed_sign);
  editor_->setMarginType(note_margin, QsciScintilla::SymbolMargin);
  editor_->setMarginMarkerMask(note_margin, (1 << said_note) | (1 << missed_note));
  for (int margin = changed_margin; margin < 5; ++margin) editor_->setMarginWidth(margin, 0);
  for (int band = 0; band < band_count; ++band)
    editor_->markerDefine(QsciScintilla::Background, band);
  for (const int line : {legal_target, refused_target, related_line})
    editor_->markerDefine(QsciScintilla::Background, line);
  editor_->markerDefine(QsciScintilla::Background, primary_line);
  editor_->markerDefine('+', changed_sign);
  editor_->markerDefine(QsciScintilla::SmallRectangle, said_note);
  editor_->markerDefine('!', missed_note);
  editor_->markerDefine(QsciScintilla::LeftRectangle, related_sign);
  editor_->markerDefine(QsciScintilla::RightTriangle, primary_sign);
  editor_->indicatorDefine(QsciScintilla::StraightBoxIndicator, found_indicator);
  editor_->setIndicatorDrawUnder(true, found_indicator);
  // The window has a size of text for all panes.
  for (const auto command : {QsciCommand::ZoomIn, QsciCommand::ZoomOut})
    if (QsciCommand* zoom = editor_->standardCommands()->find(command)) {
      zoom->setKey(0);
      zoom->setAlternateKey(0);
    }
  editor_->installEventFilter(this);
  editor_->viewport()->installEventFilter(this);
  take_theme();

  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &CodePane::take_theme);
  connect(find_bar_, &FindBar::textChanged, this, &CodePane::search);
  connect(find_bar_, &FindBar::next, this, [this] { go(true); });
  connect(find_bar_, &FindBar::previous, this, [this] { go(false); });
  connect(find_bar_, &FindBar::closed, editor_, [this] { editor_->setFocus(); });
}

void CodePane::take_theme() {
  const Theme& t = theme();
  lexer_->take_theme();
  editor_->setLexer(lexer_);  // takes over fonts and colours
  editor_->setPaper(t.surface);
  editor_->setMarginsBackgroundColor(t.surface);
  editor_->setMarginsForegroundColor(t.muted);
  editor_->setMarginsFont(lexer_->defaultFont());
  fit_numbers();
  editor_->setSelectionBackgroundColor(t.selected);
  editor_->setSelectionForegroundColor(t.text);
  editor_->setCaretForegroundColor(t.text);
  for (int band = 0; band < band_count; ++band)
    editor_->setMarkerBackgroundColor(band_color(band), band);
  editor_->setMarkerBackgroundColor(mixed(t.surface, t.good, target_share), legal_target);
  editor_->setMarkerBackgroundColor(mixed(t.surface, t.error, target_share), refused_target);
  editor_->setMarkerBackgroundColor(t.related, related_line);
  editor_->setMarkerBackgroundColor(t.selected, primary_line);
  for (const int sign : {related_sign, primary_sign}) {
    const QColor color = sign == primary_sign ? t.mark : t.accent;
    editor_->setMarkerBackgroundColor(color, sign);
    editor_->setMarkerForegroundColor(color, sign);
  }
  editor_->setMarkerForegroundColor(t.muted, said_note);
  editor_->setMarkerBackgroundColor(t.muted, said_note);
  editor_->setMarkerForegroundColor(t.warning, missed_note);
  editor_->setMarkerBackgroundColor(t.surface, missed_note);
  editor_->setMarkerForegroundColor(t.good, changed_sign);
  editor_->setMarkerBackgroundColor(t.surface, changed_sign);
  QColor found = t.warning;
  found.setAlpha(90);
  editor_->setIndicatorForegroundColor(found, found_indicator);
  editor_->setIndicatorOutlineColor(t.warning, found_indicator);
}

// As wide as the numbers are in the font they have now.
void CodePane::fit_numbers() {
  const int digits = std::max<int>(2, static_cast<int>(QString::number(editor_->lines()).size()));
  const QFontMetrics metrics(lexer_->defaultFont());
  editor_->setMarginWidth(number_margin, metrics.horizontalAdvance(QString(digits + 1, '8')));
}

void CodePane::set_text(const QString& text, bool fresh) {
  const int top = editor_->firstVisibleLine();
  highlighted_.clear();
  bands_.clear();
  set_notes({});
  set_shares({});
  const bool is_for_reading = editor_->isReadOnly();
  editor_->setReadOnly(false);
  editor_->setText(text);
  editor_->setReadOnly(is_for_reading);
  fit_numbers();
  editor_->setFirstVisibleLine(fresh ? 0 : top);
  if (!find_bar_->text().isEmpty()) search(find_bar_->text());
}

void CodePane::set_bands(std::vector<std::optional<int>> bands) {
  if (bands == bands_) return;
  bands_ = std::move(bands);
  for (int band = 0; band < band_count; ++band) editor_->markerDeleteAll(band);
  for (std::size_t i = 0; i < bands_.size(); ++i)
    if (bands_[i]) editor_->markerAdd(static_cast<int>(i), *bands_[i]);
}

void CodePane::set_changed(const std::vector<int>& lines) {
  editor_->markerDeleteAll(changed_sign);
  for (const int line : lines) editor_->markerAdd(line - 1, changed_sign);
  // Where nothing changed there is no step to speak of, and no margin for it.
  editor_->setMarginWidth(changed_margin, lines.empty() ? 0 : 12);
}

void CodePane::set_notes(LineNotes notes) {
  for (const int note : {said_note, missed_note}) editor_->markerDeleteAll(note);
  for (const auto& [line, note] : notes)
    editor_->markerAdd(line - 1, note.is_missed ? missed_note : said_note);
  editor_->setMarginWidth(note_margin, notes.empty() ? 0 : 12);
  notes_ = std::move(notes);
}

void CodePane::set_shares(const std::vector<double>& shares) {
  editor_->clearMarginText();
  const Theme& t = theme();
  const QFont font = lexer_->defaultFont();
  int widest = 0;
  for (std::size_t line = 0; line < shares.size(); ++line) {
    if (shares[line] < told_share) continue;
    const QString words = QString("%1 %").arg(100 * shares[line], 0, 'f', 1);
    const bool is_large = shares[line] >= large_share;
    editor_->setMarginText(static_cast<int>(line), words,
                           QsciStyle(share_style + is_large, "share",
                                     is_large ? t.warning : t.muted, t.surface, font));
    widest = std::max(widest, QFontMetrics(font).horizontalAdvance(words + "  "));
  }
  editor_->setMarginType(share_margin, QsciScintilla::TextMarginRightJustified);
  editor_->setMarginWidth(share_margin, widest);
}

void CodePane::set_targets(const std::vector<int>& legal, const std::vector<int>& refused) {
  for (const int target : {legal_target, refused_target}) editor_->markerDeleteAll(target);
  for (const int line : legal) editor_->markerAdd(line - 1, legal_target);
  for (const int line : refused) editor_->markerAdd(line - 1, refused_target);
}

void CodePane::set_highlight(const std::vector<int>& lines, std::optional<int> primary,
                             bool bring_into_view) {
  for (const int marker : {related_line, primary_line, related_sign, primary_sign})
    editor_->markerDeleteAll(marker);
  highlighted_ = lines;
  // When nearly all is related, the bar at the side says so; the bands keep telling lines apart.
  const bool fill = 2 * lines.size() < static_cast<std::size_t>(editor_->lines());
  for (const int line : lines) {
    const bool is_primary = primary == line;
    if (is_primary || fill) editor_->markerAdd(line - 1, is_primary ? primary_line : related_line);
    editor_->markerAdd(line - 1, is_primary ? primary_sign : related_sign);
  }
  if (!bring_into_view || lines.empty()) return;
  const int top = editor_->firstVisibleLine() + 1;
  const int bottom =
      top + static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN)) - 1;
  const int wanted = primary.value_or(lines.front());
  const bool seen = primary ? wanted >= top && wanted <= bottom
                            : std::any_of(lines.begin(), lines.end(),
                                          [&](int l) { return l >= top && l <= bottom; });
  if (!seen) reveal(wanted);
}

void CodePane::begin_at(int line) { editor_->setFirstVisibleLine(std::max(0, line - 1)); }

void CodePane::reveal(int line) {
  const int shown = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
  editor_->setFirstVisibleLine(std::max(0, line - 1 - shown / 3));
}

void CodePane::set_editable() {
  editor_->setReadOnly(false);
  editor_->SendScintilla(QsciScintilla::SCI_SETCARETSTYLE, QsciScintilla::CARETSTYLE_LINE);
}

int CodePane::line_count() const { return editor_->lines(); }
int CodePane::line_at(const QPoint& place) const {
  const int height = editor_->textHeight(0);
  if (place.y() < 0 || height <= 0) return 0;
  const long shown = editor_->firstVisibleLine() + place.y() / height;
  const auto visible_of = [&](int line) {
    return editor_->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, line);
  };
  if (shown >= visible_of(editor_->lines())) return 0;
  return static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_DOCLINEFROMVISIBLE, shown)) + 1;
}

QString CodePane::text() const { return editor_->text(); }

bool CodePane::eventFilter(QObject* watched, QEvent* event) {
  if (watched == editor_->viewport() && event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    // A drag selects text to copy, not the line.
    const int line = line_at(mouse->pos());
    if (mouse->button() == Qt::LeftButton && !editor_->hasSelectedText() && line > 0)
      emit lineClicked(line);
  }
  // Tab takes what is offered to complete a word; else it goes on, as everywhere.
  if (watched == editor_ && event->type() == QEvent::KeyPress && !editor_->isReadOnly() &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab && !editor_->isListActive())
    return focusNextPrevChild(true);
  if (event->type() == QEvent::ContextMenu && offers_menus_) {
    const auto* menu = static_cast<QContextMenuEvent*>(event);
    int line = line_at(menu->pos()) - 1, column = 0;
    const bool by_key = menu->reason() == QContextMenuEvent::Keyboard;
    if (by_key) editor_->getCursorPosition(&line, &column);
    if (line >= 0 && !editor_->hasSelectedText()) {
      emit menuWanted(line + 1, by_key ? place_of(line) : menu->globalPos());
      return true;
    }
  }
  if (watched == editor_->viewport() && event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString words = help_at(help->pos());
    if (words.isEmpty()) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), words, editor_->viewport());
    return true;
  }
  // The ends of the text that has the focus, not those of the timeline.
  if (watched == editor_ && event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::MoveToStartOfDocument) ||
        key->matches(QKeySequence::MoveToEndOfDocument)) {
      event->accept();
      return true;
    }
  }
  if (watched == editor_ && event->type() == QEvent::KeyPress && editor_->isReadOnly()) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool shift = key->modifiers() & Qt::ShiftModifier;  // selects text to copy
    if (const auto action = shift ? std::nullopt : action_of(text_keys(), *key)) {
      int line = 0, column = 0;
      editor_->getCursorPosition(&line, &column);
      if (static_cast<TextAction>(*action) == TextAction::Menu) {
        if (offers_menus_) emit menuWanted(line + 1, place_of(line));
        return offers_menus_;
      }
      line = std::clamp(line + (static_cast<TextAction>(*action) == TextAction::Down ? 1 : -1), 0,
                        std::max(0, editor_->lines() - 1));
      editor_->setCursorPosition(line, 0);
      emit lineClicked(line + 1);
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

QString CodePane::help_at(const QPoint& place) const {
  const QString words = helper_ ? helper_(editor_->wordAtPoint(place)) : QString();
  if (!words.isEmpty()) return words;
  const auto note = notes_.find(line_at(place));
  return note == notes_.end() ? QString() : note->second.words;
}

// Below the line's beginning, on the screen.
QPoint CodePane::place_of(int line) const {
  const auto position =
      editor_->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
  const auto coordinate = [&](unsigned message) {
    return static_cast<int>(editor_->SendScintilla(message, 0UL, position));
  };
  return editor_->viewport()->mapToGlobal(
      QPoint(coordinate(QsciScintilla::SCI_POINTXFROMPOSITION),
             coordinate(QsciScintilla::SCI_POINTYFROMPOSITION) + editor_->textHeight(line)));
}

// --- search ---

void CodePane::find() { find_bar_->open(); }

void CodePane::search(const QString& wanted) {
  const long length = editor_->SendScintilla(QsciScintilla::SCI_GETLENGTH);
  editor_->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, found_indicator);
  editor_->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0, length);
  int count = 0;
  if (!wanted.isEmpty()) {
    const QByteArray bytes = wanted.toUtf8();
    editor_->SendScintilla(QsciScintilla::SCI_SETSEARCHFLAGS, 0);
    long from = 0;
    while (true) {
      editor_->SendScintilla(QsciScintilla::SCI_SETTARGETSTART, from);
      editor_->SendScintilla(QsciScintilla::SCI_SETTARGETEND, length);
      const long at =
          editor_->SendScintilla(QsciScintilla::SCI_SEARCHINTARGET,
                                 static_cast<unsigned long>(bytes.size()), bytes.constData());
      if (at < 0) break;
      editor_->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(at),
                             bytes.size());
      from = at + bytes.size();
      ++count;
    }
  }
  find_bar_->show_count(0, count);
}

void CodePane::go(bool forward) {
  const QString wanted = find_bar_->text();
  if (wanted.isEmpty()) return;
  int line = -1, column = -1;
  if (!forward && editor_->hasSelectedText()) {
    int to_line = 0, to_column = 0;
    editor_->getSelection(&line, &column, &to_line, &to_column);
  }
  editor_->findFirst(wanted, false, false, false, true, forward, line, column);
}

}  // namespace loopglass::views
