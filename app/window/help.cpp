#include "app/window/help.h"

#include "app/window/main_window.h"
#include "core/codegen/kernel.h"
#include "views/widgets/pane_keys.h"

#include <QCoreApplication>
#include <QDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace loopglass::app {
namespace {

QString help_text(const char* source) { return QCoreApplication::translate("Help", source); }

QString key_row(const QString& keys, const QString& words) {
  return QString("<tr><td style='padding-right:24px'><b>%1</b></td><td>%2</td></tr>")
      .arg(keys.toHtmlEscaped(), words.toHtmlEscaped());
}

QString section(const QString& title, const QString& rows) {
  return QString("<h3>%1</h3><table cellpadding='3'>%2</table>").arg(title.toHtmlEscaped(), rows);
}

void collect_keys(const QMenu& menu, QString& rows) {
  for (const QAction* action : menu.actions()) {
    if (action->menu()) collect_keys(*action->menu(), rows);
    if (action->shortcut().isEmpty()) continue;
    rows +=
        key_row(action->shortcut().toString(QKeySequence::NativeText), action->text().remove('&'));
  }
}

}  // namespace

void show_keys(MainWindow& window) {
  QString html;
  for (const QAction* action : window.menuBar()->actions()) {
    QString rows;
    collect_keys(*action->menu(), rows);
    if (!rows.isEmpty()) html += section(action->text().remove('&'), rows);
  }
  for (const views::PaneKeys& pane : views::all_pane_keys()) {
    QString rows;
    for (const views::PaneKey& key : pane.keys) {
      QStringList names;
      for (const QKeyCombination& each : key.keys)
        names << QKeySequence(each).toString(QKeySequence::NativeText);
      rows += key_row(names.join(help_text(" or ")), key.words);
    }
    html += section(pane.title, rows);
  }
  QDialog dialog(&window);
  dialog.setWindowTitle(help_text("Keys"));
  dialog.resize(460, 620);
  auto* page = new QTextBrowser;
  page->setHtml(html);
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
