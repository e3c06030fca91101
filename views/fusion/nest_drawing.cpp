#include "views/fusion/nest_drawing.h"

#include "views/text.h"

#include <QHelpEvent>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace loopglass::views {
namespace {

constexpr int gap = 14, indent = 9, between_bars = 2;

struct Look {
  fusion::Walk walk;
  QString sign;  // never by colour alone
  QString words;
};

const std::array<Look, 4>& looks() {
  static const std::array<Look, 4> all{
      Look{fusion::Walk::Elements, "▪", QObject::tr("element by element")},
      Look{fusion::Walk::Window, "▭", QObject::tr("by a window")},
      Look{fusion::Walk::Elsewhere, "≠", QObject::tr("elsewhere")},
      Look{fusion::Walk::Repeats, "↻", QObject::tr("again")}};
  return all;
}

QString sign_of(fusion::Walk walk) {
  const auto found = std::ranges::find(looks(), walk, &Look::walk);
  return found == looks().end() ? QString() : found->sign;
}

QColor color_of(fusion::Walk walk) {
  const Theme& t = theme();
  switch (walk) {
    case fusion::Walk::None:
    case fusion::Walk::Once: return t.muted;
    case fusion::Walk::Elements: return t.good;
    case fusion::Walk::Repeats: return t.warning;
    case fusion::Walk::Window: return t.accent;
    case fusion::Walk::Elsewhere: return t.error;
  }
  __builtin_unreachable();
}

QString label_of(const fusion::SketchedLoop& loop) {
  return (loop.reduction ? "Σ " : "") + text(loop.role) +
         (loop.extent ? " " + QString::number(*loop.extent) : QString());
}

int bar_height() { return QFontMetrics(theme().small_font()).height() + 3; }

}  // namespace

NestDrawing::Block NestDrawing::block_of(const QString& title, const QString& words,
                                         const std::vector<fusion::SketchedNest>& nests) const {
  Block block{title, words, {}, 0};
  for (const fusion::SketchedNest& nest : nests)
    if (nest.touches) block.nests.push_back(nest);
  block.others = nests.size() - block.nests.size();
  return block;
}

void NestDrawing::show_nests(const fusion::EdgeCard& card, const graph::Graph& graph) {
  blocks_.clear();
  const fusion::CardNests& nests = card.nests;
  QStringList spoken;
  if (nests.missing.empty()) {
    blocks_.push_back(
        block_of(text(graph.node(card.producer).name), tr("writes the tensor"), nests.producer));
    blocks_.push_back(
        block_of(text(graph.node(card.consumer).name), tr("reads it"), nests.consumer));
    if (!nests.shared.empty())
      blocks_.push_back({tr("both"),
                         nests.shared.size() == 1 ? tr("share one nest") : tr("share these nests"),
                         nests.shared, 0});
  }
  for (const Block& block : blocks_)
    for (const fusion::SketchedNest& nest : block.nests)
      spoken << QString("%1 %2: %3").arg(block.title, block.words, text(fusion::loops_text(nest)));
  setAccessibleName(tr("Loop nests"));
  setAccessibleDescription(spoken.join(". "));
  setVisible(!blocks_.empty());
  redraw();
}

int NestDrawing::draw(QPainter* painter, int width) const {
  bars_.clear();
  if (blocks_.empty()) return 0;
  const QFontMetrics metrics(theme().text_font());
  const int column = 15 * metrics.averageCharWidth() + 6 * indent;  // what a nest needs
  const int count = static_cast<int>(blocks_.size());
  const int columns = std::clamp((width + gap) / (column + gap), 1, count);
  const int each = std::min((width - (columns - 1) * gap) / columns, 2 * column);
  int top = 0;
  for (int first = 0; first < count; first += columns) {
    int height = 0;
    for (int i = first; i < std::min(first + columns, count); ++i) {
      const QRect room((i - first) * (each + gap), top, each, 0);
      height = std::max(height, draw_block(painter, blocks_[static_cast<std::size_t>(i)], room));
    }
    top += height + 6;
  }
  return draw_legend(painter, width, top);
}

