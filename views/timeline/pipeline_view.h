// The pipeline of graph passes to edit by hand: order by dragging or Alt+Up and Alt+Down, passes
// switched off and on, repeated, and grouped to run until nothing changes. Below it the same as
// text, as `loopglassc --passes` takes it; either follows the other, and every edit runs at once.
#pragma once

#include "views/document/document.h"
#include "views/timeline/pipeline_draft.h"

#include <QWidget>

#include <map>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace loopglass::views {

class PipelineView : public QWidget {
  Q_OBJECT

 public:
  explicit PipelineView(Document* document, QWidget* parent = nullptr);
  ~PipelineView() override;
  const PipelineDraft& draft() const { return draft_; }
  // Makes the pipeline what the rows say, as after a drop.
  void take_rows();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_tools();
  QWidget* make_foot();
  void fill_add_menu();
  // Shows the document's pipeline, unless it is what the draft says already.
  void follow();
  void fill_tree(std::optional<PipelineDraft::Place> current);
  PipelineDraft draft_for(const pass::Pipeline& pipeline) const;
  void add_row(QTreeWidgetItem* parent, PipelineDraft::Place place);
  std::optional<PipelineDraft::Place> current() const;
  void read_tree();  // after a drop
  void edited(std::optional<PipelineDraft::Place> current);
  void apply(const std::string& text);
  void apply_text();
  void apply_memory_limit();
  void show_text();
  void enable();
  template <class Edit>
  void edit(const Edit& edit);

  Document* document_;
  PipelineDraft draft_;
  std::map<std::string, PipelineDraft> drafts_;  // that a person made, by their text
  QComboBox* preset_;
  QTreeWidget* tree_;
  QToolButton *add_, *remove_, *duplicate_, *group_, *up_, *down_;
  QLineEdit* text_;
  QLabel* problem_;
  QSpinBox* memory_limit_;
  bool filling_ = false;
};

}  // namespace loopglass::views
