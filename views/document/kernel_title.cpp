#include "views/document/kernel_title.h"

#include "core/fusion/layer_words.h"
#include "views/text.h"

#include <QPainter>

namespace loopglass::views {

KernelTitle::KernelTitle(Document* document, QWidget* parent)
    : QLabel(parent), document_(document) {
  setObjectName("kernelTitle");
  setMargin(6);
  setTextFormat(Qt::PlainText);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &KernelTitle::follow);
  connect(&document->fusion(), &FusionStage::guessingChanged, this, &KernelTitle::follow);
  follow();
}

void KernelTitle::follow() {
  const auto plan = document_->fusion().plan();
  const fusion::GroupId shown = document_->kernels().group();
  const bool known = plan && shown.valid() && shown.value < plan->groups.size();
  // Its name tells what is in it.
  if (!known || document_->fusion().is_guessing()) return clear();
  const fusion::Group& group = plan->group(shown);
  setText(tr("Kernel %1, %2").arg(shown.value).arg(views::text(group.name)));
  setToolTip("<p>" +
             views::text(
                 fusion::layer_words(group, *document_->history().last_graph(), group.nodes.size()))
                 .toHtmlEscaped() +
             "</p>");
}

void KernelTitle::paintEvent(QPaintEvent*) {
  const QRect room = contentsRect().adjusted(margin(), 0, -margin(), 0);
  QPainter(this).drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                          fontMetrics().elidedText(text(), Qt::ElideMiddle, room.width()));
}

}  // namespace loopglass::views
