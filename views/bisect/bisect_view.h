// Bisect: between two places of the history whose networks disagree, or of which one is slower, the
// first rewrite after which it is so. Every place asked is listed as its answer comes.
#pragma once

#include "core/debug/bisect.h"
#include "views/document/document.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopglass::views {

class CommandBar;
class PlaceBox;

class BisectView : public QWidget {
  Q_OBJECT

 public:
  explicit BisectView(Document* document, QWidget* parent = nullptr);

  const std::optional<debug::BisectReport>& report() const {
    return report_;
  }  // of the last search that ended

 private:
  struct Wish;
  QWidget* make_form();
  QWidget* make_outcome();
  void forget();
  void follow_form();
  void show_running(bool running);
  std::optional<Wish> wish();
  void start();
  static Result<debug::BisectReport> search(const Wish& wish, const debug::Control& control,
                                            const std::function<void(debug::Probe)>& tell);
  void add_probe(const debug::Probe& probe);
  void accept(debug::BisectReport report);
  void say(const QString& html);
  QString outcome_html(const debug::BisectReport& report) const;
  QString command() const;
  bool by_time() const;

  Document* document_;
  PlaceBox *good_, *bad_;
  QComboBox* by_;
  QLineEdit* limit_;  // tolerance or factor
  QLabel *limit_name_, *progress_text_, *outcome_;
  QCheckBox* thorough_;
  QPushButton *run_, *stop_, *go_;
  QProgressBar* progress_;
  QTreeWidget* probes_;
  CommandBar* command_;
  std::optional<debug::BisectReport> report_;
  int search_ = 0;  // number of the last one: answers of earlier ones are dropped
  bool running_ = false;
};

}  // namespace loopglass::views
