#include "views/document/trail.h"

namespace loopglass::views {
namespace {

constexpr std::size_t longest = 200;

// To the graph around the one that is open, if it is inside an operator.
void go_out(Document& document) {
  const std::size_t depth = document.source().subgraphs.size();
  if (depth > 0) document.leave_subgraphs(depth - 1);
}

}  // namespace

SelectionTrail::SelectionTrail(Document* document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document->selection(), &Selection::selectionChanged, this, &SelectionTrail::remember);
  // Ids and lines mean nothing in another model or plan.
  connect(document, &Document::modelChanged, this, &SelectionTrail::forget_all);
  connect(&document->fusion(), &FusionStage::planChanged, this, &SelectionTrail::forget_all);
}

void SelectionTrail::remember() {
  const Selected& now = document_->selection().current();
  if (walking_ || now == visited_[position_]) return;
  visited_.erase(visited_.begin() + static_cast<std::ptrdiff_t>(position_) + 1, visited_.end());
  // A line means something only in the listing it was selected in, so it is not come back to.
  if (std::holds_alternative<SelectedLine>(visited_[position_])) {
    visited_[position_] = now;
  } else {
    visited_.push_back(now);
    ++position_;
  }
  if (visited_.size() > longest) {
    visited_.pop_front();
    --position_;
  }
  emit changed();
}

void SelectionTrail::go_back() {
  if (position_ == 0) return go_out(*document_);
  --position_;
  visit();
}

void SelectionTrail::go_forward() {
  if (!can_go_forward()) return;
  ++position_;
  visit();
}

void SelectionTrail::visit() {
  walking_ = true;
  document_->selection().select(visited_[position_]);
  walking_ = false;
  emit changed();
}

void SelectionTrail::forget_all() {
  visited_ = {document_->selection().current()};
  position_ = 0;
  emit changed();
}

void leave(Document& document) {
  if (document.selection().empty()) go_out(document);
  else document.selection().clear();
}

}  // namespace loopglass::views
