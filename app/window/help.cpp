#include "app/window/help.h"

#include "app/window/main_window.h"
#include "core/codegen/kernel.h"
#include "views/widgets/pane_keys.h"

#include <QCoreApplication>
#include <QDialog>
#include <QFontMetrics>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::app {
namespace {

QString help_text(const char* source) { return QCoreApplication::translate("Help", source); }

struct Key {
  QString keys, words;
};

struct Section {
  QString title;
  QList<Key> keys;
};

// The words of all stand below one another, and so do those of all other sections.
QString html(const Section& section, int width) {
  QString rows;
  for (const Key& key : section.keys)
    rows += QString("<tr><td width='%1'><b>%2</b></td><td>%3</td></tr>")
                .arg(width)
                .arg(key.keys.toHtmlEscaped(), key.words.toHtmlEscaped());
  return QString("<h3>%1</h3><table cellpadding='3'>%2</table>")
      .arg(section.title.toHtmlEscaped(), rows);
}

void collect_keys(const QMenu& menu, QList<Key>& keys) {
  for (const QAction* action : menu.actions()) {
    if (action->menu()) collect_keys(*action->menu(), keys);
    if (action->shortcut().isEmpty()) continue;
    keys << Key{action->shortcut().toString(QKeySequence::NativeText), action->text().remove('&')};
  }
}

QList<Section> all_keys(const MainWindow& window) {
  QList<Section> sections;
  for (const QAction* action : window.menuBar()->actions()) {
    Section section{action->text().remove('&'), {}};
    collect_keys(*action->menu(), section.keys);
    if (!section.keys.isEmpty()) sections << section;
  }
  for (const views::PaneKeys& pane : views::all_pane_keys()) {
    Section section{pane.title, {}};
    for (const views::PaneKey& key : pane.keys)
      section.keys << Key{views::key_words(key), key.words};
    sections << section;
  }
  return sections;
}

}  // namespace

void show_keys(MainWindow& window) {
  QDialog dialog(&window);
  dialog.setWindowTitle(help_text("Keys"));
  dialog.resize(620, 620);
  auto* page = new QTextBrowser;
  QFont bold = page->font();
  bold.setBold(true);
  const QList<Section> sections = all_keys(window);
  int widest = 0;
  for (const Section& section : sections)
    for (const Key& key : section.keys)
      widest = std::max(widest, QFontMetrics(bold).horizontalAdvance(key.keys + "  "));
  QString text;
  for (const Section& section : sections) text += html(section, widest);
  page->setHtml(text);
  page->setObjectName("keys");
  auto* layout = new QVBoxLayout(&dialog);
  layout->addWidget(page);
  dialog.exec();
}

void show_about(MainWindow& window) {
  QMessageBox::about(
      &window, help_text("About Loopglass"),
      help_text("<h3>Loopglass %1</h3><p>A tensor compiler in a glass case: open an ONNX model and "
                "watch it "
                "become machine code, step by step, with the reasons.</p><p>Compiling for %2.</p>")
          .arg(LOOPGLASS_VERSION,
               QString::fromStdString(codegen::host_description()).left(120).toHtmlEscaped()));
}

}  // namespace loopglass::app
