#include "views/theme.h"

#include "views/style.h"
#include "views/theme_scope.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace loopglass::views {
namespace {

Theme dark_theme() {
  return Theme{.tone = Tone::Dark,
               .window = "#12161c",
               .surface = "#191e26",
               .raised = "#232a34",
               .border = "#38424f",
               .text = "#e8ecf2",
               .muted = "#9daabb",
               .accent = "#5aa9ff",
               .on_accent = "#0b1420",
               .selected = "#21508a",
               .related = "#27394f",
               .mark = "#ffc247",
               .edge = "#75849a",
               .good = "#4cc38a",
               .warning = "#f0b429",
               .error = "#ff7b72",
               .keyword = "#7cb7ff",
               .type = "#6fd3c7",
               .number = "#f5b971",
               .string = "#c3e88d",
               .comment = "#8593a6",
               .label = "#d8a6ff"};
}

Theme light_theme() {
  return Theme{.tone = Tone::Light,
               .window = "#e9edf2",
               .surface = "#ffffff",
               .raised = "#f4f6f9",
               .border = "#c6ced9",
               .text = "#1b2430",
               .muted = "#566373",
               .accent = "#0b63c5",
               .on_accent = "#ffffff",
               .selected = "#a9d0ff",
               .related = "#e1eefc",
               .mark = "#b45309",
               .edge = "#7b8796",
               .good = "#157347",
               .warning = "#875800",
               .error = "#c02b21",
               .keyword = "#0b57ad",
               .type = "#0b6e66",
               .number = "#9a4b00",
               .string = "#3c6e16",
               .comment = "#64707f",
               .label = "#7a2bb5"};
}

Theme& current() {
  static Theme value = dark_theme();
  return value;
}

// WCAG relative luminance.
double luminance(const QColor& color) {
  const auto channel = [](double c) {
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
         0.0722 * channel(color.blueF());
}

// The first family that is installed: not every widget looks beyond the first one named.
QFont font_of(const QStringList& families, double points, QFont::StyleHint hint) {
  QFont font;
  const QStringList installed = QFontDatabase::families();
  for (const QString& family : families) {
    if (!installed.contains(family)) continue;
    font.setFamily(family);
    break;
  }
  font.setPointSizeF(points);
  font.setStyleHint(hint);
  return font;
}

QFont sans(double points) {
  static const QFont font =
      font_of({"Inter", "Noto Sans", "Cantarell", "DejaVu Sans"}, 10, QFont::SansSerif);
  QFont sized = font;
  sized.setPointSizeF(points);
  return sized;
}

QPalette palette_of(const Theme& t) {
  QPalette palette;
  palette.setColor(QPalette::Window, t.window);
  palette.setColor(QPalette::WindowText, t.text);
  palette.setColor(QPalette::Base, t.surface);
  palette.setColor(QPalette::AlternateBase, t.raised);
  palette.setColor(QPalette::Text, t.text);
  palette.setColor(QPalette::PlaceholderText, t.muted);
  palette.setColor(QPalette::Button, t.raised);
  palette.setColor(QPalette::ButtonText, t.text);
  palette.setColor(QPalette::BrightText, t.error);
  palette.setColor(QPalette::ToolTipBase, t.raised);
  palette.setColor(QPalette::ToolTipText, t.text);
  palette.setColor(QPalette::Highlight, t.selected);
  palette.setColor(QPalette::HighlightedText, t.text);
  palette.setColor(QPalette::Link, t.accent);
  palette.setColor(QPalette::LinkVisited, t.accent);
  palette.setColor(QPalette::Light, t.raised.lighter(120));
  palette.setColor(QPalette::Midlight, t.raised);
  palette.setColor(QPalette::Mid, t.border);
  palette.setColor(QPalette::Dark, t.border);
  palette.setColor(QPalette::Shadow, t.window.darker(130));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, t.muted);
  return palette;
}

// Rules name only what Fusion with our palette does not already draw well.
QString style_sheet_of(const Theme& t) {
  QString sheet = R"(
    QMainWindow::separator { background: @window; width: 5px; height: 5px; }
    QMainWindow::separator:hover { background: @accent; }
    QDockWidget { color: @text; font-weight: 600; }
    QDockWidget::title { background: @raised; padding: 5px 8px; border-bottom: 1px solid @border; }
    QMenuBar { background: @raised; border-bottom: 1px solid @border; }
    QMenuBar::item { padding: 4px 10px; background: transparent; }
    QMenuBar::item:selected, QMenu::item:selected { background: @selected; color: @text; }
    QMenu { background: @raised; border: 1px solid @border; padding: 4px; }
    QMenu::item { padding: 4px 24px 4px 20px; }
    QMenu::item:disabled { color: @muted; }
    QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
    QToolBar { background: @raised; border: none; border-bottom: 1px solid @border; spacing: 4px;
               padding: 3px 6px; }
    QToolBar::separator { background: @border; width: 1px; margin: 4px 5px; }
    QToolButton { padding: 3px 6px; border: 1px solid transparent; border-radius: 4px; }
    QToolButton:hover { background: @related; }
    QToolButton:checked, QToolButton:pressed { background: @selected; }
    QToolButton:focus { border-color: @accent; }
    QStatusBar { background: @raised; border-top: 1px solid @border; }
    QStatusBar::item { border: none; }
    QHeaderView::section { background: @raised; color: @muted; border: none; padding: 3px 6px;
                           border-right: 1px solid @border; border-bottom: 1px solid @border; }
    QHeaderView::down-arrow, QHeaderView::up-arrow { subcontrol-position: center left; left: 4px;
                                                     width: 12px; height: 12px; }
    QTabBar::tab { background: @window; color: @muted; padding: 5px 12px; border: none;
                   border-top: 2px solid transparent; }
    QTabBar::tab:selected { background: @raised; color: @text; border-top-color: @accent; }
    QTabBar::tab:hover { color: @text; }
    QTabBar::scroller { width: 26px; }
    QTabBar QToolButton { background: @raised; border: none; margin: 0; padding: 0; }
    QTreeView, QTableView, QListView, QPlainTextEdit, QTextBrowser { border: none; }
    QTreeView:focus, QTableView:focus, QListView:focus { border: none; outline: none; }
    QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: 4px; }
    QLineEdit { background: @surface; border: 1px solid @border; border-radius: 4px;
                padding: 2px 6px; }
    QLineEdit:focus { border-color: @accent; }
    QTreeView::item { padding: 2px 0; }
    QProgressBar { background: @surface; border: 1px solid @border; border-radius: 4px;
                   text-align: center; }
    QProgressBar::chunk { background: @accent; border-radius: 3px; }
    QScrollBar:vertical { background: @surface; width: 12px; margin: 0; }
    QScrollBar:horizontal { background: @surface; height: 12px; margin: 0; }
    QScrollBar::handle { background: @border; border-radius: 4px; margin: 2px; min-height: 24px;
                         min-width: 24px; }
    QScrollBar::handle:hover { background: @muted; }
    QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
    QScrollBar::add-page, QScrollBar::sub-page { background: none; }
  )";
  const std::pair<const char*, QColor> names[] = {
      {"@window", t.window}, {"@surface", t.surface}, {"@raised", t.raised},
      {"@border", t.border}, {"@text", t.text},       {"@muted", t.muted},
      {"@accent", t.accent}, {"@related", t.related}, {"@selected", t.selected}};
  for (const auto& [name, color] : names) sheet.replace(name, color.name());
  return sheet;
}

}  // namespace

