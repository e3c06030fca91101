// File > Export: what the window shows, as files. Files are written in the background.
#pragma once

#include "app/export/picture.h"
#include "views/jobs.h"

#include <QObject>

class QMenu;

namespace loopglass::app {

class MainWindow;

class Exports : public QObject {
  Q_OBJECT

 public:
  explicit Exports(MainWindow* window);
  // All there is to export; what there is nothing of yet cannot be chosen.
  QMenu* make_menu();

  // To this file, whose ending says in which form. written() tells that it is there, the window
  // what could not be.
  void export_graph(const QString& file);  // as the window shows it
  void export_dominators(const QString& file);
  void export_memory(const QString& file);
  void export_rounds(const QString& file);  // of the last benchmark
  void export_roofline(const QString& file);
  void export_page(const QString& file);
  void export_view(QWidget* view, const QString& file);  // as it is on the screen

 signals:
  void written(const QString& file);

 private:
  void ask(const QString& title, const QString& name, const QString& forms,
           const std::function<void(const QString&)>& act);
  void add_views(QMenu* menu);
  QString model() const;
  QString with_date(const QString& title) const;
  void run(const QString& file,
           const std::function<Result<void>(const views::JobContext&, FileFormat)>& work,
           Exported what);
  void tell_written(const QString& file);

  MainWindow* window_;
  QString folder_;  // where the last file went
};

}  // namespace loopglass::app
