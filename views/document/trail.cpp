#include "views/document/trail.h"

namespace loopglass::views {
namespace {

constexpr std::size_t longest = 200;

}  // namespace

SelectionTrail::SelectionTrail(Document* document, QObject* parent)
    : QObject(parent), document_(document) {
  connect(&document->selection(), &Selection::selectionChanged, this, &SelectionTrail::remember);
  // Ids and lines mean nothing in another model or plan.
  connect(document, &Document::modelChanged, this, &SelectionTrail::forget_all);
  connect(document, &Document::planChanged, this, &SelectionTrail::forget_all);
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
  if (position_ == 0) {
    if (is_inside()) document_->leave_subgraphs(document_->source().subgraphs.size() - 1);
    return;
  }
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

}  // namespace loopglass::views