// Okabe and Ito's eight, and Tol's muted scheme where there are more families than those.
QColor Theme::family(ops::Family family) const {
  switch (family) {
    case ops::Family::Elementwise: return "#8fb8d4";
    case ops::Family::Activation: return "#e69f00";
    case ops::Family::Comparison: return "#bcae3f";
    case ops::Family::Convolution: return "#0f6fb5";
    case ops::Family::MatrixProduct: return "#56b4e9";
    case ops::Family::Pooling: return "#12936d";
    case ops::Family::Normalisation: return "#d48bb2";
    case ops::Family::Reduction: return "#bb4d06";
    case ops::Family::Movement: return "#a3abb5";
    case ops::Family::Indexing: return "#7c6a5a";
    case ops::Family::Resize: return "#5cc0ae";
    case ops::Family::Quantisation: return "#8f2d5e";
    case ops::Family::Recurrent: return "#7359b6";
    case ops::Family::Generator: return "#ddcc77";
    case ops::Family::Loss: return "#a8479c";
    case ops::Family::Kernel: return "#2f6d3a";
    case ops::Family::Opaque: return "#59626e";
  }
  __builtin_unreachable();
}

QColor Theme::family_text(ops::Family family) const { return text_on(this->family(family)); }

QColor text_on(const QColor& fill) {
  const double light = luminance(fill);
  // Pure black, or there would be colours on which neither reaches 4.5:1.
  const double contrast_white = 1.05 / (light + 0.05), contrast_black = (light + 0.05) / 0.05;
  return contrast_white > contrast_black ? QColor("#ffffff") : QColor("#000000");
}

