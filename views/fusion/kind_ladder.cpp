#include "views/fusion/kind_ladder.h"

#include "views/text.h"

#include <algorithm>
#include <array>

namespace loopglass::views {

using fusion::PatternKind;

namespace {

constexpr std::array kinds_in_order{PatternKind::Elementwise,
                                    PatternKind::Broadcast,
                                    PatternKind::Injective,
                                    PatternKind::CommReduce,
                                    PatternKind::OutElementwiseFusable,
                                    PatternKind::Tuple,
                                    PatternKind::Opaque};

}  // namespace

void KindLadder::show_kinds(const fusion::CardKinds& kinds, const QString& producer,
                            const QString& consumer) {
  rungs_.clear();
  for (const PatternKind kind : kinds_in_order) rungs_.push_back({kind, {}});
  const auto mark = [&](PatternKind kind, const QString& what) {
    std::ranges::find(rungs_, kind, &Rung::kind)->marks << what;
  };
  mark(kinds.producer, "● " + producer);
  mark(kinds.consumer, "◆ " + consumer);
  mark(kinds.edge, tr("→ the edge"));
  if (kinds.path) mark(*kinds.path, tr("⋯ the path"));
  QStringList spoken;
  for (const Rung& rung : rungs_)
    if (!rung.marks.isEmpty())
      spoken << text(fusion::name(rung.kind)) + ": " + rung.marks.join(", ");
  setAccessibleName(tr("Pattern kinds"));
  setAccessibleDescription(spoken.join(". "));
  setToolTip(
      tr("TVM's pattern kinds, the most complex one on top. ● the producer, ◆ the consumer, → the "
         "edge "
         "between them, ⋯ the path to the post-dominator: the highest of all its edges"));
  redraw();
}

int KindLadder::draw(QPainter* painter, int width) const {
  const Theme& t = theme();
  const QFontMetrics metrics(t.small_font());
  const int row = metrics.height() + 3, height = static_cast<int>(rungs_.size()) * row;
  if (!painter) return height;
  int names = 0;
  for (const Rung& rung : rungs_)
    names = std::max(names, metrics.horizontalAdvance(text(fusion::name(rung.kind))));
  painter->setFont(t.small_font());
  int top = height;
  for (const auto& [kind, marks] : rungs_) {
    top -= row;
    const QRectF box(0.5, top + 1.5, names + 14, row - 3);
    painter->setPen(QPen(marks.isEmpty() ? t.border : t.accent, 1));
    painter->setBrush(marks.isEmpty() ? Qt::NoBrush : QBrush(faint(t.accent)));
    painter->drawRoundedRect(box, 3, 3);
    painter->setPen(marks.isEmpty() ? t.muted : t.text);
    painter->drawText(box.adjusted(6, 0, -6, 0), Qt::AlignVCenter | Qt::AlignLeft,
                      text(fusion::name(kind)));
    const int left = static_cast<int>(box.right()) + 8;
    painter->drawText(
        QRect(left, top, width - left, row), Qt::AlignVCenter | Qt::AlignLeft,
        metrics.elidedText(marks.join("   "), Qt::ElideMiddle, std::max(width - left, 0)));
  }
  return height;
}

}  // namespace loopglass::views