int NestDrawing::draw_block(QPainter* painter, const Block& block, const QRect& room) const {
  const Theme& t = theme();
  QFont bold = t.text_font();
  bold.setBold(true);
  const QFontMetrics title(bold), small(t.small_font());
  const auto line = [&](const QFont& font, const QColor& color, const QString& words, int top) {
    const QFontMetrics metrics(font);
    if (painter) {
      painter->setFont(font);
      painter->setPen(color);
      painter->drawText(QRect(room.left(), top, room.width(), metrics.height()), Qt::AlignVCenter,
                        metrics.elidedText(words, Qt::ElideMiddle, room.width()));
    }
    return top + metrics.height();
  };
  int top = line(bold, t.text, block.title, room.top());
  top = line(t.small_font(), t.muted, block.words, top) + 2;
  for (const fusion::SketchedNest& nest : block.nests) {
    if (block.nests.size() > 1) top = line(t.small_font(), t.muted, text(nest.tensor), top);
    int depth = 0;
    for (const fusion::SketchedLoop& loop : nest.loops) {
      const int left = room.left() + std::min(depth++ * indent, room.width() / 2);
      const QRect place(left, top, room.right() - left, bar_height());
      if (painter) {
        draw_bar(*painter, loop, place);
        bars_.push_back({place, loop});
      }
      top += bar_height() + between_bars;
    }
    if (nest.loops.empty()) top = line(t.small_font(), t.text, tr("no loop: one element"), top);
    top += 3;
  }
  if (block.nests.empty())
    top = line(t.small_font(), t.text, tr("hands on its operand, without loops"), top);
  if (block.others > 0)
    top = line(
        t.small_font(), t.muted,
        block.others == 1 ? tr("and another nest") : tr("and %1 other nests").arg(block.others),
        top);
  return top - room.top();
}

void NestDrawing::draw_bar(QPainter& painter, const fusion::SketchedLoop& loop,
                           const QRect& place) const {
  const Theme& t = theme();
  const QColor color = color_of(loop.walk);
  painter.setPen(QPen(color, 1));
  painter.setBrush(loop.walk == fusion::Walk::None || loop.walk == fusion::Walk::Once
                       ? t.surface
                       : faint(color));
  painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
  if (loop.reduction) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(faint(t.text), Qt::BDiagPattern));
    painter.drawRoundedRect(place, 3, 3);
  }
  const QFontMetrics metrics(t.small_font());
  const QString sign = sign_of(loop.walk);
  const int edge = sign.isEmpty() ? 0 : metrics.horizontalAdvance(sign) + 5;
  const QRect inside = place.adjusted(5, 0, -5, 0);
  painter.setFont(t.small_font());
  painter.setPen(t.text);
  painter.drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                   metrics.elidedText(label_of(loop), Qt::ElideRight, inside.width() - edge));
  painter.drawText(inside, Qt::AlignVCenter | Qt::AlignRight, sign);
}

// What of it there is.
int NestDrawing::draw_legend(QPainter* painter, int width, int top) const {
  QStringList entries;
  bool reduces = false;
  for (const Block& block : blocks_)
    for (const fusion::SketchedNest& nest : block.nests)
      for (const fusion::SketchedLoop& loop : nest.loops) reduces = reduces || loop.reduction;
  for (const Look& look : looks()) {
    const bool is_there = std::ranges::any_of(blocks_, [&](const Block& block) {
      return std::ranges::any_of(block.nests, [&](const fusion::SketchedNest& nest) {
        return std::ranges::find(nest.loops, look.walk, &fusion::SketchedLoop::walk) !=
               nest.loops.end();
      });
    });
    if (is_there) entries << look.sign + " " + look.words;
  }
  if (reduces) entries << tr("Σ reduces");
  const QFontMetrics metrics(theme().small_font());
  const int flags = Qt::AlignLeft | Qt::TextWordWrap;
  const QString words = entries.join("    ");
  const QRect room = metrics.boundingRect(QRect(0, top, width, 1000), flags, words);
  if (painter) {
    painter->setFont(theme().small_font());
    painter->setPen(theme().muted);
    painter->drawText(QRect(0, top, width, room.height()), flags, words);
  }
  return top + (entries.isEmpty() ? 0 : room.height());
}

bool NestDrawing::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return CardDrawing::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto bar = std::ranges::find_if(
      bars_, [&](const Bar& each) { return each.place.contains(help->pos()); });
  if (bar == bars_.end()) {
    QToolTip::hideText();
  } else {
    const QString sum = bar->loop.reduction ? tr(" A loop of a reduction.") : QString();
    QToolTip::showText(help->globalPos(),
                       label_of(bar->loop) + ": " + text(fusion::explanation(bar->loop.walk)) + sum,
                       this);
  }
  return true;
}

}  // namespace loopglass::views
