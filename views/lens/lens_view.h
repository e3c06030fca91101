// The tensor lens: the values of the selected edge or operator at the place where the window is,
// and, if asked, what they are at the place it is compared with and where the two networks first
// part.
#pragma once

#include "views/document/document.h"
#include "views/lens/look.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopglass::views {

class CommandBar;
class Histogram;
class SeenWatch;
class WorkPage;

class LensView : public QWidget {
  Q_OBJECT

 public:
  explicit LensView(Document* document, QWidget* parent = nullptr);

  std::shared_ptr<const Look> seen() const { return seen_; }  // null until there is something

 private:
  QWidget* make_tools();
  QWidget* make_content();
  void forget();  // another model
  void refresh_later();
  void refresh();
  void fill_values(const std::vector<graph::ValueId>& values);
  std::vector<graph::ValueId> wanted_values() const;
  void look_at(graph::ValueId value);
  void accept(std::shared_ptr<const Look> look);
  void show_look();
  void show_differences();
  void choose(QTreeWidgetItem* row);
  QString command() const;
  QString place(const std::optional<pass::Position>& position) const;

  Document* document_;
  SeenWatch* watch_;
  std::shared_ptr<debug::Evaluator> evaluator_;
  std::shared_ptr<Session> session_;  // that the evaluator is for
  QComboBox* values_;
  QCheckBox* compare_;
  QSpinBox* seed_;
  WorkPage* page_;
  Histogram* histogram_;
  QLabel *numbers_, *difference_, *parting_;
  QTreeWidget* differences_;
  CommandBar* command_;
  LookWish wish_;                     // the last one, with what was compared for it
  std::shared_ptr<const Look> seen_;  // its answer
  bool pending_ = false;
};

}  // namespace loopglass::views
