// What if? The model through its pipeline and through another one: both timelines in one table,
// what the networks are made of, whether their results agree, and, if asked, how long they take.
#pragma once

#include "core/debug/counterfactual.h"
#include "views/document/document.h"

#include <QWidget>

#include <memory>
#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace loopglass::views {

class AlignedModel;
class CommandBar;
class SidesModel;
class WorkPage;

class CompareView : public QWidget {
  Q_OBJECT

 public:
  explicit CompareView(Document* document, QWidget* parent = nullptr);

  std::shared_ptr<const debug::Counterfactual> result() const {
    return result_;
  }  // null until there is one
  // The other pipeline of the result, as --passes takes it; empty while there is none.
  const std::string& other_pipeline() const { return other_pipeline_; }

 signals:
  void resultChanged();

 private:
  QWidget* make_form();
  QWidget* make_content();
  void fill_passes();
  void forget();
  void follow_form();
  bool by_toggle() const;
  SessionOptions left() const;
  Result<SessionOptions> right() const;
  void start();
  void accept(std::shared_ptr<const debug::Counterfactual> result, const SessionOptions& other);
  void show_result();
  QString summary_html() const;
  QString command() const;

  Document* document_;
  QComboBox *how_, *pass_, *pipeline_;
  QCheckBox* measure_;
  QPushButton* run_;
  QLabel *problem_, *summary_;
  AlignedModel* steps_;
  SidesModel* sides_;
  QTableView* step_table_;
  WorkPage* page_;
  CommandBar* command_;
  std::shared_ptr<const debug::Counterfactual> result_;
  std::string other_pipeline_;
};

}  // namespace loopglass::views