QColor mixed(const QColor& a, const QColor& b, double part) {
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

// Five colours along a curve through OKLab, as far apart from each other as from the next and none
// of them dull, from the paper's end of lightness: even the first is told from the paper at a
// glance (3:1).
QColor Theme::heat(double part) const {
  static const std::array dark{QColor("#8066bb"), QColor("#c1689f"), QColor("#e77e73"),
                               QColor("#f6a954"), QColor("#fbdc5a")};
  static const std::array light{QColor("#c37f2f"), QColor("#c1462a"), QColor("#a11850"),
                                QColor("#6e0866"), QColor("#370065")};
  static const std::array cold_dark{QColor("#8066bb"), QColor("#6189e5"), QColor("#37aef0"),
                                    QColor("#0ed4dc"), QColor("#60f4af")};
  static const std::array cold_light{QColor("#c37f2f"), QColor("#7d7d14"), QColor("#1c7440"),
                                     QColor("#00567f"), QColor("#10206c")};
  const auto& stops =
      tone == Tone::Dark ? (part < 0 ? cold_dark : dark) : (part < 0 ? cold_light : light);
  const double at = std::min(std::abs(part), 1.0) * static_cast<double>(stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double rest = at - static_cast<double>(below);
  return mixed(stops[below], stops[below + 1], rest);
}

QColor Theme::group(std::size_t index) const {
  static const std::array<QColor, 7> on_dark = {"#56b4e9", "#e69f00", "#2fbf93", "#f0e442",
                                                "#d48bb2", "#ee7733", "#a48be0"};
  static const std::array<QColor, 7> on_light = {"#0d68aa", "#8f5e00", "#0b7a59", "#726900",
                                                 "#a83f78", "#ab4208", "#5c41a5"};
  const auto& cycle = tone == Tone::Dark ? on_dark : on_light;
  return cycle[index % cycle.size()];
}

namespace {

double& scale() {
  static double of_text = 1;
  return of_text;
}

}  // namespace

QFont Theme::canvas_font() const { return sans(10); }
QFont Theme::canvas_small_font() const { return sans(8.5); }
QFont Theme::text_font() const { return sans(10 * scale()); }
QFont Theme::small_font() const { return sans(8.5 * scale()); }
QFont Theme::heading_font() const {
  QFont font = sans(12 * scale());
  font.setWeight(QFont::DemiBold);
  return font;
}
QFont Theme::code_font() const {
  static const QFont font = [] {
    QFont chosen =
        font_of({"JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono"}, 9.5, QFont::Monospace);
    chosen.setFixedPitch(true);
    return chosen;
  }();
  QFont sized = font;
  sized.setPointSizeF(9.5 * scale());
  return sized;
}

namespace {

thread_local const Theme* scoped = nullptr;

}  // namespace

const Theme& theme() { return scoped ? *scoped : current(); }

const Theme& theme_of(Tone tone) {
  static const Theme dark = dark_theme(), light = light_theme();
  return tone == Tone::Dark ? dark : light;
}

ThemeScope::ThemeScope(Tone tone) : before_(std::exchange(scoped, &theme_of(tone))) {}
ThemeScope::~ThemeScope() { scoped = before_; }

double text_scale() { return scale(); }

void set_text_scale(double wanted) {
  wanted = std::clamp(wanted, least_text_scale, largest_text_scale);
  if (wanted == scale()) return;
  scale() = wanted;
  set_theme(theme().tone);
}

void set_theme(Tone tone) {
  current() = theme_of(tone);
  QApplication::setStyle(new ThemedStyle);
  QApplication::setPalette(palette_of(current()));
  QApplication::setFont(current().text_font());
  qApp->setStyleSheet(style_sheet_of(current()));
  emit ThemeNotifier::instance().changed();
}

ThemeNotifier& ThemeNotifier::instance() {
  static ThemeNotifier notifier;
  return notifier;
}

}  // namespace loopglass::views
