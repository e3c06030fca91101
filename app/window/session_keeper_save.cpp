// Sessions that a person saves, in files of their own.
#include "app/window/main_window.h"
#include "app/window/session_keeper.h"
#include "views/document/command_line.h"
#include "views/text.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QStatusBar>

namespace loopglass::app {
namespace {

std::string with_ending(const QString& file) {
  const std::string name = file.toStdString();
  return is_session_file(name) ? name : name + std::string(session_ending);
}

}  // namespace

bool SessionKeeper::can_save() const { return document_->model() != nullptr; }

bool SessionKeeper::write_to(const QString& file) {
  auto session = this->session();
  if (!session) return false;
  session->file.clear();
  const std::string path = with_ending(file);
  if (const auto written = write_session(path, *session); !written) {
    window_->show_diagnostic(written.error());
    return false;
  }
  file_ = QFileInfo(views::text(path)).absoluteFilePath();
  document_->set_session_file(file_);
  file_written_ = QFileInfo(file_).lastModified();
  window_->recent_models().add({file_, {}});
  window_->statusBar()->showMessage(tr("Saved to %1").arg(file_), note_shown_ms);
  emit fileChanged();
  changed();
  return true;
}

void SessionKeeper::save() {
  if (!can_save()) return;
  if (file_.isEmpty()) return save_as();
  if (may_overwrite()) write_to(file_);
}

// Another window, or whoever edits the file by hand, may have written it since.
bool SessionKeeper::may_overwrite() {
  const QFileInfo there(file_);
  if (!there.exists() || there.lastModified() == file_written_) return true;
  const auto answer = QMessageBox::warning(
      window_, tr("Save session"),
      tr("%1 has been written since it was opened here. Saving takes the place of what is there "
         "now; Save Session As keeps both.")
          .arg(there.fileName()),
      QMessageBox::Save | QMessageBox::Cancel, QMessageBox::Cancel);
  return answer == QMessageBox::Save;
}

void SessionKeeper::save_as() {
  if (!can_save()) return;
  const QString suggested =
      file_.isEmpty()
          ? QFileInfo(window_->folder(), views::suggested_session_file(*document_)).filePath()
          : file_;
  const QString chosen = QFileDialog::getSaveFileName(window_, tr("Save session"), suggested,
                                                      tr("Loopglass sessions (*.loopglass)"));
  if (!chosen.isEmpty()) write_to(chosen);
}

}  // namespace loopglass::app
