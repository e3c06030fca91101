#include "app/window/help.h"

#include "app/window/main_window.h"
#include "core/codegen/kernel.h"

#include <QCoreApplication>
#include <QDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace loopglass::app {
namespace {

QString text(const char* source) { return QCoreApplication::translate("Help", source); }

void collect_keys(const QMenu& menu, QString& rows) {
  for (const QAction* action : menu.actions()) {
    if (action->menu()) collect_keys(*action->menu(), rows);
    if (action->shortcut().isEmpty()) continue;
    rows += QString("<tr><td style='padding-right:24px'><b>%1</b></td><td>%2</td></tr>")
                .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                     action->text().remove('&').toHtmlEscaped());
  }
}

}  // namespace

void show_keys(MainWindow& window) {
  QString html;
  for (const QAction* action : window.menuBar()->actions()) {
    QString rows;
    collect_keys(*action->menu(), rows);
    if (!rows.isEmpty())
      html += QString("<h3>%1</h3><table cellpadding='3'>%2</table>")
                  .arg(action->text().remove('&').toHtmlEscaped(), rows);
  }
  QDialog dialog(&window);
  dialog.setWindowTitle(text("Keys"));
  dialog.resize(460, 620);
  auto* page = new QTextBrowser;
  page->setHtml(html);
  auto* layout = new QVBoxLayout(&dialog);
  layout->addWidget(page);
  dialog.exec();
}

void show_about(MainWindow& window) {
  QMessageBox::about(
      &window, text("About Loopglass"),
      text("<h3>Loopglass %1</h3><p>A tensor compiler in a glass case: open an ONNX model and "
           "watch it "
           "become machine code, step by step, with the reasons.</p><p>Compiling for %2.</p>")
          .arg(LOOPGLASS_VERSION,
               QString::fromStdString(codegen::host_description()).left(120).toHtmlEscaped()));
}

}  // namespace loopglass::app
