// Where a person stands in a window, all of it by names, and how to get there again. What a place
// says of operators is there with its graph, of kernels with the plan and of lines with their text,
// so going there takes as long as these take; whoever chooses something else meanwhile is not led
// away from it.
#pragma once

#include "app/window/panes.h"
#include "core/saved_session.h"

#include <QObject>

namespace loopglass::app {

class Places : public QObject {
  Q_OBJECT

 public:
  Places(views::Document* document, Panes* panes, QObject* parent);

  // The kernel that is shown, and at which of its steps.
  struct ShownKernel {
    std::string name;  // empty: none
    std::optional<std::size_t> loop_step, llvm_step;
  };

  // Or where the window is about to be.
  Place here() const;
  ShownKernel kernel() const;
  // In the graphs of the model that is open.
  void go_to(const Place& place);
  void show(ShownKernel kernel);
  // The same without the step, for what is there already.
  void look_at(const Place& place);
  void forget();  // where it was going

 signals:
  void problem(const Diagnostic& diagnostic);  // a place that there is not

 private:
  SavedSelection selected() const;
  void go_on();
  bool select(const SavedSelection& wanted);  // whether that is done
  bool select_fold(const SavedSelection& wanted);
  bool select_tensor(const SavedSelection& wanted);
  bool select_line(const SavedSelection& wanted);
  bool show_wanted_kernel();  // whether that is done
  std::optional<fusion::GroupId> group_named(const std::string& name) const;

  views::Document* document_;
  Panes* panes_;
  std::optional<SavedSelection> wanted_;
  std::optional<ShownKernel> wanted_kernel_;
  bool kernel_asked_ = false;  // the document was told of it
  bool selecting_ = false;
};

}  // namespace loopglass::app
